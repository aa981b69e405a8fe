"""Texts that are read as a whole, because what stands at their end says what their beginning means."""

from __future__ import annotations

import json
from decimal import MAX_EMAX, MIN_EMIN, Context
from typing import Final

from tilescope.tiler.errors import DamagedTrace, TooLarge
from tilescope.tiler.readers.source import ByteSource

# Text whose values take about ten times as much memory.
_MOST_BYTES: Final = 64 << 20
_STEP: Final = 1 << 20

# Decimals of any size, without errors: what is no time is told by its value.
FRACTIONS: Final = Context(prec=40, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


def read_text(source: ByteSource, most: int = _MOST_BYTES) -> bytes:
    """All bytes of a source. Raises TooLarge for more than there is room for."""
    pieces: list[bytes] = []
    size = 0
    while piece := source.read(_STEP):
        pieces.append(piece)
        size += len(piece)
        if size > most:
            what = f"is text of more than {most >> 20} MiB, which is read as a whole"
            raise TooLarge(source.path, what, advice="record a shorter time")
    if source.problem is not None:
        raise DamagedTrace(source.path, source.problem)
    return b"".join(pieces)


def read_json(source: ByteSource, most: int = _MOST_BYTES) -> object:
    """The value that a text is, with fractions as decimals: times are among them. Raises DamagedTrace, TooLarge."""
    text = read_text(source, most)
    try:
        value: object = json.loads(text, parse_float=FRACTIONS.create_decimal)
    except (ValueError, RecursionError) as error:
        where = error.pos if isinstance(error, json.JSONDecodeError) else None
        what = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deep"
        raise DamagedTrace(source.path, f"is no whole JSON: {what}", offset=where) from None
    return value
