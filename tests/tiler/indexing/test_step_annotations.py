"""Step annotations of an XSpace: events with an integer stat `step_num`, whatever else they have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.readers import wire_writer as w
from tilescope.tiler import _native
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.steps import marked_steps
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

STEP_NUM, OTHER = 300, 7  # ids of stat metadata


def event(offset_ps: int, metadata: int, *stats: bytes) -> bytes:
    parts = [w.number(1, metadata), w.number(2, offset_ps), w.number(3, 5000)]
    return w.message(4, *parts, *(w.message(4, stat) for stat in stats))


def stat(stat_id: int, value: bytes) -> bytes:
    return w.number(1, stat_id) + value


def test_integers_make_steps_and_nothing_else(tmp_path: Path) -> None:
    events = [
        event(9000, 1, stat(STEP_NUM, w.number(4, 12))),
        event(0, 1, stat(OTHER, w.number(4, 99)), stat(STEP_NUM, w.number(3, 11))),
        event(20_000, 1, stat(STEP_NUM, w.data(5, "13"))),
        event(30_000, 1, stat(STEP_NUM, w.number(4, -1))),
        event(40_000, 1, stat(STEP_NUM, w.double(2, 14.0))),
        event(50_000, 1, stat(OTHER, w.number(4, 15))),
        event(60_000, 2, stat(STEP_NUM, w.number(4, 1))),
        event(70_000, 1),
        event(80_000, 1, stat(STEP_NUM, w.number(4, 16)), stat(OTHER, w.data(5, "x" * 300))),
    ]
    meta = [w.event_metadata(1, "train"), w.event_metadata(2, "eval")]
    meta += [w.stat_metadata(STEP_NUM, "step_num"), w.stat_metadata(OTHER, "other")]
    # Another plane calls another stat by that number.
    other = w.message(
        1, w.data(2, "/host:else"), w.message(3, w.number(1, 1), event(0, 1, stat(STEP_NUM, w.number(4, 5))))
    )
    line = w.message(3, w.number(1, 1), w.data(2, "python"), *events)
    (tmp_path / "h.xplane.pb").write_bytes(w.message(1, w.data(2, "/host:CPU"), line, *meta) + other)
    build_store([tmp_path / "h.xplane.pb"], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    ((_, found),) = marked_steps(store)
    assert found.number.tolist() == [11, 12, 1, 16]
    assert (np.diff(found.ordinal) > 0).all()
    steps = QueryReader(store).steps
    # Of annotations of several names those count that cover the most time.
    assert [(one.label, one.rows.number.tolist()) for one in steps.counted] == [("train", [11, 12, 16])]
    assert [one.label for one in steps.unused] == ["eval"]
    store.close()


VALUES = st.integers(-(2**63), 2**63 - 1)
STATS = st.lists(st.tuples(st.sampled_from([STEP_NUM, OTHER, 0, -3]), st.sampled_from([3, 4]), VALUES), max_size=4)


@given(st.lists(STATS, min_size=1, max_size=6), st.data())
def test_integers_among_arguments(events: list[list[tuple[int, int, int]]], data: st.DataObject) -> None:
    args = [
        w.varint(row) + b"".join(w.message(4, stat(key, w.number(kind, value))) for key, kind, value in stats)
        for row, stats in enumerate(events)
    ]
    ends = np.cumsum([len(one) for one in args]).astype(np.int64)
    rows = np.array(data.draw(st.lists(st.integers(0, len(events) - 1))), np.int64)
    found = _native.integer_stats(ends, np.frombuffer(b"".join(args), np.uint8), rows, [STEP_NUM], -1)
    expected = []
    for row in rows.tolist():
        values = [value for key, _, value in events[row] if key == STEP_NUM and value != -1]
        expected.append(values[-1] if values else -1)
    assert found.tolist() == expected


@pytest.mark.parametrize(("ends", "rows"), [([5], [0]), ([1], [1]), ([1], [-1]), ([2, 1], [1]), ([-1], [0])])
def test_rows_that_there_are_not(ends: list[int], rows: list[int]) -> None:
    with pytest.raises(ValueError, match=r"no such row|beyond the data"):
        _native.integer_stats(np.array(ends), np.zeros(2, np.uint8), np.array(rows), [STEP_NUM], -1)
