"""How far times reach is said in one place of each language; means of times are rounded alike."""

from __future__ import annotations

import re
from fractions import Fraction
from math import floor
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler import _native
from tilescope.tiler.ticks import TICK_LIMIT, nearest_mean

ROOT = Path(__file__).parents[2]


def test_python_and_native_code_agree() -> None:
    assert _native.TIME_LIMIT == TICK_LIMIT
    assert _native.root_level(TICK_LIMIT - 1) == 27


def test_no_other_module_has_a_limit_of_its_own() -> None:
    limit = re.compile(r"(?i:tick\w*|end) *(?:: *Final)? *= *(?:str\()?(?:1 *<< *\d+|2 *\*\* *\d+)")
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("tiler", "server", "tilescope")
        for path in (ROOT / folder).rglob("*.py")
        if limit.search(path.read_text(encoding="utf-8"))
    }
    assert found == {"tiler/schema/limits.py"}


@given(st.lists(st.integers(0, 1 << 60), min_size=1, max_size=8))
def test_a_mean_is_the_nearest_tick(values: list[int]) -> None:
    exact = Fraction(sum(values), len(values))
    mean = nearest_mean(sum(values), len(values))
    assert abs(mean - exact) <= Fraction(1, 2)
    assert mean == floor(exact + Fraction(1, 2)), "halves are rounded up"


def test_means_of_columns_are_those_of_their_values() -> None:
    totals, counts = np.array([0, 1, 5, 157_656_323]), np.array([1, 2, 3, 2])
    assert nearest_mean(totals, counts).tolist() == list(map(nearest_mean, totals.tolist(), counts.tolist()))
