"""Files of a capture on one clock: times of a device's clock begin where the timeline of this device does.

Devices count for themselves, each from 0: that is said, as nothing tells how they lie to each other.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from msgspec import structs

from tilescope.tiler.columns import DeviceClock
from tilescope.tiler.indexing.reading.file_events import TraceFile
from tilescope.tiler.indexing.reading.same_run import (
    TIMELINE_AS_TEXT,
    family,
    judged_samples,
    judged_steps,
    judged_text,
    with_note,
)
from tilescope.tiler.readers.ascend.families import rank_in_name
from tilescope.tiler.readers.ascend.memory_samples import MEMORY_FAMILIES
from tilescope.tiler.readers.ascend.neighbours import Neighbours
from tilescope.tiler.readers.ascend.queue_samples import QUEUE_FAMILY

_SAMPLED: Final = frozenset({*MEMORY_FAMILIES, QUEUE_FAMILY})

# Their time stamps are those of a host that counts from when it started, or of nothing that is known.
_UNCLOCKED: Final = ("device_queue_profiling", "dataset_iterator_profiling", "minddata_cpu_utilization")


def align_device_clocks(files: Sequence[TraceFile | None]) -> list[TraceFile | None]:
    """The files, in which times of a device's clock count from its origin, which the most certain of them says.

    What does not fit the timeline of its device is not drawn beside it.
    """
    origins = _origins(clock for file in files if file and (clock := file.summary.device_clock) is not None)
    aligned = [file if file is None else _aligned(file, origins) for file in files]
    by_path = {file.path: file for file in aligned if file is not None and file.events.events}
    neighbours = Neighbours(by_path)
    aligned = [file if file is None else _judged(file, by_path, neighbours) for file in aligned]
    aligned = _with_note_on_samples(_with_samples_of_its_time(aligned))
    drawn = [place for place, file in enumerate(aligned) if file is not None and _is_by_clock(file, origins)]
    devices = {file.summary.device_clock for place in drawn if (file := aligned[place]) is not None}
    count = len({clock.device for clock in devices if clock is not None})
    if count > 1 and (first := aligned[drawn[0]]) is not None:
        note = f"{count} devices count by clocks of their own: each begins at 0, and they cannot be compared"
        aligned[drawn[0]] = with_note(first, note)
    return aligned


def _judged(file: TraceFile, by_path: Mapping[Path, TraceFile], neighbours: Neighbours) -> TraceFile:
    """The file, as far as it is drawn beside the timeline of its device."""
    path = neighbours.timeline_of(file.path)
    if file.summary.device_clock is None or not file.events.events or path is None or _has_samples(file):
        return file
    return (judged_text if family(file) == TIMELINE_AS_TEXT else judged_steps)(file, by_path[path])


def _with_samples_of_its_time(files: Sequence[TraceFile | None]) -> list[TraceFile | None]:
    """The files; samples are drawn where events of the same device are of their time."""
    events: dict[Hashable, list[TraceFile]] = {}
    for file in files:
        if file is not None and file.events.events and not _has_samples(file):
            events.setdefault(_capture(file), []).append(file)
    return [
        judged_samples(file, events.get(_capture(file), [])) if file is not None and _has_samples(file) else file
        for file in files
    ]


def _with_note_on_samples(files: list[TraceFile | None]) -> list[TraceFile | None]:
    """The files; the first of those whose stamps are of no clock says so for all, where there is a timeline."""
    families = [file and family(file).partition(".")[0] for file in files]
    unclocked = [place for place, name in enumerate(families) if name in _UNCLOCKED]
    if unclocked and any(file is not None and file.events.events for file in files):
        names = sorted({families[place] or "" for place in unclocked})
        note = (
            f"time stamps of {', '.join(names)} are of no clock of the timeline: their rows are tables, and not drawn"
        )
        first = files[unclocked[0]]
        files[unclocked[0]] = first and with_note(first, note)
    return files


def _has_samples(file: TraceFile) -> bool:
    return family(file) in _SAMPLED and bool(file.events.events)


def _capture(file: TraceFile) -> Hashable:
    """A key that files of a capture, or of a device of the first generation, have in common."""
    rank = rank_in_name(file.path)
    if rank is not None:
        return file.path.parent, rank
    places = (file.summary.device_file, *file.summary.tables[:1])
    return next((place.capture for place in places if place is not None and place.capture), file.path.parent)


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
