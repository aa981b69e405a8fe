"""Columns of the used share of the matrix unit, and of what it was computed from."""

from __future__ import annotations

from collections.abc import Sequence

from tilescope.tiler.facts.hlo.matrix_use import MatrixUse
from tilescope.tiler.tools.answer import Column


def matrix_columns(uses: Sequence[MatrixUse | None]) -> list[Column]:
    """Both columns; None: the operation is no product, or its shapes and layouts do not say."""
    shares = [None if use is None else use.share for use in uses]
    texts = [None if use is None else use.text for use in uses]
    return [
        Column("matrix_used", "Matrix unit", "fraction", shares, "used", total="none"),
        Column("matrix_padding", "Padded dimensions", "text", texts),
    ]
