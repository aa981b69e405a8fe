"""Steps among the marks of a host and its GPUs: one window for each number."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times.host_tracks import HostTracks
from tilescope.tiler.facts.step_times.spans import StepSpans
from tilescope.tiler.query.run_steps import StepRows, StepSeries
from tilescope.tiler.records.steps import StepSource

Ints = NDArray[np.int64]


def marked_steps(file_tracks: HostTracks, *, is_first_cut: bool = False) -> StepSpans:
    """The steps of a file. Devices' marks count where they have some: the longest, or the host's if that holds it.

    Marks of devices without numbers count only where the host marks none. `is_first_cut` as `StepSpans` has it.
    """
    hosts = [series for series in file_tracks.series if series.source > StepSource.STEPS_LINE_IN_ORDER]
    devices = [series for series in file_tracks.series if series.source <= StepSource.STEPS_LINE_IN_ORDER]
    if hosts:
        devices = [series for series in devices if series.source is StepSource.STEPS_LINE]
    longest, around = _longest(devices), _longest(hosts)
    if longest is None or around is None:
        rows = around if longest is None else longest
        assert rows is not None
    else:
        row_of_step = {
            key: row for row, key in enumerate(zip(around.pass_.tolist(), around.number.tolist(), strict=True))
        }
        keys = zip(longest.pass_.tolist(), longest.number.tolist(), strict=True)
        place = np.array([row_of_step.get(key, -1) for key in keys], np.int64)
        holds = (place >= 0) & (around.start[place] <= longest.start) & (around.stop[place] >= longest.stop)
        rows = _joined([longest.take(~holds), around.take(place[holds])])
    rows = rows.take(np.lexsort((-rows.stop, rows.start)))
    counted = not hosts and all(series.source is StepSource.STEPS_LINE_IN_ORDER for series in devices)
    return StepSpans.from_rows(rows, counted=counted, is_first_cut=is_first_cut)


def _longest(series: Sequence[StepSeries]) -> StepRows | None:
    """The longest step of each pass and number."""
    if not series:
        return None
    rows = _joined([steps.rows for steps in series])
    rows = rows.take(np.lexsort((rows.start - rows.stop, rows.number, rows.pass_)))
    first = (np.diff(rows.number, prepend=-1) != 0) | (np.diff(rows.pass_, prepend=-1) != 0)
    return rows.take(first)


def _joined(parts: Sequence[StepRows]) -> StepRows:
    return StepRows(*(np.concatenate([getattr(part, column) for part in parts]) for column in StepRows.__slots__))
