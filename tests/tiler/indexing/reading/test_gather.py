"""Gathering chunks per track."""

from __future__ import annotations

import random
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.tiler.indexing.event_chunks import chunk
from tilescope.tiler import _native
from tilescope.tiler.columns import Phase
from tilescope.tiler.indexing.reading.batch import ChunkBatch
from tilescope.tiler.indexing.reading.gather import Gatherer
from tilescope.tiler.indexing.reading.timed import FileAxis, TimedEvents
from tilescope.tiler.indexing.reading.timeline import Timeline
from tilescope.tiler.indexing.scratch import Scratch

POOL = ThreadPoolExecutor(3)

# Ticks are picoseconds from time 0, names keep their ids.
AXIS = FileAxis(Timeline(0, 1, 1 << 40, False), 0, np.append(np.arange(100, dtype=np.int32), np.int32(-1)))


def take(gatherer: Gatherer, track: int) -> TimedEvents | None:
    return gatherer.take(track, AXIS, Scratch())


def args_of(events: TimedEvents) -> list[bytes]:
    starts = np.concatenate([[0], events.args_end[:-1]])
    return [events.args[a:b].tobytes() for a, b in zip(starts, events.args_end, strict=True)]


def test_the_order_of_the_file_is_kept_within_each_track() -> None:
    rng = random.Random(1)
    gatherer = Gatherer()
    expected: dict[int, list[tuple[int, bytes]]] = {}
    for _ in range(5):
        rows = [(rng.randrange(4), rng.randrange(100), bytes(rng.randrange(5))) for _ in range(rng.randrange(1, 30))]
        for track, time, args in rows:
            expected.setdefault(track, []).append((time, args))
        gatherer.add(chunk([r[1] for r in rows], track=[r[0] for r in rows], args=[r[2] for r in rows]))
    assert gatherer.events == sum(map(len, expected.values()))
    for track, of_track in expected.items():
        assert gatherer.rows_of(track) == len(of_track)
        events = take(gatherer, track)
        assert events is not None
        assert list(zip((events.start // 1000).tolist(), args_of(events), strict=True)) == of_track
        assert take(gatherer, track) is None


@pytest.mark.parametrize("tracks", [[7], [3_000_000, 0], [3, 3, 1_000_000, 2], [0, 1, 2]])
def test_rows_of_any_tracks_are_brought_together(tracks: list[int]) -> None:
    rng = random.Random(4)
    of = [rng.choice(tracks) for _ in range(200)] if len(tracks) < 3 else sorted(tracks)
    gatherer = Gatherer()
    gatherer.add(
        chunk(list(range(len(of))), track=of, key=list(range(len(of))), args=[b"%d" % k for k in range(len(of))])
    )
    for track in set(of):
        rows = [k for k, one in enumerate(of) if one == track]
        events = take(gatherer, track)
        assert events is not None
        assert events.key is not None
        assert events.key.tolist() == rows
        assert (events.start // 1000).tolist() == rows
        assert args_of(events) == [b"%d" % k for k in rows]


def test_what_fails_beside_is_raised_when_rows_are_asked_for() -> None:
    gatherer = Gatherer(executor=POOL, batch=ChunkBatch(0))
    damaged = chunk([3, 4], track=[1, 0], args=[b"a", b"b"])
    damaged.args_end[0] = 9  # beyond the end of the next
    gatherer.add(damaged)
    gatherer.stop()
    for _ in range(2):  # it is not forgotten with the rows that lack
        with pytest.raises(ValueError, match="end"):
            gatherer.rows_of(1)


@given(
    st.lists(st.lists(st.tuples(st.sampled_from([0, 1, 5, 70]), st.integers(0, 9)), max_size=12), max_size=8),
    st.sampled_from([0, 300, 1000, 1 << 20]),
    st.booleans(),
    st.randoms(use_true_random=False),
)
def test_chunks_that_wait_for_each_other_give_the_same(
    rows: list[list[tuple[int, int]]], batch_bytes: int, beside: bool, rng: random.Random
) -> None:
    one_by_one = Gatherer(batch=ChunkBatch(0))
    together = Gatherer(executor=POOL if beside else None, batch=ChunkBatch(batch_bytes))
    known: Counter[int] = Counter()
    for of in rows:
        n = len(of)
        optional: dict[str, Any] = {
            "time_ps": [rng.randrange(1000) for _ in of],
            "duration_ps": [rng.randrange(1000) for _ in of],
            "key": [rng.randrange(-1, 1 << 40) for _ in of],
            "value": [rng.choice([1.5, -3.0]) for _ in of],
        }
        added = chunk(
            [rng.randrange(100) for _ in of],
            track=[track for track, _ in of],
            duration_ns=[rng.randrange(100) for _ in of],
            name=[rng.randrange(-1, 100) for _ in of],
            args=[b"%0*d" % (size, rng.randrange(10)) if size else b"" for _, size in of],
            **{name: column for name, column in optional.items() if rng.random() < 0.5},
        )
        for gatherer in (one_by_one, together):
            gatherer.add(added)
        known.update(track for track, _ in of)
        if rng.random() < 0.2 and n:  # a look at it in between
            assert together.rows_of(of[0][0]) == known[of[0][0]]
        assert together.tracks == len(known)
    for track in known:
        expected, found = take(one_by_one, track), take(together, track)
        assert expected is not None
        assert found is not None
        assert len(found) == known[track]
        for name in ("phase", "start", "duration", "name", "flags", "args_end", "args"):
            assert np.array_equal(getattr(expected, name), getattr(found, name)), name
        # Where other tracks of the same chunks have a column, this one has it, too: with nothing in it.
        for name, nothing in (("key", -1), ("value", np.nan)):
            one, other = (
                np.full(known[track], nothing) if column is None else column
                for column in (getattr(expected, name), getattr(found, name))
            )
            assert np.array_equal(one, other, equal_nan=name == "value"), name


def test_chunks_wait_until_each_track_has_many_rows() -> None:
    gatherer = Gatherer()
    gatherer.add(chunk([1], track=[3]))
    assert len(gatherer.batch) == 1
    gatherer.add(chunk(list(range(40)), track=[3] * 40))
    assert len(gatherer.batch) == 0
    assert [len(piece) for piece in gatherer.pieces(3)] == [41]


def test_columns_that_make_no_sense_are_refused() -> None:
    track = np.array([1, 0], np.int32)
    byte, word, name = np.zeros(2, np.uint8), np.zeros(2, np.int64), np.zeros(2, np.int32)

    def by_track(phase: NDArray[np.uint8], ends: list[int], tracks: list[NDArray[np.int32]]) -> None:
        columns = phase, word, None, word, None, name, None, None, byte, np.array(ends), byte
        _native.by_track(tracks, [_native.ChunkColumns(*columns)] * 2)

    for ends in ([2, 1], [1, 9], [-1, 1]):
        with pytest.raises(ValueError, match="arguments"):
            by_track(byte, ends, [track, track])
    with pytest.raises(ValueError, match="differ in length"):
        by_track(byte[:1], [0, 0], [track, track])
    with pytest.raises(ValueError, match="differ in length"):
        by_track(byte, [0, 0], [track, track[:1]])
    with pytest.raises(ValueError, match="column of tracks"):
        by_track(byte, [0, 0], [track])


def test_columns_that_only_some_chunks_have() -> None:
    gatherer = Gatherer()
    gatherer.add(chunk([1, 2]))
    gatherer.add(chunk([3], time_ps=[7], key=[5], value=[1.5]))
    events = take(gatherer, 0)
    assert events is not None
    assert events.key is not None
    assert events.value is not None
    assert events.start.tolist() == [1000, 2000, 3007]
    assert events.key.tolist() == [-1, -1, 5]
    assert np.array_equal(events.value, [np.nan, np.nan, 1.5], equal_nan=True)
    assert events.duration.tolist() == [0, 0, 0]


def test_flow_ends_are_not_counted() -> None:
    gatherer = Gatherer()
    gatherer.add(chunk([1, 2, 3], phase=[Phase.COMPLETE, Phase.FLOW_START, Phase.INSTANT]))
    gatherer.add(chunk([]))
    assert gatherer.events == 2
