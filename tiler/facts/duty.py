"""Time that TPU cores are on duty: running operations other than waiting for the host."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from sys import getsizeof
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.device_lines import MODULE_LINES, is_one_of
from tilescope.tiler.facts.busy import Busy
from tilescope.tiler.facts.devices import Kinds, WorkTrack
from tilescope.tiler.facts.operations import TpuCore
from tilescope.tiler.facts.operations.track_records import track_kinds, track_running
from tilescope.tiler.facts.work import Work
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache, RunCache
from tilescope.tiler.records.device.operations import OperationKinds
from tilescope.tiler.records.histogram import busy_of_names
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, WindowsOf, everywhere

Mask = NDArray[np.bool_]

# Categories of operations in which a core waits, or moves data to and from its host.
OFF_DUTY: Final = frozenset(
    {
        "infeed",
        "outfeed",
        "host send",
        "host send-done",
        "host recv",
        "host recv-done",
        "megacore fusion",
    }
)


# Pieces of the time of cores between which whoever asks may stop, some tens of milliseconds; each has many leaves.
_PIECES_AT_ONCE: Final = 8
_RECORDS: Final = 8


_WHOLE: Final = KeyedRunCache[int, int]("duty", "Time on duty of each TPU core", getsizeof)
_IS_WORK: Final = RunCache[Kinds]("duty_names", "Names of operations during which cores are on duty")


def duty_times(reader: QueryReader, cores: Iterable[TpuCore], windows_of: WindowsOf) -> Interruptible[tuple[int, int]]:
    """Ticks that cores are on duty, and from the first module or operation of each to the end of its last one.

    Both in windows, summed over cores. Raises DamagedStore, NotBuilt.
    """
    busy = span = 0
    is_work = _IS_WORK.get(reader)
    if is_work is None:
        is_work = _IS_WORK.keep(reader, (yield from _on_duty(reader)))
    modules = _modules(reader)
    left = _Left()
    all_time: list[tuple[TpuCore, Windows]] = []  # cores that are looked at over all their time
    for core in cores:
        lines = [
            line for track in (*core.operations, *modules.get(core.group, ())) if (line := track_kinds(reader, track))
        ]
        if not lines:
            continue
        start, stop = min(int(line.start[0]) for line in lines), max(int(line.stop.max()) for line in lines)
        windows = windows_of(core.operations[0]).clipped(start, stop)
        span += windows.ticks
        if windows.ticks != stop - start:
            left.add(reader, core, windows, is_work)
        elif (whole := _WHOLE.get(reader, core.group)) is not None:
            busy += whole
        else:
            all_time.append((core, windows))
    duties = yield from _whole_duties(reader, [core for core, _ in all_time], is_work)
    for (core, windows), works in zip(all_time, duties, strict=True):
        if works is None:
            left.add(reader, core, windows, is_work)
        else:
            busy += _WHOLE.keep(reader, core.group, works)
    of_left = yield from left.ticks()
    for core, _ in all_time:
        if core.group in of_left:
            _WHOLE.keep(reader, core.group, of_left[core.group])
    return busy + sum(of_left.values()), span


class _Left:
    """Cores of which nothing that is stored tells how long they are on duty: their events do."""

    def __init__(self) -> None:
        self._groups: list[int] = []
        self._pieces: list[tuple[int, Busy, Windows]] = []  # each with the place of its core

    def add(self, reader: QueryReader, core: TpuCore, windows: Windows, is_work: Kinds) -> None:
        """A core in windows."""
        busy = Busy(reader, [WorkTrack(track, is_work) for track in core.operations])
        self._pieces += [(len(self._groups), busy, part) for part in busy.parts(windows)]
        self._groups.append(core.group)

    def ticks(self) -> Interruptible[dict[int, int]]:
        """Ticks on duty, by process. Raises DamagedStore, NotBuilt."""
        first, second = ([0] * len(self._groups) for _ in range(2))
        yield from for_each(self._pieces, _add_piece, first, second, _PIECES_AT_ONCE, _RECORDS)
        return {group: ticks + aside for group, ticks, aside in zip(self._groups, first, second, strict=True)}


def _add_piece(piece: tuple[int, Busy, Windows], into: list[int]) -> None:
    core, busy, windows = piece
    into[core] += busy.ticks(windows)


@dataclass(frozen=True, slots=True)
class _Stored:
    """Stored sums of all the time of a core: ticks in which it runs anything, and names that are off duty."""

    track: int
    busy_ticks: int
    off: Mask  # by name id, shifted by one


def _whole_duties(reader: QueryReader, cores: Sequence[TpuCore], is_work: Kinds) -> Interruptible[list[int | None]]:
    """Ticks that each core is on duty over all its time, from stored sums; None: these do not tell."""
    stored = [_stored(reader, core, is_work) for core in cores]
    with_off = [duty_sums for duty_sums in stored if duty_sums is not None and duty_sums.off.any()]
    read = yield from for_each(with_off, _off_ticks, reader, reader, _PIECES_AT_ONCE, _RECORDS)
    off = {duty_sums.track: ticks for duty_sums, ticks in zip(with_off, read, strict=True)}
    duties: list[int | None] = []
    for duty_sums in stored:
        if duty_sums is None:
            duties.append(None)
            continue
        ticks = off.get(duty_sums.track, 0)
        if ticks is None:
            ticks = 0
            for part in Reading(reader).histogram_parts([duty_sums.track], everywhere(Windows.single(0, TICK_LIMIT))):
                ticks += int(part.busy[duty_sums.off[np.maximum(part.name, -1) + 1]].sum())
                yield
        duties.append(duty_sums.busy_ticks - ticks)
    return duties


def _off_ticks(duty_sums: _Stored, reader: QueryReader) -> int | None:
    """Ticks that the core is off duty, by a stored histogram; None: there is none that tells."""
    top = reader.top_tile(duty_sums.track)
    record = b"" if top is None else reader.histogram_record(duty_sums.track, *top)
    return None if top is None or not record else busy_of_names(record, duty_sums.off, duty_sums.track, top.level)


def _stored(reader: QueryReader, core: TpuCore, is_work: Kinds) -> _Stored | None:
    if len(core.operations) != 1:
        return None
    track = core.operations[0]
    if reader.outliers is not None and reader.outliers.ordinals(track) is not None:
        return None
    kinds, tables = track_kinds(reader, track), reader.event_metadata(reader.file_of(track))
    running = None if kinds is None else track_running(reader, track, kinds)
    if kinds is None or running is None or tables is None:
        return None
    metadata = OperationKinds.of(kinds.kinds).metadata
    if len(metadata) and not (int(metadata.min()) >= 0 and int(metadata.max()) < len(tables)):
        return None
    names = tables.name[metadata].astype(np.int64)
    off = is_work[names + 1] == Work.NONE
    if not running.alone[off].all():
        return None
    # All of these run alone, so that nothing else of theirs counts.
    are_off = np.zeros(len(is_work), np.bool_)
    are_off[names[off] + 1] = True
    return _Stored(track, running.busy_ticks, are_off)


def _modules(reader: QueryReader) -> dict[int, list[int]]:
    """The lines of modules of each process."""
    track_list = reader.tree.tracks
    modules: dict[int, list[int]] = {}
    for track in reader.tree.leaves(None):
        if is_one_of(track_list[track].name, MODULE_LINES):
            modules.setdefault(track_list[track].group, []).append(track)
    return modules


def _on_duty(reader: QueryReader) -> Interruptible[Kinds]:
    """Work of each name, that of events without a name first. Names that are off duty have no work."""
    return reader.names.numbers(lambda name: Work.NONE if name.category in OFF_DUTY else Work.COMPUTATION)
