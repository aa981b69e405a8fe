"""How much of the time TPU cores are on duty: running operations other than waiting for the host."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np

from tilescope.tiler.device_lines import MODULE_LINES, is_one_of
from tilescope.tiler.facts.busy import Busy
from tilescope.tiler.facts.devices import Kinds, WorkTrack, name_categories
from tilescope.tiler.facts.operations import TpuCore
from tilescope.tiler.facts.operations.records import track_kinds, track_running
from tilescope.tiler.facts.work import Work
from tilescope.tiler.pages.operations import OperationKinds
from tilescope.tiler.query import QueryReader, Reading, Steps
from tilescope.tiler.store.two_threads import for_each
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, WindowsOf, everywhere

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


@dataclass(slots=True)
class _Known:
    """Of a run: ticks on duty by process, over all its time, and what is work by name, of each file."""

    whole: dict[int, int] = field(default_factory=dict)
    kinds: dict[int, Kinds] = field(default_factory=dict)


_KNOWN: WeakKeyDictionary[QueryReader, _Known] = WeakKeyDictionary()


def duty_times(reader: QueryReader, cores: Iterable[TpuCore], windows_of: WindowsOf) -> Steps[tuple[int, int]]:
    """How long cores are on duty, and from the first module or operation of each to the end of its last one, in ticks.

    Both in windows, summed over cores. Raises DamagedStore, NotBuilt.
    """
    busy = span = 0
    known = _Known() if reader.store.is_growing else _KNOWN.setdefault(reader, _Known())
    whole, kinds_of_file = known.whole, known.kinds
    modules = _modules(reader)
    left = _Left()
    for core in cores:
        file = reader.store.file_of(core.operations[0])
        if file not in kinds_of_file:
            kinds_of_file[file] = yield from _on_duty(reader, file)
        lines = [
            line for track in (*core.operations, *modules.get(core.group, ())) if (line := track_kinds(reader, track))
        ]
        if not lines:
            continue
        start, stop = min(int(of.start[0]) for of in lines), max(int(of.stop.max()) for of in lines)
        windows = windows_of(core.operations[0]).clipped(start, stop)
        span += windows.ticks
        is_whole = windows.ticks == stop - start
        if is_whole and core.group in whole:
            busy += whole[core.group]
            continue
        works = (yield from _whole_duty(reader, core, kinds_of_file[file])) if is_whole else None
        if works is not None:
            busy += works
            whole[core.group] = works
            continue
        left.add(core, Busy(reader, [WorkTrack(track, kinds_of_file[file]) for track in core.operations]), windows)
        if is_whole:
            left.whole.append(core)
    of_left = yield from left.ticks()
    whole.update((core.group, of_left[core.group]) for core in left.whole)
    return busy + sum(of_left.values()), span


class _Left:
    """Cores of which nothing that is stored tells how long they are on duty: their events do."""

    def __init__(self) -> None:
        self.whole: list[TpuCore] = []  # those that are looked at over all their time
        self._groups: list[int] = []
        self._pieces: list[tuple[int, Busy, Windows]] = []  # each with the place of its core

    def add(self, core: TpuCore, busy: Busy, windows: Windows) -> None:
        """A core in windows."""
        self._pieces += [(len(self._groups), busy, part) for part in busy.parts(windows)]
        self._groups.append(core.group)

    def ticks(self) -> Steps[dict[int, int]]:
        """On duty, by process. Raises DamagedStore, NotBuilt."""
        first, second = ([0] * len(self._groups) for _ in range(2))
        yield from for_each(self._pieces, _add_piece, first, second, _PIECES_AT_ONCE, _RECORDS)
        return {group: of + aside for group, of, aside in zip(self._groups, first, second, strict=True)}


def _add_piece(piece: tuple[int, Busy, Windows], into: list[int]) -> None:
    core, busy, windows = piece
    for found in busy.pieces(windows):
        if found is not None:
            into[core] += found.of[0].any.joined(*(other.any for other in found.of[1:])).ticks


def _whole_duty(reader: QueryReader, core: TpuCore, is_work: Kinds) -> Steps[int | None]:
    """How long a core is on duty over all its time, from sums that are stored; None: these do not tell."""
    if len(core.operations) != 1:
        return None
    track = core.operations[0]
    kinds, tables = track_kinds(reader, track), reader.store.event_metadata(reader.store.file_of(track))
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
    # All of these run alone, so that nothing else of theirs counts; but what is called as they are may be another kind.
    of_names = np.unique(names[off])
    if np.isin(names[~off], of_names).any() or (len(of_names) and of_names[0] < 0):
        return None
    duty = running.busy_ticks
    if not len(of_names):
        return duty
    whole = reader.whole_histogram(track)
    if whole is None or whole.has_other_names:
        parts = Reading(reader).histogram_parts([track], everywhere(Windows.one(0, TICK_LIMIT)))
    else:
        parts = iter([whole])
    for part in parts:
        duty -= int(part.busy[np.isin(part.name, of_names)].sum())
        yield
    return duty


def _modules(reader: QueryReader) -> dict[int, list[int]]:
    """The lines of modules of each process."""
    told = reader.tree.tracks
    found: dict[int, list[int]] = {}
    for track in reader.tree.leaves(None):
        if is_one_of(str(told[track]["name"]), MODULE_LINES):
            found.setdefault(int(told[track]["group"]), []).append(track)
    return found


def _on_duty(reader: QueryReader, file: int) -> Steps[Kinds]:
    """Of each name, that of events without one first, whether it is work: unless all that are called so are not."""
    kinds = np.full(reader.names.count + 1, Work.COMPUTATION, np.uint8)
    metadata = reader.store.event_metadata(file)
    if metadata is not None:
        categories = yield from name_categories(reader, file, metadata)
        is_off = [int(category in OFF_DUTY) for category in categories.texts]
        lowest, _ = categories.bounds(is_off, reader.names.count)
        kinds[lowest == 1] = Work.NONE
    return kinds
