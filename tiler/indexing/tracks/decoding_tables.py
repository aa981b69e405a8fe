"""Tables that decode the arguments of a file's events while it is indexed."""

from __future__ import annotations

import threading
from typing import Any

from tilescope.tiler.columns import TellingTables
from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.readers.formats import codec_of


class DecodingTables:
    """Makes the tables of each file once, for any thread."""

    def __init__(self, run: RunFiles) -> None:
        self._run = run
        self._made: dict[int, Any] = {}  # by file, as the codec makes them
        self._heads: dict[int, bytes] = {}  # those that have not been taken
        self._lock = threading.Lock()

    def tables_of(self, file: int) -> Any:
        """The tables of a file."""
        with self._lock:
            self._make(file)
            return self._made[file]

    def take_head(self, file: int) -> bytes:
        """The part of the tables that is stored beside their pages; once."""
        with self._lock:
            self._make(file)
            return self._heads.pop(file)

    def _make(self, file: int) -> None:
        if file in self._made:
            return
        summary = self._run.files[file].summary
        tables = summary.args_tables
        head = b"" if tables is None else tables.head(self._run.name_ids(file))
        page = tables.page if isinstance(tables, TellingTables) else _no_page
        self._made[file], self._heads[file] = codec_of(summary.format).tables(head, page), head


def _no_page(number: int) -> bytes:
    raise LookupError(f"page {number} of event metadata is not asked for here")
