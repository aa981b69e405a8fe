"""Steps that somebody has named: slices that no trace marks as steps, found when they are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.errors import UsageError
from tilescope.tiler.lookup.tracks import file_of_tracks
from tilescope.tiler.query import EVERYTHING, Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.records.steps import StepSource, TrackSteps
from tilescope.tiler.step_names import chosen_step
from tilescope.tiler.tools.find.search import FindQuery, Found, Match, Occurrence, find
from tilescope.tiler.windows import everywhere

MAX_CHOSEN: Final = 100_000  # slices: each is looked at by itself


def chosen_steps(reader: QueryReader, tracks: Sequence[int], name: str) -> Interruptible[RunSteps]:
    """The slices of these tracks that are called so, as steps. Raises UsageError when they are too many."""
    query = FindQuery(name, everywhere(EVERYTHING), Match.STEP, tracks, MAX_CHOSEN)
    matches = yield from find(reader, query)
    if matches.has_more:
        count = sum(matches.per_track.values())
        raise UsageError(f"{count:,} slices are called {name!r}, and steps are at most {MAX_CHOSEN:,}: name others")
    of_track: dict[int, list[Occurrence]] = defaultdict(list)
    for event in matches.events:
        of_track[event.track].append(event)
    parts = ((track, _steps(of_track[track], matches, name)) for track in sorted(of_track))
    return RunSteps(reader.tree, reader.names, file_of_tracks(reader.store), parts, label=name)


def _steps(events: Sequence[Occurrence], matches: Found, name: str) -> TrackSteps:
    """In the order of their numbers' names, if these have any; otherwise counted from 0 on.

    One number behind all of them is no step's: runs of a program have its id there, jit_f(123).
    """
    numbers = [chosen_step(matches.names[event.name].text, name) for event in events]
    numbered = [(event, number) for event, number in zip(events, numbers, strict=True) if number not in (None, -1)]
    if len(numbered) > 1 and len({number for _, number in numbered}) == 1:
        numbered = []
    taken = numbered or list(zip(events, range(len(events)), strict=True))
    columns = [[getattr(event, column) for event, _ in taken] for column in ("ordinal", "start", "duration", "name")]
    ordinal, start, duration, names = (np.array(column, np.int64) for column in columns)
    number = np.array([number for _, number in taken], np.int64)
    source = np.full(len(taken), StepSource.NAMED, np.int64)
    return TrackSteps(ordinal, start, duration, names, number, source, np.zeros(len(taken), np.int64))
