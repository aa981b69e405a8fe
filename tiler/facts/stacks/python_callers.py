"""Callers of frames of Python, by the ids that PyTorch gives frames: on other threads, and where times do not say it.

A frame has a `Python id`, and as `Python parent id` that of the frame that called it. An id is one of a process.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.ancestors import ancestors
from tilescope.tiler.details.values import ValueKind, Values
from tilescope.tiler.facts.stacks.frame_kinds import PYTHON_FRAMES, frame_names, frame_threads
from tilescope.tiler.facts.stacks.frames_at import runs_with
from tilescope.tiler.query import EVERYTHING, ArgumentReader, Interruptible, QueryReader, Reading
from tilescope.tiler.query.run_caches import KeyedRunCache

Ints = NDArray[np.int64]

ID: Final = "Python id"
PARENT_ID: Final = "Python parent id"

# Frames of a process, of 32 bytes each; four times as much while they are read.
MOST_FRAMES: Final = 2_000_000
# Callers that are listed: recursion may be deeper.
MOST_CALLERS: Final = 1000

_NO_CALLER: Final = -1
_NOT_RECORDED: Final = -2


class ChainEnd(Enum):
    """Ways in which callers end."""

    TOP = "top"  # or more callers than are listed
    NOT_RECORDED = "not recorded"
    CIRCLE = "circle"


class Callers(NamedTuple):
    """Callers of a frame, the nearest first, as track and ordinal; how many more there are, and how they end."""

    listed: list[tuple[int, int]]
    more: int
    end: ChainEnd


@dataclass(frozen=True, slots=True)
class PythonFrames:
    """Frames of a process by track and ordinal. Columns of shape (n,)."""

    track: Ints
    ordinal: Ints
    caller: Ints  # row, _NO_CALLER, or _NOT_RECORDED: the parent id is that of no frame
    depth: Ints  # callers up to the top; n or more: they call each other in a circle
    doubled: int  # frames with the id of another: the first of each is the caller
    are_too_many: bool = False  # none are here

    def __len__(self) -> int:
        return len(self.track)

    def callers(self, track: int, ordinal: int) -> Callers:
        """The callers of a frame; none of what is no frame."""
        first, stop = np.searchsorted(self.track, [track, track + 1])
        row = int(first + np.searchsorted(self.ordinal[first:stop], ordinal))
        if row == stop or self.ordinal[row] != ordinal:
            return Callers([], 0, ChainEnd.TOP)
        listed: list[tuple[int, int]] = []
        seen = {row}
        caller = int(self.caller[row])
        while caller >= 0 and caller not in seen and len(listed) < MOST_CALLERS:
            listed.append((int(self.track[caller]), int(self.ordinal[caller])))
            seen.add(caller)
            caller = int(self.caller[caller])
        if self.depth[row] >= len(self):
            return Callers(listed, 0, ChainEnd.CIRCLE)
        end = ChainEnd.NOT_RECORDED if caller == _NOT_RECORDED else ChainEnd.TOP
        return Callers(listed, int(self.depth[row]) - len(listed), end)


_NONE: Final = np.zeros(0, np.int64)
_TOO_MANY: Final = PythonFrames(_NONE, _NONE, _NONE, _NONE, 0, are_too_many=True)
_FRAMES: Final = KeyedRunCache[int, PythonFrames](
    "python_frames", "Frames of Python by id, by process", lambda frames: 32 * len(frames)
)


def has_caller(reader: QueryReader, track: int, ordinal: int) -> bool:
    """True for a frame with the id of a caller. Raises DamagedStore."""
    parts = ArgumentReader(reader.store).values(track, np.array([ordinal], np.int64), [PARENT_ID])
    return any(bool((part.values[0].kind == ValueKind.INTEGER).any()) for part in parts)


def python_frames(reader: QueryReader, process: int) -> Interruptible[PythonFrames]:
    """The frames of a process, which is a group of the track tree. Raises DamagedStore, NotBuilt."""
    frames = _FRAMES.get(reader, process)
    if frames is None:
        frames = yield from _read(reader, process)
        frames = _FRAMES.keep(reader, process, frames)
    return frames


def _read(reader: QueryReader, process: int) -> Interruptible[PythonFrames]:
    is_frame = yield from frame_names(reader, PYTHON_FRAMES)
    threads = yield from frame_threads(reader, PYTHON_FRAMES)
    arguments = ArgumentReader(reader.store)
    parts = [np.zeros((6, 0), np.int64)]
    count = 0
    for track in threads:
        if reader.tree.tracks[track].group != process:
            continue
        plan = reader.plan(track, EVERYTHING)
        for events in Reading(reader).events_and_outliers(plan, runs_with(reader, plan, is_frame)):
            ordinals = np.sort(events.ordinal[is_frame[events.name + 1]])
            count += len(ordinals)
            if count > MOST_FRAMES:
                return _TOO_MANY
            for part in arguments.values(track, ordinals, [ID, PARENT_ID]):
                own = ordinals[part.which]
                ids, parents = part.values
                parts.append(np.stack([np.full(len(own), track), own, *_integers(ids), *_integers(parents)]))
            yield
    return (yield from linked(np.concatenate(parts, axis=1)))


def _integers(values: Values) -> tuple[Ints, Ints]:
    """Numbers, and 1 where there is one."""
    return values.bits, (values.kind == ValueKind.INTEGER).astype(np.int64)


def linked(columns: Ints) -> Interruptible[PythonFrames]:
    """Frames of track, ordinal, id and parent id, the last two with whether they are there: columns of shape (6, n)."""
    columns = columns[:, np.lexsort((columns[1], columns[0]))]
    track, ordinal, own, has_id, parent, has_parent = columns
    rows = np.flatnonzero(has_id)
    ids, first = np.unique(own[rows], return_index=True)  # the first of equal ones
    yield
    caller = np.full(len(track), _NO_CALLER)
    called = np.flatnonzero(has_parent)
    place = np.searchsorted(ids, parent[called])
    is_there = place < len(ids)
    is_there[is_there] = ids[place[is_there]] == parent[called[is_there]]
    caller[called] = _NOT_RECORDED
    caller[called[is_there]] = rows[first[place[is_there]]]
    yield
    depth = (caller >= 0).astype(np.int64)
    for below, above in ancestors(caller):
        depth[below] += depth[above]
        yield
    return PythonFrames(track, ordinal, caller, depth, len(rows) - len(ids))
