"""Files that count by the clock of a device: their times begin where the timeline of this device does.

Devices count for themselves, each from 0: that is said, as nothing tells how they lie to each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from msgspec import structs

from tilescope.tiler.columns import DeviceClock
from tilescope.tiler.indexing.reading.file_events import TraceFile
from tilescope.tiler.readers.ascend.neighbours import has_timeline


def align_device_clocks(files: Sequence[TraceFile | None]) -> list[TraceFile | None]:
    """The files, in which times of a device's clock count from its origin, which the most certain of them says."""
    origins = _origins(clock for file in files if file and (clock := file.summary.device_clock) is not None)
    aligned = [file if file is None else _aligned(file, origins) for file in files]
    aligned = [file if file is None else _judged(file, aligned) for file in aligned]
    moved = [place for place, file in enumerate(aligned) if file is not files[place]]
    devices = {file.summary.device_clock for place in moved if (file := aligned[place]) is not None}
    count = len({clock.device for clock in devices if clock is not None})
    if count > 1 and (first := aligned[moved[0]]) is not None:
        note = f"{count} devices count by clocks of their own: each begins at 0, and they cannot be compared"
        summary = replace(first.summary, warnings=[*first.summary.warnings, note])
        aligned[moved[0]] = structs.replace(first, summary=summary)
    return aligned


def _judged(file: TraceFile, files: Sequence[TraceFile | None]) -> TraceFile:
    """The file, with a warning where it has no time in common with the timeline of its device."""
    if file.summary.device_clock is None or not file.events.events:
        return file
    for other in files:
        if other is not None and other.events.events and has_timeline(file.path, [other.path]):
            (first, last), (begin, end) = _span(file), _span(other)
            if last < begin or end < first:
                note = f"it has no time in common with {other.path.name}: it is of another run, or the counter is"
                return structs.replace(file, summary=replace(file.summary, warnings=[*file.summary.warnings, note]))
    return file


def _span(file: TraceFile) -> tuple[int, int]:
    span, base_ns = file.events.span, file.summary.base_time_ns
    return (span.first_ns or 0) + base_ns, span.last_ns + base_ns


def _origins(clocks: Iterable[DeviceClock]) -> dict[str, int]:
    """The origin of each device that has one."""
    by_certainty = sorted(clocks, key=lambda clock: clock.certainty)
    return {clock.device: clock.origin_ns for clock in by_certainty if clock.origin_ns is not None}


def _aligned(file: TraceFile, origins: dict[str, int]) -> TraceFile:
    clock = file.summary.device_clock
    if clock is None or not file.events.events or clock.device not in origins:
        return file
    return structs.replace(file, summary=replace(file.summary, base_time_ns=-origins[clock.device]))
