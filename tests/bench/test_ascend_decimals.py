"""Decimal text of columns, as that of single numbers."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bench.ascend_run.decimals import choices, decimal, decimals, either, rows


@given(st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=20), st.integers(0, 6), st.integers(0, 3))
def test_columns_are_written_like_single_numbers(values: list[int], places: int, keep: int) -> None:
    keep = min(keep, places)
    text = rows(decimals(np.array(values), places, keep), "\n", count=len(values)).joined().decode()
    assert text.splitlines() == [decimal(value, places, keep) for value in values]


@given(st.integers(-(2**70), 2**70), st.integers(0, 6), st.integers(0, 3))
def test_a_decimal_is_exact(value: int, places: int, keep: int) -> None:
    keep = min(keep, places)
    text = decimal(value, places, keep)
    assert Decimal(text).scaleb(places) == value
    fraction = text.partition(".")[2]
    assert len(fraction) >= keep
    assert len(fraction) == keep or not fraction.endswith("0")


@given(st.lists(st.text("ab,", max_size=4), min_size=1, max_size=5), st.data())
def test_texts_are_chosen_by_row(texts: list[str], data: st.DataObject) -> None:
    index = data.draw(st.lists(st.integers(0, len(texts) - 1), min_size=1, max_size=9))
    first = np.array(data.draw(st.lists(st.booleans(), min_size=len(index), max_size=len(index))))
    cells = rows(either(first, choices(texts, np.array(index)), "other"), ";", count=len(index))
    assert cells.joined().decode() == "".join(
        f"{texts[place] if chosen else 'other'};" for place, chosen in zip(index, first, strict=True)
    )
