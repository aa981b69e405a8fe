"""Slices of `step_trace_raw_*_detail_time.csv`: steps, their parts, and reductions by stream, in ticks of 10 ns.

Interval, forward and backward, and tail lie side by side. Categories are those that msprof has for such slices. A
row without times, such as the average at the end, is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk, TraceSummary
from tilescope.tiler.device_lines import STEP_TRACE, STEP_TRACE_PARTS, STEP_TRACE_STEPS, reduce_stream
from tilescope.tiler.readers.ascend.event_rows import SliceRows
from tilescope.tiler.records.cell_values import integers
from tilescope.tiler.records.cells import Cells

TICK_NS: Final = 10

Ints = NDArray[np.int64]

_BEYOND_COUNTERS: Final = 1 << 58
_START: Final = "_start_point"
_END: Final = "_end_point"
_PARTS: Final = (
    ("Iteration interval", "Iteration Interval", "start_point", "fp_point"),
    ("Forward and backward", "FP_BP Time", "fp_point", "bp_point"),
    ("Tail", "Iteration Refresh", "bp_point", "end_point"),
)


class StepTraceRows:
    """Makes slices of rows."""

    certainty = 1  # about the origin of the device's clock: less than others are

    def __init__(self, device: str) -> None:
        self.rows = SliceRows(STEP_TRACE, f"device {device}" if device else "")
        self.ignored: Counter[str] = Counter()

    def describe(self, summary: TraceSummary) -> None:
        """Adds what was read so far."""
        self.rows.describe(summary)

    def chunks(self, columns: Sequence[str], cells: Sequence[Cells]) -> Iterator[EventChunk]:
        """The slices of a chunk of rows."""
        points = _Points(columns, cells)
        starts, ends, is_step = points.span("start_point", "end_point")
        steps, has_number = points.column("step_num")
        is_step &= has_number & (starts > 0) & (starts <= ends)
        self.ignored["rows_without_times"] += int(np.count_nonzero(~is_step))
        chosen = np.flatnonzero(is_step)
        names = [self.rows.name(f"Iteration {number}", "Iteration Time") for number in steps[chosen].tolist()]
        yield self._slices(STEP_TRACE_STEPS, np.array(names, np.int32), starts[chosen], ends[chosen])
        for title, category, first, last in _PARTS:
            begin, end, has_part = points.span(first, last)
            inside = self._in_order(is_step & has_part, (starts <= begin) & (begin <= end) & (end <= ends))
            yield self._named(STEP_TRACE_PARTS, title, category, begin[inside], end[inside])
        for name in points.reductions:
            begin, end, has_span = points.span(f"{name}{_START}", f"{name}{_END}")
            inside = self._in_order(is_step & has_span & (begin > 0), begin <= end)
            if len(inside):
                yield self._named(reduce_stream(name) or name, name, "Reduce", begin[inside], end[inside])

    def _in_order(self, are_there: NDArray[np.bool_], are_in_order: NDArray[np.bool_]) -> NDArray[np.intp]:
        """The rows with points in order; counts those with others."""
        self.ignored["parts_out_of_order"] += int(np.count_nonzero(are_there & ~are_in_order))
        return np.flatnonzero(are_there & are_in_order)

    def _named(self, track: str, name: str, category: str, begin: Ints, end: Ints) -> EventChunk:
        return self._slices(track, np.full(len(begin), self.rows.name(name, category), np.int32), begin, end)

    def _slices(self, track: str, names: NDArray[np.int32], begin: Ints, end: Ints) -> EventChunk:
        nothing = np.zeros(len(begin), np.int64)
        tracks = np.full(len(begin), self.rows.track(track), np.int32)
        return self.rows.chunk(tracks, names, (begin * TICK_NS, nothing), ((end - begin) * TICK_NS, nothing))


class _Points:
    """Columns of a chunk of rows."""

    def __init__(self, columns: Sequence[str], cells: Sequence[Cells]) -> None:
        self._count = len(cells[0]) if cells else 0
        self._by_name = dict(zip(columns, cells, strict=True))
        self.reductions = [
            name.removesuffix(_START)
            for name in columns
            if name.endswith(_START) and name.removesuffix(_START) + _END in self._by_name
        ]

    def column(self, name: str) -> tuple[Ints, NDArray[np.bool_]]:
        """Whole numbers by row, and which rows have one."""
        cells = self._by_name.get(name)
        if cells is None:
            return np.zeros(self._count, np.int64), np.zeros(self._count, np.bool_)
        values, are_whole = integers(cells)
        return values, are_whole & (values >= 0) & (values < _BEYOND_COUNTERS)

    def span(self, first: str, last: str) -> tuple[Ints, Ints, NDArray[np.bool_]]:
        """Begin and end by row, and which rows have both."""
        (begin, has_begin), (end, has_end) = self.column(first), self.column(last)
        return begin, end, has_begin & has_end
