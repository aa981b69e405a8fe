"""Files that count by the clock of a device: their times begin where the timeline of this device does.

Devices count for themselves, each from 0: that is said, as nothing tells how they lie to each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from tilescope.tiler.columns import DeviceClock
from tilescope.tiler.indexing.reading.file_events import TraceFile
from tilescope.tiler.indexing.reading.same_run import TIMELINE_AS_TEXT, family, judged_steps, judged_text
from tilescope.tiler.readers.ascend.neighbours import Neighbours


def align_device_clocks(files: Sequence[TraceFile | None]) -> list[TraceFile | None]:
    """The files, in which times of a device's clock count from its origin, which the most certain of them says.

    What does not fit the timeline of its device is not drawn beside it.
    """
    origins = _origins(clock for file in files if file and (clock := file.summary.device_clock) is not None)
    aligned = [file if file is None else _aligned(file, origins) for file in files]
    by_path = {file.path: file for file in aligned if file is not None and file.events.events}
    neighbours = Neighbours(by_path)
    aligned = [file if file is None else _judged(file, by_path, neighbours) for file in aligned]
    drawn = [place for place, file in enumerate(aligned) if file is not None and _is_by_clock(file, origins)]
    devices = {file.summary.device_clock for place in drawn if (file := aligned[place]) is not None}
    count = len({clock.device for clock in devices if clock is not None})
    if count > 1 and (first := aligned[drawn[0]]) is not None:
        note = f"{count} devices count by clocks of their own: each begins at 0, and they cannot be compared"
        summary = replace(first.summary, warnings=[*first.summary.warnings, note])
        aligned[drawn[0]] = structs.replace(first, summary=summary)
    return aligned


def _judged(file: TraceFile, by_path: Mapping[Path, TraceFile], neighbours: Neighbours) -> TraceFile:
    """The file, as far as it is drawn beside the timeline of its device."""
    path = neighbours.timeline_of(file.path)
    if file.summary.device_clock is None or not file.events.events or path is None:
        return file
    return (judged_text if family(file) == TIMELINE_AS_TEXT else judged_steps)(file, by_path[path])


def _origins(clocks: Iterable[DeviceClock]) -> dict[str, int]:
    """The origin of each device that has one."""
    by_certainty = sorted(clocks, key=lambda clock: clock.certainty)
    return {clock.device: clock.origin_ns for clock in by_certainty if clock.origin_ns is not None}


def _aligned(file: TraceFile, origins: dict[str, int]) -> TraceFile:
    clock = file.summary.device_clock
    if clock is None or not _is_by_clock(file, origins):
        return file
    return structs.replace(file, summary=replace(file.summary, base_time_ns=-origins[clock.device]))


def _is_by_clock(file: TraceFile, origins: Mapping[str, int]) -> bool:
    """True for a file with events that count by a clock whose origin is there."""
    clock = file.summary.device_clock
    return clock is not None and bool(file.events.events) and clock.device in origins
