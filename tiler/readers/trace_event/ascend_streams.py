"""Streams of an Ascend device: threads that its profiler calls the same in each file that it writes of the device.

`msprof_*.json`, `task_time_*.json`, `hccl_*.json` and `step_trace_*.json` have events of the same streams. A stream
keeps its tid in all of them; its process may be another, as that of the step trace is.
"""

from __future__ import annotations

from typing import Final

from tilescope.tiler.device_lines import ASCEND_DEVICE
from tilescope.tiler.readers.trace_event.entries import Entries, IdKind, JsonProcess, Role

_PROCESSES: Final = frozenset({ASCEND_DEVICE, "CANN", "HCCL", "Overlap Analysis", "Step Trace"})
_LABEL: Final = "NPU"


def ascend_streams(entries: Entries) -> list[str] | None:
    """The stream of each track, empty for tracks without slices; None for a file that msprof has not written."""
    if not is_ascend(entries):
        return None
    return [
        _stream(entries, track.thread) if track.role == Role.THREAD_SLICES and track.thread >= 0 else ""
        for track in entries.tracks
    ]


def is_ascend(entries: Entries) -> bool:
    """True if msprof, or a profiler that uses it, has written the file: by the names of its processes."""
    return any(map(_is_of_device, entries.processes))


def _is_of_device(process: JsonProcess) -> bool:
    return _LABEL in process.labels or not _PROCESSES.isdisjoint(process.names)


def _stream(entries: Entries, number: int) -> str:
    thread = entries.threads[number]
    return "" if thread.id_kind == IdKind.ABSENT else thread.tid
