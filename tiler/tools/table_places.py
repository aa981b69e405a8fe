"""Columns that say which file of the run a row is from: rank, host, device, capture and name."""

from __future__ import annotations

from collections.abc import Sequence

from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.tools.answer import Column


def place_columns(tables: Sequence[RunTable]) -> list[Column]:
    """The columns for rows of which each is from one of these tables."""
    entries = [table.entry for table in tables]
    return [
        Column("rank", "Rank", "count", [entry.rank for entry in entries], total="none"),
        Column("host", "Host", "name", [entry.host or None for entry in entries]),
        Column("device", "Device", "text", [entry.device or None for entry in entries]),
        Column("capture", "Capture", "text", [entry.capture or None for entry in entries]),
        Column("file", "File", "text", [entry.name for entry in entries]),
    ]
