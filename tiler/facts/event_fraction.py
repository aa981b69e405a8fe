"""Share of the time of steps in operations whose names contain a word: barriers, prints for debugging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.instruction_stats import BARRIER
from tilescope.tiler.facts.operations import TpuCore
from tilescope.tiler.facts.operations.track_records import OperationRecords, track_kinds
from tilescope.tiler.facts.operations.xla_instructions import instruction_places
from tilescope.tiler.facts.step_times import StepTimes
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

# What a barrier takes at which nobody waits, ps.
_NO_WAIT: Final = (0, 1250)

# One of two steps that is shorter than this part of the other is a piece of one.
_PIECE: Final = 100


@dataclass(frozen=True, slots=True)
class EventFraction:
    """`share` of the steps of a core; the longest such operation and where it is."""

    core: TpuCore
    share: float
    longest: int = 0  # ps
    start: int = 0  # ticks
    stop: int = 0
    track: int = -1


def event_fractions(
    reader: QueryReader, cores: Sequence[TpuCore], times: Sequence[StepTimes], word: str
) -> Interruptible[list[EventFraction]]:
    """Mean share of steps, for each core that has steps. Raises DamagedStore, NotBuilt."""
    of_group = {core_times.group: core_times for core_times in times}
    saying = yield from _saying(reader, [core for core in cores if core.group in of_group], word)
    fractions = []
    for core in cores:
        steps = of_group.get(core.group)
        if steps is None or not len(steps):
            continue
        kept = _kept(steps.duration)
        sums, best = np.zeros(len(steps), np.int64), EventFraction(core, 0.0)
        for track in core.operations:
            for occurrence in (yield from _occurrences(reader, track, saying[track], steps, word)):
                step, duration, start, stop = occurrence
                sums[step] += duration
                if duration > best.longest:
                    best = EventFraction(core, 0.0, duration, start, stop, track)
        shares = sums[kept] / np.maximum(steps.duration[kept], 1)
        share = float(shares.mean()) if len(shares) else 0.0
        fractions.append(EventFraction(core, share, best.longest, best.start, best.stop, best.track))
    return fractions


def _kept(duration: Ints) -> NDArray[np.bool_]:
    """The steps that count: of three and more not the first and the last, which a capture may cut."""
    kept = np.ones(len(duration), np.bool_)
    if len(duration) >= 3:
        kept[[0, -1]] = False
    elif len(duration) == 2:
        short, long = np.argsort(duration, kind="stable").tolist()
        kept[short] = int(duration[short]) * _PIECE >= int(duration[long])
    return kept


def _saying(reader: QueryReader, cores: Sequence[TpuCore], word: str) -> Interruptible[dict[int, Mask]]:
    """Mask of kinds, by line of operations, that have the word in their names or expressions."""
    run_instructions = instruction_places(reader)
    places: dict[int, Ints] = {}
    for track in (track for core in cores for track in core.operations):
        kinds = track_kinds(reader, track)
        of_track = None if kinds is None else (yield from run_instructions.places(track, kinds))
        places[track] = np.zeros(0, np.int64) if of_track is None else of_track
    has_word = run_instructions.are_saying(word)
    return {track: has_word[of_track] for track, of_track in places.items()}


def _occurrences(
    reader: QueryReader, track: int, wanted: Mask, steps: StepTimes, word: str
) -> Interruptible[list[tuple[int, int, int, int]]]:
    """Rows of such operations that start in a step: the step, the duration (ps), the first and last tick."""
    kinds = track_kinds(reader, track)
    if kinds is None or not wanted.any():
        return []
    records = OperationRecords(reader, track, kinds)
    windows = Windows.from_spans(steps.start, steps.stop)
    order = np.argsort(steps.start, kind="stable")
    starts = steps.start[order]
    occurrences = []
    for number in range(kinds.records):
        if records.meets(number, windows):
            operations = records.operations(number)
            rows = np.flatnonzero(wanted[operations.kind])
            if word == BARRIER:
                rows = rows[~np.isin(operations.duration[rows], _NO_WAIT)]
            if len(rows):
                events = records.events(number, len(operations))
                for row in rows.tolist():
                    start = int(events.start[row])
                    step = int(np.searchsorted(starts, start, side="right")) - 1
                    if step >= 0 and start < int(steps.stop[order[step]]):
                        end = start + int(events.duration[row])
                        occurrences.append((int(order[step]), int(operations.duration[row]), start, end))
        yield
    return occurrences
