"""Steps of slices by ordinal: as the work has them, slice by slice, however many steps there are."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.facts.launches import StepWork, WorkSteps

STEPS = st.tuples(st.integers(0, 3), st.integers(-1, 200) | st.just(1 << 40))  # pass and number


@given(
    slices=st.integers(0, 600),
    steps=st.lists(
        st.tuples(st.integers(0, 3), st.integers(-1, 200) | st.just(1 << 40)), min_size=1, max_size=300, unique=True
    ),
    seed=st.integers(0, 2**32 - 1),
)
def test_rows_are_those_of_each_slice(slices: int, steps: list[tuple[int, int]], seed: int) -> None:
    random = np.random.default_rng(seed)
    ordinal = np.flatnonzero(random.random(slices) < 0.8)
    chosen = random.integers(0, len(steps), len(ordinal))
    pass_, number = (np.array([steps[place][part] for place in chosen], np.int64) for part in (0, 1))
    nothing = np.zeros(len(ordinal), np.int64)
    work = StepWork(ordinal, nothing, nothing, nothing, number, pass_, nothing > 0)
    row_of_step = {step: row for row, step in enumerate(steps) if row % 3}
    expected = [-1] * slices
    for place, row in zip(chosen.tolist(), ordinal.tolist(), strict=True):
        expected[row] = row_of_step.get(steps[place], -1)
    work_steps = WorkSteps.from_work(work, slices)
    assert work_steps.rows(row_of_step).tolist() == expected
    assert work_steps.place.nbytes <= 2 * slices
