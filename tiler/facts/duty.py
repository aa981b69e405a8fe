"""How much of the time TPU cores are on duty: running operations other than waiting for the host."""

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
from tilescope.tiler.query import QueryReader, Reading, Steps
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


def duty_times(reader: QueryReader, cores: Iterable[TpuCore], windows_of: WindowsOf) -> Steps[tuple[int, int]]:
    """How long cores are on duty, and from the first module or operation of each to the end of its last one, in ticks.

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
        start, stop = min(int(of.start[0]) for of in lines), max(int(of.stop.max()) for of in lines)
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

    def ticks(self) -> Steps[dict[int, int]]:
        """On duty, by process. Raises DamagedStore, NotBuilt."""
        first, second = ([0] * len(self._groups) for _ in range(2))
        yield from for_each(self._pieces, _add_piece, first, second, _PIECES_AT_ONCE, _RECORDS)
        return {group: of + aside for group, of, aside in zip(self._groups, first, second, strict=True)}


def _add_piece(piece: tuple[int, Busy, Windows], into: list[int]) -> None:
    core, busy, windows = piece
    into[core] += busy.ticks(windows)


@dataclass(frozen=True, slots=True)
class _Stored:
    """What is stored of all the time of a core: when it runs anything, and which names it is then not on duty."""

    track: int
    busy_ticks: int
    off: Mask  # by name id, shifted by one


def _whole_duties(reader: QueryReader, cores: Sequence[TpuCore], is_work: Kinds) -> Steps[list[int | None]]:
    """How long each core is on duty over all its time, from sums that are stored; None: these do not tell."""
    stored = [_stored(reader, core, is_work) for core in cores]
    with_off = [of for of in stored if of is not None and of.off.any()]
    read = yield from for_each(with_off, _off_ticks, reader, reader, _PIECES_AT_ONCE, _RECORDS)
    off = {of.track: ticks for of, ticks in zip(with_off, read, strict=True)}
    found: list[int | None] = []
    for of in stored:
        if of is None:
            found.append(None)
            continue
        ticks = off.get(of.track, 0)
        if ticks is None:
            ticks = 0
            for part in Reading(reader).histogram_parts([of.track], everywhere(Windows.single(0, TICK_LIMIT))):
                ticks += int(part.busy[of.off[np.maximum(part.name, -1) + 1]].sum())
                yield
        found.append(of.busy_ticks - ticks)
    return found


def _off_ticks(of: _Stored, reader: QueryReader) -> int | None:
    """How long the core is off duty, by a histogram that is stored; None: there is none that tells."""
    top = reader.top_tile(of.track)
    record = b"" if top is None else reader.histogram_record(of.track, *top)
    return None if top is None or not record else busy_of_names(record, of.off, of.track, top.level)


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
    told = reader.tree.tracks
    found: dict[int, list[int]] = {}
    for track in reader.tree.leaves(None):
        if is_one_of(str(told[track]["name"]), MODULE_LINES):
            found.setdefault(int(told[track]["group"]), []).append(track)
    return found


def _on_duty(reader: QueryReader) -> Steps[Kinds]:
    """Of each name, that of events without one first, whether it is work."""
    return reader.names.numbers(lambda name: Work.NONE if name.category in OFF_DUTY else Work.COMPUTATION)
