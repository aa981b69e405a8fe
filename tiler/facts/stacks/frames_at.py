"""Frames of a thread around given moments, read once for many moments: by rows, and by the pages that have any."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import QueryReader, Reading
from tilescope.tiler.query.events import EventPlan, Events, LeafRun, join, no_events
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

# Rows of a thread that are looked at: frames on rows below are left out.
MOST_ROWS: Final = 10_000

# Frames that are looked at together: five megabytes of columns.
TOGETHER: Final = 1 << 16


def frames_at(reader: QueryReader, track: int, times: Ints, is_frame: Mask) -> Iterator[tuple[Events, slice] | None]:
    """Frames in order, those around some of these times among them, and the places of these times.

    Times ascend; each is in one part. `is_frame`: mask of names, that of events without one first. None where the
    caller may stop. Raises DamagedStore, NotBuilt.
    """
    if not len(times):
        return
    plan = reader.plan(track, Windows.single(int(times[0]), int(times[-1]) + 1))
    open_frames = no_events(track)  # the last of each row: only these can reach into what follows
    parts: list[Events] = []
    done = 0
    for events in Reading(reader).events_and_outliers(plan, runs_with(reader, plan, is_frame)):
        if not len(events):
            continue
        parts.append(events.take(is_frame[events.name + 1] & (events.row < MOST_ROWS)))
        latest = int(events.start.max())
        if sum(map(len, parts)) >= TOGETHER:
            frames = join([open_frames, *parts])
            stop = int(np.searchsorted(times, latest))  # later frames begin at `latest`, or after it
            yield frames, slice(done, stop)
            open_frames = last_of_rows(frames)
            parts, done = [], stop
        yield None
    yield join([open_frames, *parts]), slice(done, len(times))


def runs_with(reader: QueryReader, plan: EventPlan, is_frame: Mask) -> list[LeafRun]:
    """The leaves of a plan on pages where a frame starts, and the first ones of windows, into which some may reach."""
    block = plan.track // TRACKS_PER_BLOCK
    shape, has_frame = reader.tiles(block).shape, reader.pages_with_names(block, is_frame)

    def is_first(run: LeafRun) -> bool:
        begin = shape.index[run.tiles] << (2 * shape.level[run.tiles] + 8)
        return bool((run.after < begin).any())

    return [run for run in plan.leaf_runs if has_frame[run.first_of_page] or is_first(run)]


def last_of_rows(frames: Events) -> Events:
    """The last of each row, in order."""
    _, last = np.unique(frames.row[::-1], return_index=True)
    return frames.take(np.sort(len(frames) - 1 - last))


def by_row(frames: Events) -> Iterator[tuple[int, Events]]:
    """The frames of each row, the outermost first, without those on rows below the last that is looked at."""
    order = np.argsort(frames.row, kind="stable")
    rows, first = np.unique(frames.row[order], return_index=True)
    stops = np.append(first[1:], len(order))
    count = int(np.searchsorted(rows, MOST_ROWS))
    for row, begin, stop in zip(rows[:count].tolist(), first[:count].tolist(), stops[:count].tolist(), strict=True):
        yield row, frames.take(order[begin:stop])
