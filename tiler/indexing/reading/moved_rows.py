"""Rows that are of another track than their reader could know when it gave them."""

from __future__ import annotations

import numpy as np

from tilescope.tiler.columns import TraceSummary
from tilescope.tiler.indexing.reading.gather import Gatherer


def move_rows(gathered: Gatherer, summary: TraceSummary) -> None:
    """Moves them, once the file has been read. They come behind all rows of the track that they move to."""
    for move in summary.moves:
        for number, piece in enumerate(gathered.pieces(move.track)):
            rows = np.flatnonzero((piece.phase == move.phase) & move.names[piece.name])
            if len(rows):
                gathered.move(move.track, number, piece, rows, np.full(len(rows), move.to, np.int32))
