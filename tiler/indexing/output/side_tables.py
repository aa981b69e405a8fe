"""Writes the tables beside the events: their columns chunk by chunk, then the list."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import ClassVar

from tilescope.tiler.indexing.tracks.recorder import Recording, RecordMaker
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tables import TABLE_COLUMNS, TABLES, TableEntry, encode_tables
from tilescope.tiler.store.store import Entry


class SideTableRecorder(RecordMaker):
    """The tables of all files, while their readers are open."""

    records: ClassVar[tuple[Record, ...]] = (TABLES, TABLE_COLUMNS)

    def __init__(self, recording: Recording) -> None:
        self._files = [file.summary for file in recording.run.files]
        self._hosts = recording.layout.hosts

    def last(self) -> Iterator[Entry]:
        """All records."""
        written: list[TableEntry] = []
        for file, (summary, host) in enumerate(zip(self._files, self._hosts, strict=True)):
            for table in summary.tables:
                number, size_bytes, crc32 = len(written), 0, 0
                for chunk, blocks in enumerate(table.chunks()):
                    for place, block in enumerate(blocks):
                        yield TABLE_COLUMNS.key(number, chunk, place), block
                        size_bytes += len(block)
                        crc32 = zlib.crc32(block, crc32)
                written.append(
                    TableEntry(
                        id=number,
                        host=host,
                        file=file,
                        name=table.name,
                        family=table.family,
                        rank=table.rank,
                        device=table.device,
                        capture=table.capture,
                        columns=tuple(table.columns),
                        block_starts=tuple(table.block_starts),
                        chunk_rows=tuple(table.chunk_rows),
                        extents=tuple(table.extents),
                        size_bytes=size_bytes,
                        crc32=crc32,
                    )
                )
        yield TABLES.key(), encode_tables(written)
