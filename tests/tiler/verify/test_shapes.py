"""Traces of extreme shapes: their stores are proven, within time and memory that follow from what they hold, and no
altered value goes unnoticed.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.tiler.json_traces import write_trace
from tests.tiler.verify.altered_store import AlteredStore, Columns, decoded
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import Col, Page
from tilescope.tiler.verify import verify, verify_store

pytestmark = pytest.mark.slow

EVENTS = 4000

Event = dict[str, Any]


def slice_of(start: int, duration: int, name: str = "a", thread: int = 1, process: int = 1) -> Event:
    return {"ph": "X", "ts": start, "dur": duration, "name": name, "pid": process, "tid": thread}


def identical() -> Iterator[Event]:
    return (slice_of(5, 10) for _ in range(EVENTS))


def staircase() -> Iterator[Event]:
    return (slice_of(k, EVENTS) for k in range(EVENTS))


def nested() -> Iterator[Event]:
    return (slice_of(k, 2 * (EVENTS - k), f"depth {k % 7}") for k in range(EVENTS))


def one_long_slice_over_all() -> Iterator[Event]:
    yield slice_of(0, 10 * EVENTS, "long")
    yield from (slice_of(10 * k, 3, f"n{k % 5}", k % 3) for k in range(EVENTS))


def unmatched_begins() -> Iterator[Event]:
    return ({"ph": "B", "ts": k, "name": f"x{k % 50}", "pid": 1, "tid": 1} for k in range(EVENTS))


def counter() -> Iterator[Event]:
    return ({"ph": "C", "ts": 3 * k, "name": "c", "pid": 1, "args": {"v": 7919 * k % 1000}} for k in range(EVENTS))


def many_names() -> Iterator[Event]:
    return (slice_of(10 * k, 8, f"name {k}") for k in range(EVENTS))


def many_tracks() -> Iterator[Event]:
    rng = random.Random(3)
    return (
        slice_of(rng.randrange(10**6), rng.randrange(1000), f"n{rng.randrange(9)}", k % 500, k % 500 // 7)
        for k in range(EVENTS)
    )


def wide_rollup() -> Iterator[Event]:
    rng = random.Random(4)
    return (
        slice_of(rng.randrange(10**7), rng.randrange(10**7) // (1 + k % 90), f"n{rng.randrange(300)}", k % 200)
        for k in range(EVENTS)
    )


def outlier() -> Iterator[Event]:
    yield slice_of(0, 1)
    yield from (slice_of(10**13 + 3 * k, 2, f"n{k % 100}") for k in range(EVENTS))


def instants() -> Iterator[Event]:
    return ({"ph": "i", "ts": k // 3, "name": f"i{k % 4}", "pid": 1, "tid": 1} for k in range(EVENTS))


SHAPES = (
    identical,
    staircase,
    nested,
    one_long_slice_over_all,
    unmatched_begins,
    counter,
    many_names,
    many_tracks,
    wide_rollup,
    outlier,
    instants,
)

# The columns of which a changed value changes what is drawn above, or breaks an order.
COLUMNS = (
    Col.DURATION,
    Col.ORDINAL,
    Col.BIN,
    Col.BIN_ROW,
    Col.COUNT,
    Col.BUSY,
    Col.BIN_NAME,
    Col.SHARE,
    Col.LONGEST_MINUS_BUSY,
    Col.BUSY_RESIDUAL,
    Col.COUNTER_BIN,
    Col.N,
    Col.FIRST,
    Col.LAST,
    Col.MIN,
    Col.MAX,
    Col.MEAN,
    Col.SAMPLE_ORDINAL,
)


@pytest.fixture(scope="module", params=SHAPES, ids=lambda shape: shape.__name__)
def store(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AlteredStore:
    folder = tmp_path_factory.mktemp(request.param.__name__)
    build_store([write_trace(folder / "trace.json", list(request.param()))], folder / "store")
    return AlteredStore(folder / "store")


def test_it_is_proven(store: AlteredStore, monkeypatch: pytest.MonkeyPatch) -> None:
    report = verify_store(store.path)
    assert report.events >= EVENTS
    monkeypatch.setattr(verify, "BYTES_PER_EVENT", 1 << 22)  # batches of 64 events, or of 32
    assert verify_store(store.path) == report


def test_altered_values_are_noticed(store: AlteredStore) -> None:
    rng = random.Random(7)
    pages = store.pages()
    for column in COLUMNS:
        keys = [key for key, page in pages.items() if len(column_of(decoded(page), column))]
        for key in rng.sample(keys, min(3, len(keys))):
            by = rng.choice([-1, 1])
            at = rng.random()

            def change(columns: Columns, column: Col = column, by: int = by, at: float = at) -> None:
                columns[column][int(at * len(columns[column]))] += by

            with store.replaced(store.rewritten(key, change)), pytest.raises(DamagedStore, match="track "):
                verify_store(store.path)


def column_of(page: Page, column: Col) -> NDArray[np.int64]:
    """Some column of those that go with it."""
    groups = {Col.START: page.slices.start, Col.BIN: page.bins.bin, Col.COUNTER_BIN: page.counter_bins.bin}
    groups[Col.TIME] = page.samples.time
    return groups[max(first for first in groups if first <= column)]
