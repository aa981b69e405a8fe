"""Databases as rocprofv3 writes them by default: tables of ROCm 7, whose names end with a number of the process."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from tests.tiler.readers.sqlite.nsight_export import Cell

_ID: Final = "id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT"
SCHEMA: Final[Mapping[str, str]] = {
    "metadata": "tag TEXT NOT NULL, value TEXT NOT NULL",
    "string": "string TEXT NOT NULL",
    "info_process": "nid INTEGER, pid INTEGER NOT NULL, command TEXT",
    "info_thread": "nid INTEGER, pid INTEGER NOT NULL, tid INTEGER NOT NULL, name TEXT",
    "info_agent": "nid INTEGER, pid INTEGER, type TEXT, absolute_index INTEGER, type_index INTEGER, name TEXT, "
    "model_name TEXT, product_name TEXT",
    "info_kernel_symbol": "kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER",
    "info_pmc": "agent_id INTEGER, name TEXT NOT NULL, symbol TEXT NOT NULL",
    "track": "nid INTEGER, pid INTEGER, tid INTEGER, name_id INTEGER",
    "event": "category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER",
    "arg": "event_id INTEGER NOT NULL, position INTEGER, type TEXT, name TEXT, value TEXT",
    "pmc_event": "event_id INTEGER, pmc_id INTEGER NOT NULL, value REAL",
    "region": "nid INTEGER, pid INTEGER NOT NULL, tid INTEGER NOT NULL, start BIGINT NOT NULL, end BIGINT NOT NULL, "
    "name_id INTEGER NOT NULL, event_id INTEGER",
    "sample": "track_id INTEGER NOT NULL, timestamp BIGINT NOT NULL, event_id INTEGER",
    "kernel_dispatch": "nid INTEGER, pid INTEGER NOT NULL, tid INTEGER, agent_id INTEGER NOT NULL, "
    "kernel_id INTEGER NOT NULL, dispatch_id INTEGER, queue_id INTEGER NOT NULL, stream_id INTEGER NOT NULL, "
    "start BIGINT NOT NULL, end BIGINT NOT NULL, group_segment_size INTEGER, workgroup_size_x INTEGER, "
    "workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, "
    "grid_size_z INTEGER, region_name_id INTEGER, event_id INTEGER",
    "memory_copy": "nid INTEGER, pid INTEGER NOT NULL, tid INTEGER, start BIGINT NOT NULL, end BIGINT NOT NULL, "
    "name_id INTEGER NOT NULL, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER NOT NULL, queue_id INTEGER, "
    "stream_id INTEGER, event_id INTEGER",
    "memory_allocate": "nid INTEGER, pid INTEGER NOT NULL, tid INTEGER, agent_id INTEGER, type TEXT, level TEXT, "
    "start BIGINT NOT NULL, end BIGINT NOT NULL, address INTEGER, size INTEGER NOT NULL, event_id INTEGER",
}

Rows = Mapping[str, Iterable[Mapping[str, Cell]]]


def write_database(path: Path, rows: Rows, suffix: str = "_00005d69_a1") -> Path:
    """A database with all tables, and these rows; further processes are added to one that is there."""
    with closing(sqlite3.connect(path)) as database:
        for table, columns in SCHEMA.items():
            database.execute(f'CREATE TABLE "rocpd_{table}{suffix}" ({_ID}, {columns})')
            for entry in rows.get(table, ()):
                names = ", ".join(f'"{column}"' for column in entry)
                marks = ", ".join("?" * len(entry))
                database.execute(
                    f'INSERT INTO "rocpd_{table}{suffix}" ({names}) VALUES ({marks})', tuple(entry.values())
                )
        database.execute(f'CREATE VIEW IF NOT EXISTS rocpd_region AS SELECT * FROM "rocpd_region{suffix}"')
        database.commit()
    return path
