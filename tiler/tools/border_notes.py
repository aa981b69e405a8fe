"""A note on steps at the borders of a recording: events that cross these are not in the file."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query.run_steps import StepSeries
from tilescope.tiler.tools.answer import Note


def border_notes(series: Iterable[StepSeries], shown: NDArray[np.int64]) -> list[Note]:
    """A note on the first and the last recorded step of each device, as far as their numbers are among those shown."""
    ends = [rows.number[[rows.start.argmin(), rows.stop.argmax()]] for rows in (device.rows for device in series)]
    numbers = np.intersect1d(np.concatenate(ends), shown).tolist() if ends else []
    if not numbers:
        return []
    which = " and ".join(f"step {number}" for number in numbers) if len(numbers) <= 2 else "the first and last steps"
    text = "events that began before the recording, or ended after it, are not in the file"
    return [Note("info", f"{text}: {which} may have had more work than is shown")]
