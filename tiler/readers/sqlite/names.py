"""Texts of a database by their numbers, as JSON, in a temporary table that statements look into."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.sqlite.database import Database, Table
from tilescope.tiler.readers.sqlite.event_rows import LONGEST_TEXT

# What Nsight Systems puts behind names of calls: `cudaLaunchKernel_v7000`.
_VERSION: Final = re.compile(r"_v\d+$")


class NumberedTexts:
    """The texts of one table, of columns `number` and `text`. Takes memory for all of them, as `room` allows."""

    def __init__(self, database: Database, name: str, room: Room) -> None:
        """`name` is that of the temporary table. Raises TooMany."""
        self._database = database
        self.name_of_table = name
        self._room = room
        self._count = self._bytes = 0
        database.make(f"CREATE TEMP TABLE {name} (id INTEGER PRIMARY KEY, quoted TEXT, call TEXT)")

    def fill(self, table: Table | None, number: str, value: str) -> None:
        """Takes the rows of a table whose columns these are; of one number the first."""
        if table is not None and table.has(number, value):
            statement = f"INSERT OR IGNORE INTO {self.name_of_table} VALUES (?, ?, ?)"
            self._database.make(statement, self._rows(table, number, value))

    def name(self, number: str) -> str:
        """An expression: the JSON of the text with the number of this expression; NULL where there is none."""
        return f"(SELECT quoted FROM {self.name_of_table} WHERE id={number})"

    def plain(self, number: str) -> str:
        """The text itself."""
        return f"(SELECT json_extract(quoted,'$') FROM {self.name_of_table} WHERE id={number})"

    def call(self, number: str) -> str:
        """The same without the version of a call."""
        return f"(SELECT call FROM {self.name_of_table} WHERE id={number})"

    def _rows(self, table: Table, number: str, value: str) -> Iterator[tuple[int | str, ...]]:
        for batch in self._database.rows(f'SELECT "{number}", "{value}" FROM {table.quoted}'):
            for key, content in batch:
                if isinstance(key, int) and isinstance(content, bytes):
                    text = content.decode("utf-8", "replace")[:LONGEST_TEXT]
                    self._count += 1
                    self._bytes += len(content)
                    yield key, _json(text), _json(_VERSION.sub("", text))
            self._room.check(self._database.path, names=self._count, text_bytes=self._bytes)


def _json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
