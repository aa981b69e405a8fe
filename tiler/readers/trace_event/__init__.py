"""Trace-event JSON: what Chrome, PyTorch, MindSpore and many others write."""

from typing import Final

from tilescope.tiler.details import json_args
from tilescope.tiler.readers.format import Format
from tilescope.tiler.readers.trace_event.reader import ID, TraceEventReader
from tilescope.tiler.readers.trace_event.signature import looks_like_trace_event

# JAX puts `<host>.trace.json.gz` beside `<host>.xplane.pb`, shortened, and on request `perfetto_trace.json.gz`.
TRACE_EVENT: Final = Format(
    id=ID,
    title="trace-event JSON",
    looks_like=looks_like_trace_event,
    open=TraceEventReader,
    args=json_args.CODEC,
    suffixes=(".trace.json",),
    nothing_follows="is JSON, but not a trace",
    endings=(".json", ".trace"),
    shortens=("xspace",),
    copy_names=("perfetto_trace.json",),
)

__all__ = ["TRACE_EVENT", "TraceEventReader"]
