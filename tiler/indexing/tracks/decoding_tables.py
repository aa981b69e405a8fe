"""What decodes the arguments of a file's events while it is indexed."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from tilescope.tiler.indexing.tracks.run_files import RunFiles
from tilescope.tiler.readers.formats import codec_of


class DecodingTables:
    """Makes the tables of each file once, for any thread. Their pages are not asked for."""

    def __init__(self, run: RunFiles) -> None:
        self._run = run
        self._made: dict[int, Any] = {}  # by file, as the codec makes them
        self._lock = threading.Lock()

    def of(self, file: int) -> Any:
        """The tables of a file, without names."""
        with self._lock:
            if file not in self._made:
                summary = self._run.files[file].summary
                no_names = np.full(len(summary.names) + 1, -1, np.int32)
                head = b"" if summary.args_tables is None else summary.args_tables.head(no_names)
                self._made[file] = codec_of(summary.format).tables(head, _no_page)
            return self._made[file]


def _no_page(number: int) -> bytes:
    raise LookupError(f"page {number} of event metadata is not asked for here")
