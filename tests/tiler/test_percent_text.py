"""Shares in percent: more than nothing is never 0 %, less than all never 100 %."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.percent_text import percent_text


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (0, 1, "0.0 %"),
        (1, 1, "100.0 %"),
        (1.198, 1, "119.8 %"),
        (0.2371, 1, "23.7 %"),
        (0.0004, 1, "<0.1 %"),
        (0.9996, 1, ">99.9 %"),
        (0.9994, 1, "99.9 %"),
        (0.004, 0, "<1 %"),
        (0.996, 0, ">99 %"),
        (math.nextafter(1, 0), 3, ">99.999 %"),
        (5e-324, 3, "<0.001 %"),
    ],
)
def test_examples(share: float, digits: int, text: str) -> None:
    assert percent_text(share, digits) == text


@given(st.floats(0, 2), st.integers(0, 6))
def test_no_part_is_nothing_or_all(share: float, digits: int) -> None:
    number = percent_text(share, digits).removesuffix(" %")
    if number[0] in "<>":
        limit = float(number[1:]) / 100
        assert 0 < share < limit if number[0] == "<" else limit < share < 1
    else:
        assert (float(number) == 0) == (share == 0)
        assert abs(float(number) / 100 - share) <= 0.0051 * 10.0**-digits
        assert share >= 1 or float(number) < 100
