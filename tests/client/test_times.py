"""Times as people have them, and back: exactly, or not at all."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.client.times import Time, ticks_of, ticks_of_amounts, time_text, timedelta_of
from tilescope.tiler.errors import UsageError
from tilescope.tiler.ticks import TICK_LIMIT

TICK_PS = st.sampled_from([1, 1000])


@given(st.integers(-TICK_LIMIT, TICK_LIMIT), TICK_PS)
def test_there_and_back(ticks: int, tick_ps: int) -> None:
    assert ticks_of(time_text(ticks, tick_ps), tick_ps) == ticks
    assert ticks_of(timedelta_of(ticks, tick_ps), tick_ps) == ticks
    column = np.array([ticks, 0])
    assert timedelta_of(column, tick_ps).astype(np.int64).tolist() == column.tolist()


@given(st.integers(0, 10**12), st.sampled_from(["us", "ms", "s"]), st.integers(0, 3))
def test_a_float_means_its_shortest_decimal(number: int, unit: str, digits: int) -> None:
    amount = Decimal(number).scaleb(-digits)
    assert ticks_of_amounts({unit: float(amount)}, 1000) == ticks_of_amounts({unit: amount}, 1000)


@pytest.mark.parametrize(
    ("time", "ticks"),
    [
        ("0.1 s", 10**11),
        (" 250us ", 250 * 10**6),
        ("250 µs", 250 * 10**6),
        ("250 μs", 250 * 10**6),
        ("-1.5 ns", -1500),
        ("+3 ps", 3),
        ("2 min", 120 * 10**12),
        ("1.5 h", 5400 * 10**12),
        ("17", 17),
        (17, 17),
        (np.uint8(17), 17),
        (timedelta(days=1, microseconds=1), 86_400 * 10**12 + 10**6),
        (np.timedelta64(3, "D"), 3 * 86_400 * 10**12),
        (np.timedelta64(7, ("us", 25)), 175 * 10**6),
        (np.timedelta64(5000, "fs"), 5),
        (pandas.Timedelta("1.000000001 s"), 10**12 + 1000),
    ],
)
def test_spellings(time: Time, ticks: int) -> None:
    assert ticks_of(time, 1) == ticks


@pytest.mark.parametrize(
    ("time", "message"),
    [
        (0.1, "start: 0.1 is a float"),
        (np.float16(2), "start: 2.0 is a float"),
        ("0.1", "start: '0.1' has no unit"),
        ("1 fortnight", "start: '1 fortnight' is not a time"),
        ("1e3 s", "is not a time"),
        ("١ s", "is not a time"),
        ("", "is not a time"),
        ("0.4 ns", "start: 0.4 ns is not a whole number of ticks: a tick of this run is 1 ns"),
        (np.timedelta64(1, "ps"), "not a whole number of ticks"),
        (np.timedelta64("NaT"), "is not a time"),
        (np.timedelta64(1, "M"), "is not a time"),
        (pandas.NaT, "is not a time"),
        (None, "start: None is not a time"),
        (b"1 s", "is not a time"),
    ],
)
def test_what_is_refused(time: Any, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        ticks_of(time, 1000, "start")
    assert message in str(refused.value)


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), True, 0.0001])
def test_amounts_that_are_none(amount: Any) -> None:
    with pytest.raises(UsageError, match="is no"):
        ticks_of_amounts({"ns": amount}, 1000)
