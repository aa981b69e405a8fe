"""Files that are refused, by what they seem to be: people take them for traces, and are told what to do with them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.errors import UnknownFormat
from tilescope.tiler.readers.compression import compression_of
from tilescope.tiler.readers.layouts.ascend_names import raw_capture
from tilescope.tiler.readers.text import is_text
from tilescope.tiler.readers.wire_head import head_fields

_CONVERT: Final = "convert it to Chrome JSON: traceconv json IN OUT"
_UNPACK: Final = "unpack it, or pack it as zip or tar"
_NSIGHT: Final = "export it, and name the database: nsys export --type sqlite FILE"
_EXPORT: Final = (
    "profiler.analyse() of its framework, or msprof --export=on --output=FOLDER, makes files of it: name their folder"
)
TABLE_ENDINGS: Final = (".tracetable", ".SSTABLE")  # those of capture_tpu_profile and of XProf
_TABLE: Final = (
    "has the name of a table of trace events, from which other viewers stream; it is not read",
    "name the .xplane.pb of the same capture, which has the same events; without one capture again: tilescope capture",
)
_BY_ENDING: Final = {  # files whose first bytes do not say what they are
    **dict.fromkeys(
        (".nsys-rep", ".qdrep"), ("has the name of a report of Nsight Systems, which is not read", _NSIGHT)
    ),
    **dict.fromkeys(TABLE_ENDINGS, _TABLE),
}
_MAGICS: Final = {
    b"\x04\x22\x4d\x18": ("is compressed with LZ4", "decompress it first"),
    b"\x1f\x9d": ("is compressed with compress", "decompress it first"),
    b"\x5d\0\0": ("is compressed with LZMA", "decompress it first: unlzma FILE"),
    b"LZIP": ("is compressed with lzip", "decompress it first"),
    b"\xff\x06\0\0sNaPpY": ("is compressed with Snappy", "decompress it first"),
    b"7z\xbc\xaf\x27\x1c": ("is a 7z archive", _UNPACK),
    b"Rar!\x1a\x07": ("is a RAR archive", _UNPACK),
    b"NVR\0": ("is a report of Nsight Compute (.ncu-rep)", "it has no time axis; the ncu-ui program shows it"),
    b"PERFILE2": ("is data of perf record", "write it as text, which is read: perf script > FILE"),
    b"\x10\0\x04FxT\x16\0": ("is a Fuchsia trace in its binary format", _CONVERT),
    b"tr\xfdP": ("is a trace of Tracy", "Tracy shows it; tracy-csvexport writes its zones as a table"),
    b"tlZ\x04": ("is a trace of Tracy", "Tracy shows it; tracy-csvexport writes its zones as a table"),
    b"tZst": ("is a trace of Tracy", "Tracy shows it; tracy-csvexport writes its zones as a table"),
    b"PAR1": ("is a Parquet file", "export trace-event JSON instead"),
    b"ARROW1": ("is an Arrow file", "export trace-event JSON instead"),
    b"\x89HDF": ("is an HDF5 file", "export trace-event JSON instead"),
}
_SQLITE: Final = b"SQLite format 3\0"
_HTML: Final = re.compile(
    rb"\s*(?:<!--(?:(?!-->).)*-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)
_FTRACE: Final = re.compile(rb"(#.*\n)*# tracer: ")
_TEXTS: Final = (
    (
        _HTML,
        "is an HTML page",
        "if VizTracer or trace2html wrote it, the trace is inside: record with viztracer -o result.json",
    ),
    (re.compile(rb"\s*<\?xml"), "is XML", "export trace-event JSON instead"),
    (_FTRACE, "is text of ftrace (systrace)", _CONVERT),
)


def refusal(head: bytes, path: Path, advice: str) -> UnknownFormat:
    """The error for what no format is like. `advice` says what is read; what the file seems to be may have better."""
    inner = compression_of(head)
    if inner is not None:
        return UnknownFormat(path, f"is compressed twice, with {inner.name} inside", advice="decompress it first")
    what, better = _identity(head)
    if what:
        return UnknownFormat(path, what, advice=better)
    if raw_capture(path.parts[:-1]) is not None:
        return UnknownFormat(path, "is raw data of a profiler of Ascend devices", advice=_EXPORT)
    if is_text(head):
        return UnknownFormat(path, "is text, but neither a JSON object nor an array", offset=0, advice=advice)
    for ending, (named, better) in _BY_ENDING.items():
        if path.name.endswith(ending):
            return UnknownFormat(path, named, advice=better)
    return UnknownFormat(path, "is of no known trace format", advice=advice)


def refused_table(name: str) -> str:
    """Reason for which a table of trace events in a folder is left out, with what to do; empty for another file."""
    return f"{_TABLE[0]} ({_TABLE[1]})" if name.endswith(TABLE_ENDINGS) else ""


def _identity(head: bytes) -> tuple[str, str]:
    """Kind that a file seems to be, and what to do with it; two empty texts for an unknown one."""
    for magic, identity in _MAGICS.items():
        if head.startswith(magic):
            return identity
    if head.startswith(_SQLITE):
        return "is an SQLite database without tables of a profiler that is read", "export it as trace-event JSON"
    if is_text(head):
        return next(((what, better) for pattern, what, better in _TEXTS if pattern.match(head)), ("", ""))
    if _is_pprof(head):
        return "is a profile of pprof", "it holds sums of samples, and has no time axis; pprof shows it"
    return "", ""


def _is_pprof(head: bytes) -> bool:
    """True if it begins with the types of values of a profile: two numbers each, which stand for texts."""
    try:
        first = next(iter(head_fields(head)))
        numbers = [(field.number, field.wire_type) for field in head_fields(first.payload)]
    except (WireDamage, StopIteration):
        return False
    return first.number == 1 and first.wire_type == 2 and not first.is_cut and numbers == [(1, 0), (2, 0)]
