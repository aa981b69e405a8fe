"""From the structs and the JSON of docs/api.md to messages: their fields have the same names.

64-bit integers are decimal text in JSON and integers in messages, and null is a field that is not set: the JSON mapping
of protobuf has it so, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar

from google.protobuf import json_format
from google.protobuf.message import Message
from msgspec import Struct, to_builtins

from tilescope.tiler.details.nesting import cut
from tilescope.v1 import tiles_pb2 as pb

M = TypeVar("M", bound=Message)

# Of the value of an argument. Protobuf libraries read 100 messages inside each other, and an object in a
# google.protobuf.Value is three: itself, its members, one of these.
NESTED_AT_MOST: Final = 32


def to_message(value: Struct | Mapping[str, Any], message: M) -> M:
    """Fills a message; members that it does not know (of a later version of the answers) are left out."""
    return json_format.ParseDict(to_builtins(value), message, ignore_unknown_fields=True)


def event_message(event: Mapping[str, Any]) -> pb.Event:
    """One event. Values of arguments that clients could not read for their depth are cut."""
    args = [{**argument, "value": cut(argument["value"], NESTED_AT_MOST)} for argument in event["args"]]
    return to_message({**event, "args": args}, pb.Event())


def bytes_field(number: int, *parts: bytes) -> Iterator[bytes]:
    """A field of bytes, or of a message, as it goes on the wire, to be joined with others.

    For what is large: protobuf copies it into a message, and that once more when it is serialised.
    """
    yield _varint(number << 3 | 2)
    yield _varint(sum(map(len, parts)))
    yield from parts


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
