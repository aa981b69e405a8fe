"""The fields of a protobuf message of which only the first bytes are there."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from tilescope.tiler.details.wire import WireDamage, varint


class HeadField(Struct, frozen=True):
    """A field as far as the bytes reach."""

    number: int
    wire_type: int
    payload: bytes  # of length-delimited fields, cut where the head ends
    is_cut: bool

    @property
    def is_utf8(self) -> bool:
        """True if the payload is text, but for a character that is cut."""
        try:
            self.payload.decode("utf-8")
        except UnicodeDecodeError as error:
            return self.is_cut and error.start >= len(self.payload) - 3
        return True


def head_fields(head: bytes) -> Iterator[HeadField]:
    """Fields as far as the bytes reach. Raises `WireDamage` for what cannot be one."""
    position = 0
    while position < len(head):
        try:
            tag, position = varint(head, position)
            number, wire_type = tag >> 3, tag & 7
            size = 0
            if wire_type == 0:
                _, position = varint(head, position)
            elif wire_type == 2:
                size, position = varint(head, position)
        except WireDamage:
            if len(head) - position < 10:
                return  # cut within a number
            raise
        if wire_type in (1, 5):
            size = 8 if wire_type == 1 else 4
        elif number == 0 or wire_type not in (0, 2):
            raise WireDamage("no field")
        yield HeadField(
            number, wire_type, head[position : position + size] if wire_type == 2 else b"", size > len(head) - position
        )
        position += size
