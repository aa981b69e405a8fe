"""The threads of a host: that which hands its devices work, and when each is in functions of a kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import is_device_process
from tilescope.tiler.facts import NOTHING, Busy, WorkTrack
from tilescope.tiler.facts.ascend_tracks import rows_beside_devices
from tilescope.tiler.facts.findings.host_kinds import HostKind, host_kinds
from tilescope.tiler.facts.findings.host_time import open_slices
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache, RunCache
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.query.tracks import SLICE_KINDS
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, everywhere

Ints = NDArray[np.int64]
Kinds = NDArray[np.uint8]

# Kinds that somebody asks for the times of. Pauses are asked for with compilations.
_TIMED: Final = (
    *(HostKind.SYNC, HostKind.PAUSE, HostKind.COMPILATION, HostKind.COLLECTIVE),
    *(HostKind.INPUT, HostKind.ENQUEUE, HostKind.LAUNCH),
)
_TOGETHER: Final = (HostKind.PAUSE, HostKind.COMPILATION)


@dataclass(frozen=True, slots=True)
class HostThreads:
    """Threads of a host by track. `main` marks the steps, or else launches most; None: unknown.

    `kinds`: of each name, that without one first. `times`: of kinds of functions, by thread.
    """

    tracks: tuple[int, ...]
    main: int | None
    kinds: Kinds
    times: Mapping[HostKind, Mapping[int, Windows]]

    def any_time(self, kind: HostKind) -> Windows:
        """The time in which any thread is in a function of a kind; of pauses and compilation together under both."""
        return NOTHING.joined(*self.times[kind].values())


@dataclass(frozen=True, slots=True)
class _NamedThreads:
    """Threads of a host, the same in any span. `marking` is the one that marks the steps; None: none does."""

    tracks: tuple[int, ...]
    marking: int | None
    kinds: Kinds


# By file, and tracks of devices.
_NAMED: Final = KeyedRunCache[tuple[int, frozenset[int]], _NamedThreads]("host_threads", "Threads of hosts")


def host_threads_of(
    reader: QueryReader, steps: RunSteps, file: int, devices: frozenset[int], span: Windows
) -> Interruptible[HostThreads]:
    """Threads in a file that are on no device. `devices`: tracks of these; `span`: where times are looked at.

    Raises DamagedStore, NotBuilt.
    """
    is_kept = steps is reader.steps
    named = _NAMED.get(reader, (file, devices)) if is_kept else None
    if named is None:
        named = yield from _named_threads(reader, steps, file, devices)
        if is_kept:
            _NAMED.keep(reader, (file, devices), named)
    times = yield from _times(reader, named.tracks, named.kinds, span)
    main = named.marking
    if main is None:
        launches = times[HostKind.LAUNCH]
        main = max(launches, key=lambda track: (launches[track].ticks, -track), default=None)
    return HostThreads(named.tracks, main, named.kinds, times)


def _named_threads(
    reader: QueryReader, steps: RunSteps, file: int, devices: frozenset[int]
) -> Interruptible[_NamedThreads]:
    tracks = _threads(reader, file, devices)
    are_theirs = yield from _names_of(reader, tracks)
    kinds = yield from (
        _all_kinds(reader) if are_theirs is None else reader.names.page_numbers(host_kinds, ~are_theirs)
    )
    threads = frozenset(tracks)
    markers = [
        (series.total_ticks, -track)
        for series in steps.series
        if not series.is_line
        for track in series.tracks
        if track in threads
    ]
    if not markers:
        return _NamedThreads(tracks, None, kinds)
    marking = -max(markers)[1]
    around = _around_steps(reader, steps, marking)
    if len(around):
        kinds = kinds.copy()
        kinds[around + 1] = HostKind.NONE
    return _NamedThreads(tracks, marking, kinds)


_ALL_KINDS: Final = RunCache[Kinds]("host_kinds", "Kinds of names on threads of hosts")


def _all_kinds(reader: QueryReader) -> Interruptible[Kinds]:
    kinds = _ALL_KINDS.get(reader)
    return kinds if kinds is not None else _ALL_KINDS.keep(reader, (yield from reader.names.page_numbers(host_kinds)))


def _threads(reader: QueryReader, file: int, devices: frozenset[int]) -> tuple[int, ...]:
    groups, beside = reader.tree.groups, rows_beside_devices(reader)
    return tuple(
        track.id
        for track in reader.tree.tracks
        if track.kind in SLICE_KINDS
        and track.events != 0
        and reader.file_of(track.id) == file
        and track.id not in devices
        and track.id not in beside
        and not is_device_process(groups[track.group].name, groups[track.group].detail)
    )


def _around_steps(reader: QueryReader, steps: RunSteps, track: int) -> Ints:
    """Names, by id, of slices of a thread in which several steps begin: they are the program, whatever it is called."""
    starts = [
        series.rows.start[series.rows.track == track]
        for series in steps.series
        if not series.is_line and track in series.tracks
    ]
    begins = np.unique(np.concatenate(starts))
    around: list[Ints] = [np.zeros(0, np.int64)]
    for place in sorted({0, (len(begins) - 1) // 2, len(begins) - 2}):
        if 0 <= place < len(begins) - 1:
            first, next_step = (open_slices(reader, track, tick) for tick in begins[place : place + 2].tolist())
            around.append(first.name[np.isin(first.ordinal, next_step.ordinal)])
    names: Ints = np.unique(np.concatenate(around))
    return names


def _names_of(reader: QueryReader, tracks: Sequence[int]) -> Interruptible[NDArray[np.bool_] | None]:
    """Mask of the names of some threads, that without one first; None where histograms do not tell all of them."""
    are_theirs = np.zeros(reader.names.count + 1, np.bool_)
    for histogram in Reading(reader).histogram_parts(tracks, everywhere(Windows.single(0, TICK_LIMIT))):
        if histogram.has_other_names:
            return None
        are_theirs[histogram.name + 1] = True
        yield
    return are_theirs


def _times(
    reader: QueryReader, tracks: Sequence[int], kinds: Kinds, span: Windows
) -> Interruptible[dict[HostKind, dict[int, Windows]]]:
    times: dict[HostKind, dict[int, Windows]] = {kind: {} for kind in HostKind}
    sorts = np.where(np.isin(kinds, _TIMED), kinds, np.uint8(HostKind.NONE))
    for track in tracks if sorts.any() else ():
        histogram = reader.whole_histogram(track)
        if histogram is not None and not histogram.has_other_names and not sorts[histogram.name + 1].any():
            continue
        parts: dict[HostKind, list[Windows]] = {kind: [] for kind in _TIMED}
        for piece in Busy(reader, [WorkTrack(track, sorts)]).kind_pieces(span):
            if piece is not None:
                _, (spans,) = piece
                for kind, pieces in parts.items():
                    pieces.append(spans[kind])
            yield
        for kind, pieces in parts.items():
            windows = Windows.adjoined(pieces)
            if len(windows):
                times[kind][track] = windows
        together = NOTHING.joined(*(times[kind].get(track, NOTHING) for kind in _TOGETHER))
        if len(together):
            times[HostKind.PAUSE][track] = times[HostKind.COMPILATION][track] = together
    return times
