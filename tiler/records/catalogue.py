"""All kinds of records, in the order of their keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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

RECORDS: Final = (
    ARGUMENT_TABLES,
    ATTACHMENT_CHUNKS,
    METADATA_ROWS,
    ARGUMENTS,
    ARGUMENT_TABLE_PAGES,
    FLOW_ENDS,
    FLOW_TILES,
    HISTOGRAM,
    ATTACHMENTS,
    BLOCK_HISTOGRAM,
    KINDS,
    PAGE_NAMES,
    MANIFEST,
    NAMES,
    OVERVIEW,
    PAGE,
    SPREAD,
    BLOCK_SPREAD,
    SHAPE,
    TRACKS,
    TRACK_SUMS,
    TRACK_SUMS_SPREAD,
    STEPS,
    OPERATIONS,
    OPERATION_SUMS,
    STEP_SUMS,
    WRITTEN_FLOW_ARGUMENTS,
    WRITTEN_FLOWS,
    GRAPH_EXECUTIONS,
    LAUNCHES,
    LAUNCH_PLACES,
    ORIGINS,
    BLOCK_TRACKS,
    OWN_TEXTS,
    TABLES,
    TABLE_COLUMNS,
    ANSWERS,
)

_BY_LETTER: Final[Mapping[bytes, Record]] = {record.letter: record for record in RECORDS}


def record_of(key: bytes) -> Record | None:
    """The kind of record with this key; None for a letter or a length that no kind has."""
    record = _BY_LETTER.get(key[:1])
    return record if record is not None and len(key) == record.key_bytes else None


def describe(key: bytes) -> str:
    """Returns the record under a key in words: track, level and tile."""
    record = record_of(key)
    return f"a record of an unknown kind, {key[:40]!r}" if record is None else record.describe(*record.numbers_in(key))
