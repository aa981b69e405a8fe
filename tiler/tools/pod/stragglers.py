"""Cores and hosts that take longer than the others for something: these keep all waiting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times import StepClass, StepTimes

# Fewer have no usual value.
LEAST: Final = 3

# A modified z-score beyond which a value is none of the others' kind, and the scale that makes it one of a deviation.
FAR: Final = 3.5
_SCALE: Final = 0.6745

# Of a deviation: shares of the step time differ by so much without a reason.
_USUAL: Final = 0.001

# What makes others wait; waiting itself makes nobody wait.
_CAUSES: Final = (
    StepClass.DEVICE_COMPUTE,
    StepClass.DEVICE_TO_DEVICE,
    StepClass.HOST_COMPUTE,
    StepClass.KERNEL_LAUNCH,
    StepClass.INPUT,
    StepClass.OUTPUT,
    StepClass.COMPILATION,
)


@dataclass(frozen=True, slots=True)
class Straggler:
    """A core or a host that stands out. `place` is its index in `times`; shares are of the time of its steps.

    Steps that enter no mean count for none of it.
    """

    place: int
    cause: StepClass
    share: float
    median: float
    score: float
    extra_ps: int  # for each step, beyond what is usual
    worst: int  # row of the step with the greatest share


def stragglers(times: Sequence[StepTimes], recorded_rows: Sequence[NDArray[np.bool_]]) -> list[Straggler]:
    """Cores that stand out, the worst first. `recorded_rows`: masks of the steps of each that count.

    What was not recorded is no usual value: only steps of which all operators were count.
    """
    places = [place for place, rows in enumerate(recorded_rows) if int(times[place].duration[rows].sum()) > 0]
    if len(places) < LEAST:
        return []
    standing_out = []
    counted = [recorded_rows[place] for place in places]
    whole = np.array([float(times[place].duration[rows].sum()) for place, rows in zip(places, counted, strict=True)])
    for cause in _CAUSES:
        taken = [float(times[place].classes[cause][rows].sum()) for place, rows in zip(places, counted, strict=True)]
        shares = np.array(taken) / whole
        median = float(np.median(shares))
        deviation = max(float(np.median(np.abs(shares - median))), _USUAL)
        for place, rows, share in zip(places, counted, shares.tolist(), strict=True):
            score = _SCALE * (share - median) / deviation
            if score > FAR:
                core_times = times[place]
                duration = core_times.duration
                steps = np.divide(
                    core_times.classes[cause], duration, out=np.zeros(len(core_times)), where=(duration > 0) & rows
                )
                extra = round((share - median) * float(duration[rows].mean()))
                standing_out.append(Straggler(place, cause, share, median, score, extra, int(np.argmax(steps))))
    return sorted(standing_out, key=lambda straggler: -straggler.extra_ps)
