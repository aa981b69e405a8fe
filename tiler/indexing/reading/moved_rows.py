"""Rows that are of another track than their reader could know when it gave them."""

from __future__ import annotations

import numpy as np

from tilescope.tiler.columns import TraceSummary
from tilescope.tiler.indexing.reading.crossing import cross
from tilescope.tiler.indexing.reading.gather import Gatherer


def move_rows(gathered: Gatherer, summary: TraceSummary) -> None:
    """Moves them, once the file has been read. They come behind all rows of the track that they move to.

    Takes tracks from the summary to which nothing moves, because nothing overlaps partly.
    """
    n_taken = 0
    for move in summary.moves:
        pieces = gathered.pieces(move.track)
        to = move.to - n_taken
        if move.across is not None and not cross(pieces, move.names, move.across):
            del summary.tracks[to]
            n_taken += 1
            continue
        for number, piece in enumerate(pieces):
            rows = np.flatnonzero((piece.phase == move.phase) & move.names[piece.name])
            if len(rows):
                gathered.move(move.track, number, piece, rows, np.full(len(rows), to, np.int32))
