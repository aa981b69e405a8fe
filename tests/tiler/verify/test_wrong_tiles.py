"""Pages that are whole but wrong: each tile is computed anew from the events, so none goes unnoticed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.tiler.verify.altered_store import AlteredStore, Columns, decoded
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import Col, PageKey
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow


def pages_with(store: AlteredStore, column: Col) -> list[PageKey]:
    """Pages on which a column has values, rollups and others, leaves and others."""
    found = []
    for key, page in store.pages().items():
        sizes = {
            Col.START: "slices",
            Col.BIN: "bins",
            Col.COUNTER_BIN: "counter_bins",
            Col.TIME: "samples",
        }
        group = sizes[max(first for first in sizes if first <= column)]
        if len(getattr(decoded(page), group)):
            found.append(key)
    assert found
    return found


def assert_noticed(store: AlteredStore, key: PageKey, change: Callable[[Columns], None], message: str = "") -> None:
    with store.replaced(store.rewritten(key, change)), pytest.raises(DamagedStore, match=message) as error:
        verify_store(store.path)
    assert "track " in str(error.value)


def test_pages_that_are_only_written_differently_are_right(altered: AlteredStore) -> None:
    for key in altered.pages():
        with altered.replaced(altered.rewritten(key, lambda columns: None)):
            verify_store(altered.path)


@pytest.mark.parametrize(
    "column",
    [
        Col.START,
        Col.DURATION,
        Col.ROW,
        Col.NAME,
        Col.ORDINAL,
        Col.SLICE_FLAGS,
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
        Col.TIME,
        Col.VALUE,
        Col.SAMPLE_ORDINAL,
    ],
)
@pytest.mark.parametrize("by", [1, -1])
def test_one_value_that_is_one_off(altered: AlteredStore, column: Col, by: int) -> None:
    for key in pages_with(altered, column):

        def change(columns: Columns) -> None:
            columns[column][len(columns[column]) // 2] += by

        assert_noticed(altered, key, change, r"level \d+, tile \d+|at ingest")


@pytest.mark.parametrize("column", [Col.INDEX, Col.SLOT, Col.TILE_FLAGS, Col.N_SLICES, Col.N_BINS, Col.CARRY])
def test_tile_columns_that_are_one_off(altered: AlteredStore, column: Col) -> None:
    for key in altered.pages():

        def change(columns: Columns) -> None:
            of_counter = np.flatnonzero(columns[Col.N_SAMPLES])
            columns[column][of_counter[-1] if column == Col.CARRY else -1] += 1

        if column != Col.CARRY or key in pages_with(altered, Col.TIME):
            assert_noticed(altered, key, change, rf"level {key.level}, tile \d+")


def test_busy_time_moved_between_two_bins(altered: AlteredStore) -> None:
    def change(columns: Columns) -> None:
        busy, beyond = columns[Col.BUSY], columns[Col.LONGEST_MINUS_BUSY]
        busy[0], busy[1] = busy[0] - 1, busy[1] + 1
        beyond[0], beyond[1] = beyond[0] + 1, beyond[1] - 1

    for key in pages_with(altered, Col.BUSY):
        assert_noticed(altered, key, change, "busy")


def test_busy_times_that_are_rounded_otherwise(altered: AlteredStore) -> None:
    """Pages with their residuals are exact, but those alone show more than there is."""

    def change(columns: Columns) -> None:
        off = 4**12
        columns[Col.BUSY][-1] += off
        columns[Col.BUSY_RESIDUAL][-1] -= off

    for key in pages_with(altered, Col.BUSY):
        assert_noticed(altered, key, change, "not rounded as they should be")


def test_an_event_that_is_missing_from_its_leaf(altered: AlteredStore) -> None:
    def change(columns: Columns) -> None:
        for column in (Col.START, Col.DURATION, Col.ROW, Col.NAME, Col.ORDINAL, Col.SLICE_FLAGS):
            columns[column] = columns[column][:-1]
        tile = np.flatnonzero(columns[Col.N_SLICES])[-1]
        columns[Col.N_SLICES][tile] -= 1

    for key in pages_with(altered, Col.START):
        assert_noticed(
            altered, key, change, r"level \d+, tile \d+: .*(start|single slices|reach|in the tiles below|lacks)"
        )
