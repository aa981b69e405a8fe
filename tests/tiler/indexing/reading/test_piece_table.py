"""The table of pieces against a plain dictionary of lists."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.indexing.event_chunks import chunk
from tilescope.tiler.indexing.reading.piece_table import PieceTable

# Of each chunk how many rows it has of which tracks.
CHUNKS = st.lists(
    st.dictionaries(st.sampled_from([0, 1, 5, 3_000_000]), st.integers(1, 4), min_size=1), min_size=1, max_size=8
)


def add(table: PieceTable, rows_of: dict[int, int], first_ns: int) -> list[tuple[int, list[int]]]:
    """Adds a chunk. Returns of each of its tracks the times of its events."""
    tracks = sorted(rows_of)
    stops = np.cumsum([rows_of[track] for track in tracks])
    times = list(range(first_ns, first_ns + int(stops[-1])))
    table.add(chunk(times), np.array(tracks, np.int32), stops)
    return [(track, times[stop - rows_of[track] : stop]) for track, stop in zip(tracks, stops.tolist(), strict=True)]


@given(CHUNKS, CHUNKS)
def test_pieces_are_those_of_a_dictionary(before: list[dict[int, int]], behind: list[dict[int, int]]) -> None:
    table = PieceTable()
    expected: dict[int, list[list[int]]] = {}
    for number, rows_of in enumerate([*before, *behind]):
        if number == len(before):  # a look at it in between
            replace_one(table, expected)
        for track, times in add(table, rows_of, 1000 * number):
            expected.setdefault(track, []).append(times)
    for track in [*expected, 7]:
        pieces = expected.get(track, [])
        assert table.rows_of(track) == sum(map(len, pieces))
        assert [piece.events(track).time_ns.tolist() for piece in table.pieces(track)] == pieces
    for track, pieces in expected.items():
        taken = table.take(track)
        assert taken.rows == sum(map(len, pieces))
        assert [events.time_ns.tolist() for events in taken.events(track)] == pieces
        assert table.take(track).rows == 0
    assert table._chunks == [None] * len(table._chunks)


def replace_one(table: PieceTable, expected: dict[int, list[list[int]]]) -> None:
    """Takes the first row out of the last piece of a track."""
    track = min(expected)
    number = len(expected[track]) - 1
    piece = table.pieces(track)[number].events(track)
    left = piece.time_ns.tolist()[1:]
    table.replace(track, number, chunk(left))
    expected[track][number] = left
