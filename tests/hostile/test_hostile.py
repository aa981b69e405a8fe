"""The quick part of the hostile cases, within this process; `make hostile` runs all of them with limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.case import Case
from tests.hostile.catalogue import all_cases
from tests.hostile.judging import complaints
from tests.hostile.running import run_here

pytestmark = pytest.mark.slow

CASES = all_cases()


def test_there_are_enough() -> None:
    assert len(CASES) >= 900
    assert all(case.accepted for case in CASES)


HERE = [case for case in CASES if not case.apart]


@pytest.mark.parametrize(  # every second one is for deep tests
    "case",
    [pytest.param(case, id=case.id, marks=pytest.mark.deep if number % 2 else ()) for number, case in enumerate(HERE)],
)
def test_outcome(case: Case, tmp_path: Path) -> None:
    wrong = complaints(case, run_here(case, tmp_path))
    assert not wrong, "\n".join(wrong)
