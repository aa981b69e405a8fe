"""The packets of a trace, one after the other: framed, and inflated where several are compressed as one."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import Any, Final

from google.protobuf.message import DecodeError
from google.protobuf.unknown_fields import UnknownFieldSet

from tilescope.tiler.details.wire import WireDamage, varint
from tilescope.tiler.errors import DamagedTrace, TooLarge
from tilescope.tiler.readers.perfetto.schema import FIELDS, TracePacket
from tilescope.tiler.readers.source import ByteSource

PACKET_TAG: Final = 0x0A  # field 1 of Trace, with a length
_READ_BYTES: Final = 1 << 20
_LONGEST_PACKET: Final = 64 << 20
_FIELDS: Final = 4096  # that are counted by their number
_MOST_INFLATED: Final = 64 << 20  # of one packet: Perfetto's own are below 512 kB each
_KNOWN: Final = frozenset(number for number, _ in FIELDS["TracePacket"].values())
# Fields of packets that say who wrote them, marks in the stream, and what was configured: nothing to show.
_SILENT: Final = frozenset({3, 33, 34, 35, 36, 45, 79, 87, 89, 98, 124, 126})


class PacketReader:
    """The packets of a source; `ignored` is complete when they are exhausted."""

    def __init__(self, source: ByteSource) -> None:
        self.ignored: dict[str, int] = {}
        self.warnings: list[str] = []
        self._source = source
        self._offset = 0

    def packets(self) -> Iterator[Any]:
        """Messages `TracePacket`. Damage ends the trace with a warning; raises DamagedTrace where it comes first."""
        count = 0
        try:
            for payload in self._payloads():
                for packet in self._parsed(payload):
                    count += 1
                    yield packet
        except WireDamage as error:
            if count == 0:
                raise DamagedTrace(
                    self._source.path, f"is no trace of Perfetto: {error}", offset=self._offset
                ) from None
            self.warnings.append(f"the trace is cut short, or damaged, at byte {self._offset:,}: {error}")
        if self._source.problem is not None:
            self.warnings.append(f"{self._source.problem}: packets before that were read")

    def _payloads(self) -> Iterator[bytes]:
        rest = b""
        position = 0
        while True:
            piece = self._source.read(_READ_BYTES)
            rest = rest[position:] + piece
            position = 0
            while position < len(rest):
                if rest[position] != PACKET_TAG:
                    raise WireDamage(f"a field that is no packet (tag {rest[position]})")
                try:
                    size, start = varint(rest, position + 1)
                except WireDamage:
                    if piece and len(rest) - position < 16:
                        break  # the rest of the length is to come
                    raise
                if size > _LONGEST_PACKET:
                    raise WireDamage(f"a packet of {size:,} bytes, where {_LONGEST_PACKET:,} are the most")
                if start + size > len(rest):
                    if not piece:
                        raise WireDamage(f"a packet of {size:,} bytes ends after {len(rest) - start:,}")
                    break
                yield rest[start : start + size]
                self._offset += start + size - position
                position = start + size
            if not piece:
                return

    def _parsed(self, payload: bytes) -> Iterator[Any]:
        try:
            packet = TracePacket.FromString(payload)
        except DecodeError:
            self._count("damaged_packets")
            return
        if packet.compressed_packets:
            for inner in self._inflated(packet.compressed_packets):
                try:
                    yield TracePacket.FromString(inner)
                except DecodeError:
                    self._count("damaged_packets")
            return
        unknown: Any = UnknownFieldSet(packet)
        for field in unknown:
            if field.field_number not in _SILENT and field.field_number not in _KNOWN:
                self._count(f"packet_field_{field.field_number if field.field_number < _FIELDS else 'other'}")
        yield packet

    def _inflated(self, compressed: bytes) -> Iterator[bytes]:
        inflating = zlib.decompressobj()
        try:
            content = inflating.decompress(compressed, _MOST_INFLATED)
        except zlib.error:
            self._count("damaged_packets")
            return
        if inflating.unconsumed_tail:
            what = f"a compressed packet inflates to more than {_MOST_INFLATED:,} bytes"
            raise TooLarge(self._source.path, what, advice="record it again: Perfetto's own are smaller")
        self._source.inflation.add(len(content))
        position = 0
        while position < len(content):
            try:
                tag, position = varint(content, position)
                size, position = varint(content, position)
            except WireDamage:
                self._count("damaged_packets")
                return
            if tag != PACKET_TAG or position + size > len(content):
                self._count("damaged_packets")
                return
            yield content[position : position + size]
            position += size

    def _count(self, reason: str) -> None:
        self.ignored[reason] = self.ignored.get(reason, 0) + 1
