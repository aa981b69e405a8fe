"""Makers of the sums of operations in steps: from the steps of each device, and the metadata of each file."""

from __future__ import annotations

import threading

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.columns import TellingTables
from tilescope.tiler.details.instruction_stats import CATEGORY
from tilescope.tiler.device_lines import OP_LINES, is_one_of
from tilescope.tiler.indexing.device.step_lines import StepLines
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.indexing.tracks.layout import PlacedTrack
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.records.device.step_sum_maker import StepSumMaker


class _Categories(Struct, frozen=True):
    """Categories in the metadata of a file: of each number the index of a text; that of no text is the first."""

    texts: tuple[str, ...]
    text_index: NDArray[np.int32]


class StepSumMakers:
    """For any thread."""

    def __init__(self, run: RunFiles, scratch: Scratch) -> None:
        self._run = run
        self._windows = StepLines(run, scratch)
        self._categories_by_file: dict[int, _Categories | None] = {}
        self._lock = threading.Lock()

    def maker_for(self, track: PlacedTrack) -> StepSumMaker | None:
        """One for a line of operations, if its device has steps; None for others."""
        if not is_one_of(track.name, OP_LINES):
            return None
        spans = self._windows.steps_of(track.file, self._run.files[track.file].summary.tracks[track.source].process)
        categories = self._categories(track.file) if len(spans) else None
        if categories is None:
            return None
        return StepSumMaker(spans.start, spans.stop, categories.texts, categories.text_index)

    def _categories(self, file: int) -> _Categories | None:
        with self._lock:
            if file not in self._categories_by_file:
                tables = self._run.files[file].summary.args_tables
                self._categories_by_file[file] = _read(tables) if isinstance(tables, TellingTables) else None
            return self._categories_by_file[file]


def _read(tables: TellingTables) -> _Categories:
    place, stat_texts = tables.texts_of_stat(CATEGORY)
    texts = list(dict.fromkeys(["", *stat_texts]))
    places = {text: position for position, text in enumerate(texts)}
    of_said = np.array([*(places[text] for text in stat_texts), 0], np.int32)  # the last is that of -1
    return _Categories(tuple(texts), of_said[place])
