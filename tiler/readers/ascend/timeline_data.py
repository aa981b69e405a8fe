"""Slices of `output_timeline_data_*.txt`: the operators of a device by stream, of the first generation of MindSpore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.columns import EventChunk, TraceSummary
from tilescope.tiler.plain_headers import plain_header
from tilescope.tiler.readers.ascend.event_rows import SliceRows
from tilescope.tiler.records.cell_values import MILLISECOND_DIGITS, header_times
from tilescope.tiler.records.cells import Cells, CellState

_COLUMNS: Final = ("op_name", "stream_id", "start_time", "duration")


class TimelineData:
    """Makes slices of rows."""

    certainty = 2  # about the origin of the device's clock: a counter is more certain

    def __init__(self, device: str) -> None:
        self.rows = SliceRows(f"Device {device}" if device else "Device", "")
        self.ignored: Counter[str] = Counter()

    def describe(self, summary: TraceSummary) -> None:
        """Adds what was read so far."""
        self.rows.describe(summary)

    def chunks(self, columns: Sequence[str], cells: Sequence[Cells]) -> Iterator[EventChunk]:
        """The slices of a chunk of rows; none where columns are missing."""
        places = {plain_header(column): place for place, column in enumerate(columns)}
        if any(name not in places for name in _COLUMNS):
            return
        operators, streams, starts, durations = (cells[places[name]] for name in _COLUMNS)
        start_header, duration_header = (columns[places[name]] for name in _COLUMNS[2:])
        start_ns, start_ps, has_start = header_times(starts, start_header, MILLISECOND_DIGITS)
        duration_ns, duration_ps, has_duration = header_times(durations, duration_header, MILLISECOND_DIGITS)
        is_named = np.isin(operators.states, (CellState.TEXT, CellState.NUMBER))
        has_times = has_start & has_duration
        chosen = np.flatnonzero(has_times & is_named)
        self.ignored["rows_without_times"] += int(np.count_nonzero(~has_times))
        self.ignored["rows_without_names"] += int(np.count_nonzero(has_times & ~is_named))
        yield self.rows.chunk(
            self._numbered(streams, "Stream ", chosen),
            self._numbered(operators, "", chosen),
            (start_ns[chosen], start_ps[chosen]),
            (duration_ns[chosen], duration_ps[chosen]),
        )

    def _numbered(self, cells: Cells, prefix: str, chosen: NDArray[np.int64]) -> NDArray[np.int32]:
        """The numbers of the tracks, or else names, that cells are."""
        number = self.rows.track if prefix else self.rows.name
        texts = cells.rows(chosen).texts()
        by_text = {text: number(f"{prefix}{text or ''}".strip()) for text in dict.fromkeys(texts)}
        return np.array([by_text[text] for text in texts], np.int32)
