"""Steps of a device as slices: in bins with many of them the rest is called what it is."""

from __future__ import annotations

import numpy as np

from tilescope.tiler.facts.lanes.name_bins import MOST_NAMES
from tilescope.tiler.facts.lanes.step_slices import StepSlices
from tilescope.tiler.facts.step_times.spans import StepSpans


def test_the_rest_of_the_steps_of_a_bin_are_other_steps() -> None:
    count = 50
    start = np.arange(count) * 10
    none = np.full(count, -1)
    spans = StepSpans(
        number=np.arange(count),
        pass_=np.zeros(count, np.int64),
        start=start,
        stop=start + 10,
        end=start + 10,
        track=none,
        ordinal=none,
        overlap=False,
        counted=False,
        is_first_cut=False,
    )
    bins = StepSlices(spans).bins(np.array([0, 10 * count]))
    ticks = {bins.names[name]: busy for name, busy in zip(bins.bin_name.tolist(), bins.busy.tolist(), strict=True)}
    assert ticks == {f"Step {number}": 10 for number in range(MOST_NAMES - 1)} | {
        "other steps": 10 * (count - MOST_NAMES + 1)
    }
