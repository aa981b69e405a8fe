"""Parts of a run that an archive may be made without.

To take what was left out for absent would make answers wrong: readers refuse it (`partial_store.py`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from msgspec import Struct

from tilescope.tiler.errors import UsageError
from tilescope.tiler.records.arguments import ARGUMENT_TABLE_PAGES, ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.records.device.graph_executions import GRAPH_EXECUTIONS
from tilescope.tiler.records.device.metadata_rows import METADATA_ROWS
from tilescope.tiler.records.device.operation_sums import OPERATION_SUMS
from tilescope.tiler.records.device.operations import KINDS, OPERATIONS
from tilescope.tiler.records.device.step_sums import STEP_SUMS
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.written_flows import WRITTEN_FLOW_ARGUMENTS


class LeftOutPart(Struct, frozen=True):
    """A part of a run: its records, and what lacks without them."""

    records: tuple[Record, ...]
    lacking: str


PARTS: Final[Mapping[str, LeftOutPart]] = {
    "arguments": LeftOutPart(
        (ARGUMENTS, ARGUMENT_TABLES, ARGUMENT_TABLE_PAGES, WRITTEN_FLOW_ARGUMENTS),
        "arguments of events, searches in them, and figures that are read from them",
    ),
    "operations": LeftOutPart(
        (OPERATIONS, KINDS, OPERATION_SUMS, STEP_SUMS, GRAPH_EXECUTIONS, METADATA_ROWS),
        "figures of the operations of devices",
    ),
}


def checked_parts(names: Collection[str]) -> tuple[str, ...]:
    """The names, each once. Raises UsageError for one that is no part."""
    for name in names:
        if name not in PARTS:
            raise UsageError(f"an archive cannot be made without {name!r} (only without {', '.join(PARTS)})")
    return tuple(name for name in PARTS if name in names)


def records_of(names: Collection[str]) -> frozenset[Record]:
    """The kinds of records of parts."""
    return frozenset(record for name in names for record in PARTS[name].records)


def reason(names: Collection[str]) -> str:
    """A line for people: why a record of one of the parts cannot be read."""
    lacking = "; ".join(PARTS[name].lacking for name in names)
    return f"the archive was made --without {','.join(names)}, and lacks {lacking} (ask the store it was made of)"
