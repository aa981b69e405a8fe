"""Names of the processes and threads of the first generation of MindSpore's timelines, which have numbers alone.

Such a file has no metadata: it is recognised by its name, `ascend_timeline_display_0.json`, which its profiler gives.
"""

from __future__ import annotations

import re
from typing import Final

from tilescope.tiler.readers.trace_event.entries import Entries, IdKind

_FILE_NAME: Final = re.compile(r"(?:ascend_)?timeline_display_\d+\.json(?:\.\w+)?")
_COMMUNICATION: Final = 10000
_PROCESSES: Final = {9000: "AI CPU", _COMMUNICATION: "Communication", 11000: "Host CPU", 12000: "Overlap"}
_MOST_DEVICES: Final = 9000  # smaller pids are numbers of devices
_THREADS: Final = {
    7999: "Merged computation",
    8000: "Pure communication",
    8001: "Merged communication",
    8002: "Free",
    100000: "Steps",
    100001: "Scope name",
}


def name_mindspore(entries: Entries, file_name: str) -> None:
    """Gives names to the processes and threads of such a file. Others stay as they are, and so does one with names."""
    if _FILE_NAME.fullmatch(file_name) is None or any(process.names for process in entries.processes):
        return
    with_streams = set()
    for number, process in enumerate(entries.processes):
        pid = _number(process.id_kind, process.pid)
        if pid is None:
            continue
        is_device = 0 <= pid < _MOST_DEVICES
        if is_device or pid == _COMMUNICATION:
            with_streams.add(number)
        name = f"Device {pid}" if is_device else _PROCESSES.get(pid)
        if name is not None:
            process.names.append(name)
    for thread in entries.threads:
        tid = _number(thread.id_kind, thread.tid)
        if tid is None or thread.names:
            continue
        if tid in _THREADS:
            thread.names.append(_THREADS[tid])
        elif thread.process in with_streams:
            thread.names.append(f"Stream {tid}")


def _number(kind: int, text: str) -> int | None:
    """The id, where it is one, also if it was written as a text."""
    is_number = kind == IdKind.INTEGER or (kind == IdKind.TEXT and text.isdecimal())
    return int(text) if is_number and len(text) < 10 else None
