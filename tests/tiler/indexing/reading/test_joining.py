"""Pieces that are joined natively: what joining them one by one in numpy gives."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.tiler.indexing.event_chunks import chunk
from tilescope.tiler import _native
from tilescope.tiler.columns import EventChunk
from tilescope.tiler.indexing.reading.joining import ChunkInPieces, ChunkPiece, TrackPieces, join_pieces
from tilescope.tiler.indexing.reading.timed import FileAxis, TimedEvents, timed_events
from tilescope.tiler.indexing.reading.timeline import Timeline
from tilescope.tiler.indexing.scratch import Scratch

NAMES = np.append(np.arange(100, 103, dtype=np.int32), np.int32(-1))


def random_chunk(rng: random.Random) -> EventChunk:
    n = rng.randrange(1, 40)
    optional: dict[str, Any] = {
        "time_ps": [rng.randrange(1000) for _ in range(n)],
        "duration_ps": [rng.randrange(1000) for _ in range(n)],
        "key": [rng.randrange(-1, 1 << 40) for _ in range(n)],
        "value": [rng.choice([1.5, -3.0, float("inf")]) for _ in range(n)],
    }
    made = chunk(
        [rng.randrange(1000, 1 << 40) for _ in range(n)],
        duration_ns=[rng.randrange(1 << 30) for _ in range(n)],
        name=[rng.randrange(-1, 3) for _ in range(n)],
        args=[bytes(rng.randrange(9)) for _ in range(n)],
        **{name: column for name, column in optional.items() if rng.random() < 0.5},
    )
    return replace(made, flags=np.array([rng.randrange(128) for _ in range(n)], np.uint8))


def assert_same(one: TimedEvents, other: TimedEvents) -> None:
    for name in ("phase", "start", "duration", "name", "key", "value", "flags", "args_end", "args"):
        mine, theirs = getattr(one, name), getattr(other, name)
        assert (mine is None) == (theirs is None), name
        if mine is not None:
            assert mine.dtype == theirs.dtype
            assert np.array_equal(mine, theirs, equal_nan=name == "value"), name


@pytest.mark.parametrize(
    "timeline", [Timeline(500, 1, 1, False), Timeline(500, 1000, 1, False), Timeline(7, 1000, 1, True)]
)
@pytest.mark.parametrize("seed", range(8))
def test_pieces_are_joined_as_one_by_one(timeline: Timeline, seed: int) -> None:
    rng = random.Random(seed)
    axis = FileAxis(timeline, rng.randrange(-(1 << 62), 1 << 62), NAMES)
    pieces = []
    for _ in range(rng.choice([1, 3, 200])):
        of = random_chunk(rng)
        start = rng.randrange(len(of))
        pieces.append(ChunkPiece(ChunkInPieces.from_chunk(of), start, rng.randrange(start, len(of)) + 1))
    rows = sum(piece.stop - piece.start for piece in pieces)
    expected = timed_events([piece.events(0) for piece in pieces], rows, axis, Scratch())
    used: list[int] = []
    starts, stops = (np.array([getattr(piece, name) for piece in pieces]) for name in ("start", "stop"))
    chunks = [piece.source for piece in pieces]
    numbers = list(range(len(pieces)))
    assert_same(join_pieces(TrackPieces(chunks, numbers, starts, stops, used.extend), 0, axis, Scratch()), expected)
    assert used == numbers


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"start": 3, "stop": 2}, "rows that are not there"),
        ({"stop": 4}, "rows that are not there"),
        ({"start": -1}, "rows that are not there"),
        ({"args_end": [1, 0, 1]}, "decrease"),
        ({"args_end": [-1, 0, 1]}, "decrease|negative"),
        ({"args_end": [1, 2, 3]}, "arguments that are not there"),
        ({"name": [0, 3, 0]}, "a name that is not there"),
        ({"name": [0, -2, 0]}, "a name that is not there"),
        ({"flags": [0, 0]}, "differ in length"),
        ({"rows": 2}, "not there"),
    ],
)
def test_columns_that_contradict_each_other_are_refused(change: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {
        "args_end": [1, 2, 2],
        "name": [0, 1, 2],
        "flags": [0, 0, 0],
        "start": 0,
        "stop": 3,
        "rows": 3,
    } | change
    columns = _native.ChunkColumns(
        np.zeros(3, np.uint8),
        np.zeros(3, np.int64),
        None,
        np.zeros(3, np.int64),
        None,
        np.array(good["name"], np.int32),
        None,
        None,
        np.array(good["flags"], np.uint8),
        np.array(good["args_end"], np.int64),
        np.zeros(2, np.uint8),
    )
    rows, starts, stops = good["rows"], np.array([good["start"]]), np.array([good["stop"]])

    def column(dtype: type) -> Any:
        return np.zeros(rows, dtype)

    with pytest.raises((ValueError, IndexError), match=message):
        _native.join_pieces(
            *([columns], starts, stops, 0, True, False, NAMES, 0, 0),
            *(column(np.uint8), column(np.int64), column(np.int64), column(np.int32), None, None),
            *(column(np.uint8), column(np.int64), np.zeros(2, np.uint8)),
        )
