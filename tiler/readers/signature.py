"""Tells formats apart by the first bytes of a trace, never by its name.

An XSpace begins with 0A, which is white space in JSON, and its second byte, a length, may well be an opening brace.
What decides is that protobuf tags are control characters, which JSON does not have outside of strings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tilescope.tiler.details.wire import WireDamage, varint
from tilescope.tiler.errors import UnknownFormat
from tilescope.tiler.readers.text_damage import find_text_damage

HEAD_BYTES = 64 * 1024  # what `recognise` wants to see, where the file has as much

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_WHITE_SPACE = b" \t\r\n\f\v"
_CONTROL = bytes(set(range(32)) - set(_WHITE_SPACE))
_AFTER_BRACE = b"\"'}/,{"
_AFTER_BRACKET = b"{]\"'/,[n-0123456789"
_PEEKED_TEXT_BYTES = 8
_XSPACE_FIELDS = (1, 2, 3, 4)
_PLANE_FIELDS = {1: 0, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2}  # number → wire type
_PERFETTO_VARINTS = (8, 10)  # TracePacket.timestamp, .trusted_packet_sequence_id; unknown to planes
_PERFETTO_PACKETS = 32
_OTHERS = {
    b"\x28\xb5\x2f\xfd": ("is compressed with zstd", "decompress it first"),
    b"\xfd7zXZ": ("is compressed with xz", "decompress it first"),
    b"BZh": ("is compressed with bzip2", "decompress it first"),
    b"\xff\xfe": ("is text in UTF-16", "save it as UTF-8"),
    b"\xfe\xff": ("is text in UTF-16", "save it as UTF-8"),
    b"SQLite format 3": ("is an SQLite database", "export it as trace-event JSON"),
}
_ADVICE = "Tilescope reads XSpace (.xplane.pb) and trace-event JSON, both also as .gz"


class Format(StrEnum):
    """Formats that there are readers for."""

    XSPACE = "xspace"
    TRACE_EVENT = "trace_event_json"


def recognise(head: bytes, path: Path) -> Format:
    """The format of a trace that begins with `head`. Raises `UnknownFormat`; `path` is only for its message.

    Nothing at all, or nothing but white space, is an empty JSON trace.
    """
    for magic, (what, advice) in _OTHERS.items():
        if head.startswith(magic):
            raise UnknownFormat(path, what, advice=advice)
    text = head.removeprefix(_BYTE_ORDER_MARK).lstrip(_WHITE_SPACE)
    if _looks_like_json(text):
        return Format.TRACE_EVENT
    if _is_text(text):
        raise UnknownFormat(path, "is text, but neither a JSON object nor an array", offset=0, advice=_ADVICE)
    if _looks_like_perfetto(head):
        raise UnknownFormat(
            path, "is a binary Perfetto trace, which is not supported yet", advice="convert it: traceconv json IN OUT"
        )
    if _looks_like_xspace(head) or (head[0] in b"\x0a\x12\x1a\x22" and find_text_damage(head) is not None):
        return Format.XSPACE
    raise UnknownFormat(path, "is of no known trace format", advice=_ADVICE)


@dataclass(frozen=True, slots=True)
class _Field:
    number: int
    wire_type: int
    payload: bytes  # of length-delimited fields, cut where the head ends
    is_cut: bool


def _is_text(data: bytes) -> bool:
    return len(data.translate(None, _CONTROL)) == len(data)


def _fields(head: bytes) -> Iterator[_Field]:
    """Fields as far as the bytes reach. Raises `WireDamage` for what cannot be one."""
    at = 0
    while at < len(head):
        try:
            tag, at = varint(head, at)
            number, wire_type = tag >> 3, tag & 7
            size = 0
            if wire_type == 0:
                _, at = varint(head, at)
            elif wire_type == 2:
                size, at = varint(head, at)
        except WireDamage:
            if len(head) - at < 10:
                return  # cut within a number
            raise
        if wire_type in (1, 5):
            size = 8 if wire_type == 1 else 4
        elif number == 0 or wire_type not in (0, 2):
            raise WireDamage("no field")
        yield _Field(number, wire_type, head[at : at + size] if wire_type == 2 else b"", size > len(head) - at)
        at += size


def _looks_like_json(text: bytes) -> bool:
    """Whether it begins as JSON, or as what the JSON reader refuses with line and column: strings and comments."""
    if not text:
        return True
    if text[:1] in (b"{", b"["):
        after = text[1:].lstrip(_WHITE_SPACE)
        expected = _AFTER_BRACE if text[:1] == b"{" else _AFTER_BRACKET
        return not after or (after[0] in expected and _is_text(text[:_PEEKED_TEXT_BYTES]))
    return text.startswith((b'"', b"'", b"//", b"/*")) and _is_text(text)


def _looks_like_perfetto(head: bytes) -> bool:
    try:
        for count, packet in enumerate(_fields(head)):
            if packet.number != 1 or packet.wire_type != 2 or count == _PERFETTO_PACKETS:
                return False
            for field in _fields(packet.payload):
                if field.number in _PERFETTO_VARINTS and field.wire_type == 0:
                    return True
    except WireDamage:
        pass
    return False


def _looks_like_xspace(head: bytes) -> bool:
    """By its planes; where there is none in sight, its texts must be text."""
    seen = planes = 0
    is_text = True
    try:
        for field in _fields(head):
            if seen == 0 and (field.number not in _XSPACE_FIELDS or field.wire_type != 2):
                return False
            if field.number == 1 and not _looks_like_plane(field.payload):
                return False
            planes += field.number == 1
            is_text = is_text and (field.number not in _XSPACE_FIELDS[1:] or _is_utf8(field))
            seen += 1
    except WireDamage:
        return seen > 1 and (is_text or planes > 0)  # begins well: damaged further on
    return seen > 0 and (is_text or planes > 0)


def _looks_like_plane(payload: bytes) -> bool:
    """Whether the known fields of the first part of a plane are of the right wire type and its name is text.

    A name that is no text is made up for by two more fields.
    """
    known = 0
    is_text = True
    try:
        for field in _fields(payload):
            expected = _PLANE_FIELDS.get(field.number)
            known += expected is not None
            if known == 0 or expected not in (None, field.wire_type):
                return False
            is_text = is_text and (field.number != 2 or _is_utf8(field))
    except WireDamage:
        return False
    return is_text or known > 2


def _is_utf8(field: _Field) -> bool:
    try:
        field.payload.decode("utf-8")
    except UnicodeDecodeError as error:
        return field.is_cut and error.start >= len(field.payload) - 3
    return True
