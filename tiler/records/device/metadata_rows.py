"""What the metadata of operations says, ready for use: rows of numbers of values, stored once for all files of a run.

Hosts that run one program say the same of its instructions: that is one row. A msgpack map has

    stats    names of the stats that rows have, behind the name and the long name
    rows     how many rows
    columns  of each number of a row that of all rows
    files    by file, as far as one says any of this, of each entry of its metadata (`xstat_tables.py`) its row, -1 none
    forms, lengths, data  of each value its form (`StatCodes` in tiler/native), how many bytes it has, and these
    text_file, text_entry  of each long name that no stat says the file and the entry which have it
    words    the words that are looked for in all long names
    text_words  of each of these long names which are in it: bits, in the order of the words

Columns are a byte, how many each of their numbers takes (1, 2 or 4), and then each number minus the one before it,
modulo 2**32, little-endian; lengths are such a column, forms and bits are bytes. A value has the number of its place,
from 1 on; long names have those that follow; 0 is nothing. Small numbers are values themselves: -2**31 and the number.
A name is its id in the run; -2 and less is the value -2 - n, where no event uses it.

The map lies in chunks of `CHUNK_BYTES`, each a gzip member of its own; the last is shorter, or even empty. A run with
too many rows (`MAX_ROWS`), or too large values (`MAX_BYTES`), has no rows and no files there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgpack
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.details.instruction_stats import LONG_NAME, NAME, STATS, WIDTH, WORDS
from tilescope.tiler.pages import compress
from tilescope.tiler.records.record import Available, Record

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]

# Inflated in half a millisecond: two threads share the work.
CHUNK_BYTES: Final = 256 << 10

MAX_ROWS: Final = 1 << 17
MAX_BYTES: Final = 48 << 20

_INT32: Final = np.dtype("<i4")
_SIZES: Final = (1, 2, 4)  # of a number, in bytes
_SMALL: Final = 3 << 30  # negative numbers from here on, without their sign, are no values themselves


METADATA_ROWS = Record(
    "C",
    "chunk",
    "the rows of metadata, chunk {chunk}",
    Available.AT_END,
    doc="what the metadata of operations says, for all files of the run together",
    proof="the tables of arguments",
)


class StoredRows(Struct, frozen=True):
    """As above. `rows` has the shape (rows, WIDTH)."""

    rows: Codes
    files: Mapping[int, Codes]
    forms: NDArray[np.uint8]
    ends: Ints
    data: bytes
    text_file: Codes
    text_entry: Codes
    text_words: NDArray[np.uint8]

    @classmethod
    def nothing(cls) -> StoredRows:
        """Without rows."""
        none, nobody = np.zeros(0, np.int32), np.zeros(0, np.uint8)
        return cls(np.zeros((0, WIDTH), np.int32), {}, nobody, np.zeros(0, np.int64), b"", none, none, nobody)

    def chunks(self) -> Iterator[bytes]:
        """As they are stored."""
        packed: bytes = msgpack.packb(
            {
                "stats": STATS,
                "rows": len(self.rows),
                "columns": [_steps(column) for column in self.rows.T],
                "files": {file: _steps(rows) for file, rows in self.files.items()},
                "forms": self.forms.tobytes(),
                "lengths": _steps(np.diff(self.ends, prepend=0).astype(_INT32)),
                "data": self.data,
                "text_file": _steps(self.text_file),
                "text_entry": _steps(self.text_entry),
                "words": WORDS,
                "text_words": self.text_words.tobytes(),
            }
        )
        for first in range(0, len(packed) + 1, CHUNK_BYTES):
            yield compress(packed[first : first + CHUNK_BYTES])

    @classmethod
    def of_chunks(cls, chunks: Sequence[bytes]) -> StoredRows:
        """The inverse, of chunks that have been inflated. Raises ValueError, LookupError or TypeError."""
        if [len(chunk) == CHUNK_BYTES for chunk in chunks] != [True] * (len(chunks) - 1) + [False]:
            raise ValueError("chunks of rows of metadata that are cut short")
        packed = msgpack.unpackb(b"".join(chunks), strict_map_key=False)
        if tuple(packed["stats"]) != STATS or tuple(packed["words"]) != WORDS:
            raise ValueError("rows of other stats of metadata, or with other words, than are read")
        if not isinstance(packed["files"], dict):
            raise TypeError("rows of metadata without a map of files")
        columns = [_summed(column) for column in packed["columns"]]
        ends = np.cumsum(_summed(packed["lengths"]), dtype=np.int64)
        found = cls(
            np.stack(columns, axis=1),
            {int(file): _summed(rows) for file, rows in packed["files"].items()},
            np.frombuffer(packed["forms"], np.uint8),
            ends,
            packed["data"],
            _summed(packed["text_file"]),
            _summed(packed["text_entry"]),
            np.frombuffer(packed["text_words"], np.uint8),
        )
        found._check(packed["rows"])
        return found

    @property
    def first_text(self) -> int:
        """The number of the first long name."""
        return len(self.forms) + 1

    def _check(self, rows: Any) -> None:
        """Values are looked at by those who take them."""
        count = self.first_text + len(self.text_file)
        names, said = self.rows[:, NAME], self.rows[:, LONG_NAME:]
        if (
            self.rows.shape != (rows, WIDTH)
            or not len(self.text_file) == len(self.text_entry) == len(self.text_words)
            or int(said.max(initial=0)) >= count
            or int(said.view(np.uint32).max(initial=0)) >= _SMALL
            or int(names.min(initial=0)) < -1 - self.first_text
            or any(_are_beyond(of, -1, rows) for of in self.files.values())
            or not set(np.unique(self.text_file).tolist()) <= set(self.files)
            or any(_are_beyond(self.text_entry[self.text_file == f], 0, len(of)) for f, of in self.files.items())
        ):
            raise ValueError("rows of metadata that make no sense")


def _are_beyond(column: Codes, first: int, stop: int) -> bool:
    return bool(len(column)) and (int(column.min()) < first or int(column.max()) >= stop)


def _steps(column: Codes) -> bytes:
    # Steps wrap around where numbers are far apart, and back when they are added up.
    steps = np.diff(column.astype(_INT32), prepend=_INT32.type(0))
    largest = max(int(steps.max(initial=0)), -1 - int(steps.min(initial=0)))
    size = next(size for size in _SIZES if largest < 1 << 8 * size - 1)
    return bytes([size]) + steps.astype(f"<i{size}").tobytes()


def _summed(packed: bytes) -> Codes:
    if packed[0] not in _SIZES:
        raise ValueError("a column of numbers of no size")
    found: Codes = np.cumsum(np.frombuffer(packed, f"<i{packed[0]}", offset=1), dtype=_INT32)
    return found
