"""Columns in blocks: each is where the starts of the blocks say, whatever their sizes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.cells import MAX_ROWS, Cells
from tilescope.tiler.records.column_blocks import (
    BLOCK_BYTES,
    block_of,
    block_starts,
    column_size,
    columns_of_block,
    decode_blocks,
    encode_block,
    parse_column,
)

COLUMNS = st.lists(st.lists(st.sampled_from(["", "a", "7.5", "x" * 9000]), min_size=2, max_size=2), max_size=9)


@given(st.lists(st.integers(0, 2 * BLOCK_BYTES), max_size=30))
def test_each_column_is_in_one_block(sizes: list[int]) -> None:
    starts = block_starts(sizes)
    blocks = [columns_of_block(starts, block, len(sizes)) for block in range(len(starts))]
    assert [column for columns in blocks for column in columns] == list(range(len(sizes)))
    assert all(column in blocks[block_of(starts, column)] for column in range(len(sizes)))
    for columns in blocks:
        assert len(columns) == 1 or sum(sizes[column] for column in columns) <= BLOCK_BYTES
    for before, after in pairwise(blocks):
        assert sum(sizes[column] for column in before) + sizes[after[0]] > BLOCK_BYTES


def test_columns_of_a_full_chunk_stand_alone_whatever_is_in_them() -> None:
    """Else a column of later chunks, which may say more, would be read with all those beside it."""
    for rows, blocks in ((MAX_ROWS, 40), (MAX_ROWS // 2, 20), (3, 1)):
        size = column_size(Cells.from_texts(["N/A"] * rows))
        assert len(block_starts([size] * 40)) == blocks


@given(COLUMNS, COLUMNS)
def test_columns_are_restored_whatever_the_first_chunk_was(first: list[list[str]], columns: list[list[str]]) -> None:
    columns = columns[: len(first)]
    starts = block_starts([sum(map(len, texts)) for texts in first[: len(columns)]])
    cells = [Cells.from_texts(texts) for texts in columns]
    spans = [columns_of_block(starts, block, len(cells)) for block in range(len(starts))]
    blocks = [encode_block(cells[span.start : span.stop]) for span in spans]
    expected = [[text or None for text in texts] for texts in columns]
    assert [column.texts() for column in decode_blocks(blocks)] == expected
    for place, texts in enumerate(expected):
        block = block_of(starts, place)
        assert parse_column(decompress(blocks[block]), place - starts[block]).texts() == texts


def test_a_block_that_is_cut_short_is_damaged() -> None:
    data = decompress(encode_block([Cells.from_texts(["1", "a"]), Cells.from_texts(["b", None])]))
    for size in range(1, len(data)):
        with pytest.raises(DamagedStore, match="of a table is damaged"):
            parse_column(data[:size], 1)
    with pytest.raises(DamagedStore, match="it has no column 2"):
        parse_column(data, 2)
