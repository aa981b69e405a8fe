"""What is refused, by what it seems to be: files that people take for traces, and what to do with them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.errors import UnknownFormat
from tilescope.tiler.readers.compression import compression_of
from tilescope.tiler.readers.text import is_text
from tilescope.tiler.readers.wire_head import head_fields

_MAGICS: Final = {
    b"\x04\x22\x4d\x18": ("is compressed with LZ4", "decompress it first"),
    b"\x1f\x9d": ("is compressed with compress", "decompress it first"),
    b"\x5d\0\0": ("is compressed with LZMA", "decompress it first: unlzma FILE"),
    b"LZIP": ("is compressed with lzip", "decompress it first"),
    b"\xff\x06\0\0sNaPpY": ("is compressed with Snappy", "decompress it first"),
    b"7z\xbc\xaf\x27\x1c": ("is a 7z archive", "unpack it, or pack it as zip or tar"),
    b"Rar!\x1a\x07": ("is a RAR archive", "unpack it, or pack it as zip or tar"),
    b"SQLite format 3": ("is an SQLite database", "export it as trace-event JSON"),
}
_PERFETTO_VARINTS: Final = (8, 10)  # TracePacket.timestamp, .trusted_packet_sequence_id; unknown to planes of an XSpace
_PERFETTO_PACKETS: Final = 32


def refusal(head: bytes, path: Path, advice: str) -> UnknownFormat:
    """The error for what no format is like. `advice` says what is read; what the file seems to be may have better."""
    inner = compression_of(head)
    if inner is not None:
        return UnknownFormat(path, f"is compressed twice, with {inner.name} inside", advice="decompress it first")
    for magic, (what, better) in _MAGICS.items():
        if head.startswith(magic):
            return UnknownFormat(path, what, advice=better)
    if is_text(head):
        return UnknownFormat(path, "is text, but neither a JSON object nor an array", offset=0, advice=advice)
    if is_perfetto(head):
        return UnknownFormat(
            path, "is a binary Perfetto trace, which is not supported yet", advice="convert it: traceconv json IN OUT"
        )
    return UnknownFormat(path, "is of no known trace format", advice=advice)


def is_perfetto(head: bytes) -> bool:
    """Whether it begins as a binary Perfetto trace, which an XSpace may be taken for."""
    try:
        for count, packet in enumerate(head_fields(head)):
            if packet.number != 1 or packet.wire_type != 2 or count == _PERFETTO_PACKETS:
                return False
            for field in head_fields(packet.payload):
                if field.number in _PERFETTO_VARINTS and field.wire_type == 0:
                    return True
    except WireDamage:
        pass
    return False
