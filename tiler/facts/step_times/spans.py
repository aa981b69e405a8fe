"""Spans of the steps of a process, which share no time; and their parts in windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query.run_steps import StepRows, StepSeries
from tilescope.tiler.records.steps import StepSource
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StepSpans:
    """Columns of shape (n,) in the order of their starts, times in ticks. A step has a row for each slice that it is.

    Where two overlap, what lies in both belongs to the one that starts later: `overlap` says whether that happens.
    """

    number: Ints
    pass_: Ints  # from 0 on
    start: Ints
    stop: Ints
    end: Ints  # of the slice that is the step, which may lie after `stop`
    track: Ints  # and ordinal: of that slice, -1 none
    ordinal: Ints
    overlap: bool
    counted: bool  # the numbers are none of the trace's
    is_first_cut: bool  # when the first began was not recorded

    def __len__(self) -> int:
        return len(self.number)

    @classmethod
    def from_series(cls, series: StepSeries) -> StepSpans:
        """Spans of a series."""
        return cls.from_rows(series.rows, counted=series.source is StepSource.STEPS_LINE_IN_ORDER)

    @classmethod
    def from_launched(cls, rows: StepRows) -> StepSpans:
        """Spans of the steps of devices by launches: each from the end of the one before, the first from its launch."""
        return cls.from_rows(rows, counted=False, is_first_cut=True)

    @classmethod
    def from_rows(cls, rows: StepRows, *, counted: bool, is_first_cut: bool = False) -> StepSpans:
        """Spans of rows in the order of their starts."""
        stop = rows.stop.copy()
        lasting = np.flatnonzero(stop > rows.start)
        stop[lasting[:-1]] = np.minimum(stop[lasting[:-1]], rows.start[lasting[1:]])
        overlap = bool((stop < rows.stop).any())
        return cls(
            rows.number,
            rows.pass_,
            rows.start,
            stop,
            rows.stop,
            rows.track,
            rows.ordinal,
            overlap,
            counted,
            is_first_cut,
        )


@dataclass(frozen=True, slots=True)
class Cuts:
    """Parts of steps in windows: pieces by row. `whole` are the rows that lie in a window from end to end."""

    whole: NDArray[np.bool_]
    row: Ints
    start: Ints
    stop: Ints

    @classmethod
    def from_windows(cls, spans: StepSpans, windows: Windows) -> Cuts:
        """The parts in windows; none of steps of no length, unless a window holds them."""
        whole = windows.cover(spans.start, spans.stop) & windows.hold(spans.start)
        rows, starts, stops = [], [], []
        for row in np.flatnonzero(~whole & windows.meet(spans.start, spans.stop)).tolist():
            left = windows.clipped(int(spans.start[row]), int(spans.stop[row]))
            rows += [row] * len(left)
            starts += left.starts.tolist()
            stops += left.stops.tolist()
        return cls(whole, *(np.array(column, np.int64) for column in (rows, starts, stops)))
