"""Columns of a chunk of rows in blocks: several that are small are compressed together, as they are alike.

Which columns are in a block is that of the first chunk, so that a column is found without looking.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.records.cells import MAX_ROWS, Cells, pack_cells, parse_cells

# Of the first chunk. Small wide tables take 0.2 of their files so, and 0.35 to 0.6 column by column.
BLOCK_BYTES: Final = 16 << 10

_LENGTH_BYTES: Final = 4


def column_size(cells: Cells) -> int:
    """The bytes that a column of the first chunk counts in its block.

    Later chunks may say more: where the first is full, each column has a block of its own.
    """
    return max(len(pack_cells(cells)), len(cells) * BLOCK_BYTES // MAX_ROWS)


def block_starts(sizes: Sequence[int]) -> tuple[int, ...]:
    """The first column of each block, of columns with so many bytes."""
    starts: list[int] = []
    filled = 0
    for place, size in enumerate(sizes):
        if not starts or filled + size > BLOCK_BYTES:
            starts.append(place)
            filled = 0
        filled += size
    return tuple(starts)


def columns_of_block(starts: Sequence[int], block: int, columns: int) -> range:
    """The columns that are in a block, of so many."""
    return range(starts[block], starts[block + 1] if block + 1 < len(starts) else columns)


def block_of(starts: Sequence[int], column: int) -> int:
    """The block that a column is in."""
    return bisect_right(starts, column) - 1


def encode_block(columns: Sequence[Cells]) -> bytes:
    """The columns of a block as they are stored, compressed."""
    parts = [pack_cells(cells) for cells in columns]
    return compress(b"".join(len(part).to_bytes(_LENGTH_BYTES, "little") + part for part in parts))


def decode_blocks(blocks: Sequence[bytes]) -> list[Cells]:
    """The columns of all blocks of a chunk. Raises DamagedStore."""
    return [cells for block in blocks for cells in parse_block(decompress(block))]


def parse_block(data: bytes) -> Iterator[Cells]:
    """The columns of a block that was decompressed, one by one. Raises DamagedStore."""
    return map(parse_cells, _parts(data))


def parse_column(data: bytes, place: int) -> Cells:
    """One of them, by its place in the block. Raises DamagedStore."""
    part = next(islice(_parts(data), place, None), None)
    if part is None:
        raise DamagedStore(f"a block of columns of a table is damaged: it has no column {place}")
    return parse_cells(part)


def _parts(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        begin = start + _LENGTH_BYTES
        start = begin + int.from_bytes(data[start:begin], "little")
        if start > len(data):
            raise DamagedStore("a block of columns of a table is damaged: it is cut short")
        yield data[begin:start]
