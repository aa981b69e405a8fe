"""The order of pieces in an archive: as a first screen reads them, then from coarse to fine, details last."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.records.answers import ANSWERS
from tilescope.tiler.records.arguments import ARGUMENT_TABLE_PAGES, ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.records.attachments import ATTACHMENT_CHUNKS, ATTACHMENTS
from tilescope.tiler.records.device.graph_executions import GRAPH_EXECUTIONS
from tilescope.tiler.records.device.metadata_rows import METADATA_ROWS
from tilescope.tiler.records.device.operation_sums import OPERATION_SUMS
from tilescope.tiler.records.device.operations import KINDS, OPERATIONS
from tilescope.tiler.records.device.step_sums import STEP_SUMS
from tilescope.tiler.records.flow_bins import FLOW_TILES
from tilescope.tiler.records.flow_ends import FLOW_ENDS
from tilescope.tiler.records.histogram import BLOCK_HISTOGRAM, HISTOGRAM, TRACK_SUMS
from tilescope.tiler.records.launch_places import LAUNCH_PLACES
from tilescope.tiler.records.launches import LAUNCHES
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.origins import ORIGINS
from tilescope.tiler.records.overview import OVERVIEW
from tilescope.tiler.records.own_texts import OWN_TEXTS
from tilescope.tiler.records.page_names import PAGE_NAMES
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.spread import BLOCK_SPREAD, SPREAD, TRACK_SUMS_SPREAD
from tilescope.tiler.records.steps import STEPS
from tilescope.tiler.records.tables import TABLE_COLUMNS, TABLES
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import BLOCK_TRACKS, TRACKS
from tilescope.tiler.records.written_flows import WRITTEN_FLOW_ARGUMENTS, WRITTEN_FLOWS
from tilescope.tiler.store.archive.pieces import RESIDUAL

ORDER: Final = (
    MANIFEST,
    TRACKS,
    SHAPE,
    OVERVIEW,
    NAMES,
    PAGE,
    STEPS,
    ANSWERS,
    PAGE_NAMES,
    BLOCK_HISTOGRAM,
    BLOCK_SPREAD,
    TRACK_SUMS,
    TRACK_SUMS_SPREAD,
    HISTOGRAM,
    SPREAD,
    RESIDUAL,
    FLOW_TILES,
    FLOW_ENDS,
    LAUNCH_PLACES,
    LAUNCHES,
    OPERATION_SUMS,
    STEP_SUMS,
    KINDS,
    GRAPH_EXECUTIONS,
    OPERATIONS,
    METADATA_ROWS,
    ARGUMENT_TABLES,
    ARGUMENT_TABLE_PAGES,
    ARGUMENTS,
    OWN_TEXTS,
    TABLES,
    TABLE_COLUMNS,
    ORIGINS,
    WRITTEN_FLOWS,
    WRITTEN_FLOW_ARGUMENTS,
    ATTACHMENTS,
    ATTACHMENT_CHUNKS,
    BLOCK_TRACKS,
)

# A level has 8 bits.
_COARSEST: Final = 255

# Levels below the root at which a screen shows a whole run: a root tile has 64 bins of it at least.
_WIDE_LEVELS: Final = 2

_RANKS: Final = {record.letter[0]: 2 * rank + 2 for rank, record in enumerate(ORDER)}
_BEFORE_NAMES: Final = _RANKS[NAMES.letter[0]] - 1
_FIRST_LETTERS: Final = [record.letter[0] for record in ORDER[: ORDER.index(PAGE)]]


def level_column(record: Record) -> int | None:
    """The place of the level among the numbers of its keys; None: they have none."""
    return record.numbers.index("level") if "level" in record.numbers else None


def data_order(letters: NDArray[np.uint8], numbers: list[NDArray[np.uint64]], root_level: int) -> NDArray[np.int64]:
    """The places of records, which are given in the order of their keys, in the order of the archive.

    Pages of the root level come before the names: a first screen needs one of each block.
    """
    ranks = np.array([_RANKS.get(letter, 0) for letter in range(256)], np.uint16)[letters]
    fineness = np.zeros(len(letters), np.uint16)
    for record in ORDER:
        column = level_column(record)
        if column is not None:
            rows = letters == record.letter[0]
            fineness[rows] = _COARSEST - numbers[column][rows].astype(np.uint16)
    ranks[_pages_from(letters, numbers, root_level)] = _BEFORE_NAMES
    # The whole run is what a first screen shows, of some tracks: their pages follow each other.
    is_wide = _pages_from(letters, numbers, root_level - _WIDE_LEVELS)
    blocks, slots = (np.where(is_wide, numbers[PAGE.numbers.index(name)], 0) for name in ("block", "slot"))
    # Stable: what is equal stays in the order of keys.
    return np.lexsort((slots, blocks, fineness, ranks)).astype(np.int64)


def first_screen(letters: NDArray[np.uint8], numbers: list[NDArray[np.uint64]], root_level: int) -> NDArray[np.bool_]:
    """True of records that a first screen of any run reads: they begin the order of the archive."""
    return np.isin(letters, _FIRST_LETTERS) | _pages_from(letters, numbers, root_level)


def _pages_from(letters: NDArray[np.uint8], numbers: list[NDArray[np.uint64]], level: int) -> NDArray[np.bool_]:
    """True of pages of a level and of coarser ones."""
    levels = numbers[PAGE.numbers.index("level")].astype(np.int64)
    chosen: NDArray[np.bool_] = (letters == PAGE.letter[0]) & (levels >= level)
    return chosen
