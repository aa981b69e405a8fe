"""Writes what the metadata of operations says, as rows of numbers: so that no question reads all metadata for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.columns import TellingTables
from tilescope.tiler.details.instruction_stats import LONG_NAME, NAME, WIDTH, WORDS, StatChoices, planes_saying
from tilescope.tiler.details.page_entries import entries_of
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.indexing.scratch import parts
from tilescope.tiler.indexing.tracks.recorder import Recording, RecordMaker
from tilescope.tiler.records.device.metadata_rows import MAX_BYTES, MAX_ROWS, METADATA_ROWS, StoredRows
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import Entry

Codes = NDArray[np.int32]


class MetadataRecorder(RecordMaker):
    """The rows of all files together."""

    records: ClassVar[tuple[Record, ...]] = (METADATA_ROWS,)

    def __init__(self, recording: Recording) -> None:
        self._files = recording.run.files
        self._tables = recording.tables

    def late(self) -> Iterator[Entry]:
        """All chunks; none for a run whose files have no such metadata."""
        making = RowMaker()
        are_telling = False
        for number, file in enumerate(self._files):
            tables = file.summary.args_tables
            if isinstance(tables, TellingTables):
                are_telling = True
                making.add(number, self._tables.tables_of(number))
                tables.release()
        for chunk, packed in enumerate(making.finish().chunks() if are_telling else ()):
            yield METADATA_ROWS.key(chunk), packed


def _firsts_on(planes: Sequence[int], tables: XStatTables) -> NDArray[np.int32]:
    """The first numbers of all kinds that the planes have. Part by part: a pod has six million numbers."""
    is_first = np.zeros(len(tables), np.bool_)
    for part in parts(len(tables)):
        is_first[tables.alike[part][np.isin(tables.plane[part], planes)]] = True
    return np.flatnonzero(is_first).astype(np.int32)


class RowMaker:
    """Takes the tables of a run, file after file."""

    def __init__(self) -> None:
        self._codes = _native.StatCodes()
        self._rows = _native.MetadataRows(WIDTH)
        self._choices = StatChoices()
        self._files: dict[int, Codes] = {}
        self._are_too_many = False

    def add(self, file: int, tables: XStatTables) -> None:
        """Adds what the metadata of a file says."""
        planes = planes_saying(tables)
        numbers = _firsts_on(planes, tables)
        if self._are_too_many or not len(numbers):
            return
        file_rows = np.full(len(tables.first), -1, np.int32)
        for entries in entries_of(tables, numbers, np.ones(len(tables), np.bool_)):
            chosen = self._choices.choice_of(tables, entries.plane)
            file_rows[tables.place[entries.numbers]] = entries.read(self._rows, chosen).rows(
                self._rows, self._codes, entries.coded_names(self._codes), chosen
            )
            if len(self._rows) > MAX_ROWS or self._codes.size_bytes > MAX_BYTES:
                self._are_too_many = True
                return
        self._files[file] = file_rows

    def finish(self) -> StoredRows:
        """The rows of all files, as they are stored."""
        if self._are_too_many:
            return StoredRows.nothing()
        rows = self._rows.rows().reshape(-1, WIDTH)
        # Values are what stats say, and names; long names that are none of these are read from the tables.
        says = np.zeros(len(self._codes), np.bool_)
        stats = rows[:, LONG_NAME + 1 :]
        says[stats[stats > 0]] = True
        says[-2 - rows[rows[:, NAME] < -1, NAME]] = True
        says[0] = False
        is_text = np.zeros(len(self._codes), np.bool_)
        is_text[rows[:, LONG_NAME]] = True
        values, texts = np.flatnonzero(says), np.flatnonzero(is_text & ~says)
        texts = texts[texts > 0]
        number = np.zeros(len(self._codes), np.int32)
        number[values] = 1 + np.arange(len(values))
        number[texts] = 1 + len(values) + np.arange(len(texts))
        forms, ends, data = self._codes.stored(values.astype(np.int32))
        text_file, text_entry = self._where(rows[:, LONG_NAME], texts)
        name, long_name = rows[:, NAME], rows[:, LONG_NAME:]
        stored = rows.copy()
        stored[:, LONG_NAME:] = np.where(long_name > 0, number[np.maximum(long_name, 0)], long_name)
        stored[:, NAME] = np.where(name < -1, -2 - number[-2 - np.minimum(name, -2)], name)
        text_words = np.zeros(len(texts), np.uint8)
        for bit, word in enumerate(WORDS):
            text_words |= self._codes.saying(texts.astype(np.int32), word.encode()) << bit
        return StoredRows(stored, self._files, forms, ends, data, text_file, text_entry, text_words)

    def _where(self, long_names: Codes, texts: NDArray[np.int64]) -> tuple[Codes, Codes]:
        """First file and entry that have each of some long names."""
        file_of, entry_of = (np.full(len(self._codes), -1, np.int32) for _ in range(2))
        for file, rows in reversed(self._files.items()):
            entries = np.flatnonzero(rows >= 0)[::-1]  # of what is written to one place the last stays
            row_names = long_names[rows[entries]]
            file_of[row_names], entry_of[row_names] = file, entries
        return file_of[texts], entry_of[texts]
