"""Steps that somebody has named: slices that no trace marks as steps, found when they are asked for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.device_lines import MODULE_LINES, is_one_of
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
    parts = (
        (track, _steps(of_track[track], matches, name, has_ids=is_one_of(reader.tree.tracks[track].name, MODULE_LINES)))
        for track in sorted(of_track)
    )
    return RunSteps(reader.tree, reader.names, file_of_tracks(reader.store), parts, label=name)


def _steps(events: Sequence[Occurrence], matches: Found, name: str, *, has_ids: bool) -> TrackSteps:
    """In the order of their numbers' names, if these have any; otherwise counted from 0 on.

    `has_ids`: numbers behind names are those of programs, jit_f(123), as lines of modules have them.
    """
    numbers = [-1 if has_ids else chosen_step(matches.names[event.name].text, name) for event in events]
    numbered = [(event, number) for event, number in zip(events, numbers, strict=True) if number not in (None, -1)]
    taken = numbered or list(zip(events, range(len(events)), strict=True))
    columns = [[getattr(event, column) for event, _ in taken] for column in ("ordinal", "start", "duration", "name")]
    ordinal, start, duration, names = (np.array(column, np.int64) for column in columns)
    number = np.array([number for _, number in taken], np.int64)
    source = np.full(len(taken), StepSource.NAMED, np.int64)
    return TrackSteps(ordinal, start, duration, names, number, source, np.zeros(len(taken), np.int64))
