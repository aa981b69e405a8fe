"""Tells files of Ascend profilers: tables by their headers, other files by their names, as their bytes say little.

A header of a family is certain; any other only begins as a table, but where the folder is one of these profilers.
"""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path
from typing import Final

from tilescope.tiler.plain_headers import plain_header
from tilescope.tiler.readers.ascend.families import FAMILIES, stem_of
from tilescope.tiler.readers.ascend.json_tables import json_family
from tilescope.tiler.readers.ascend.text_table import text_family
from tilescope.tiler.readers.compression import without_ending
from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.layouts.ascend_names import capture_position
from tilescope.tiler.readers.text import BYTE_ORDER_MARK, WHITE_SPACE, is_text
from tilescope.tiler.readers.trace_event.signature import has_event_mark

_MOST_CELLS: Final = 4096  # of a header that is looked at
_MOST_BYTES: Final = 64 << 10
_KEPT_HEADERS: Final = 256
_LONGEST_NAME: Final = 200
_NOT_IN_NAMES: Final = frozenset("<>{}=;\ufffd")  # the last stands for bytes that are no UTF-8


def looks_like_table(head: bytes) -> Likeness:
    """Certain by the columns of a family. Names, and a line of as many cells, may be a table of any program."""
    text = head[:_MOST_BYTES].removeprefix(BYTE_ORDER_MARK)
    if not text or text[:1] in b"{[<" or b"," not in text or not is_text(text):
        return Likeness.NONE
    lines = text[:_MOST_BYTES].splitlines()[:2]
    header = _cells(lines[0])
    if _is_of_family(header):
        return Likeness.CERTAIN
    is_header = len(header) > 1 and all(map(_is_name, header)) and any(cell.isidentifier() for cell in header)
    fits = len(lines) > 1 and len(_cells(lines[1])) in (len(header), _MOST_CELLS)
    return Likeness.BEGINS if is_header and fits else Likeness.NONE


def _cells(line: bytes) -> tuple[str, ...]:
    """The first cells of a line; none where it is no line of a table."""
    try:
        rows = list(csv.reader([line.decode(errors="replace")], skipinitialspace=True))
    except csv.Error:
        return ()
    return tuple(cell.strip() for row in rows[:1] for cell in row[:_MOST_CELLS])


@lru_cache(_KEPT_HEADERS)
def _is_of_family(header: tuple[str, ...]) -> bool:
    plain = frozenset(map(plain_header, header))
    return any(family.columns <= plain for family in FAMILIES)


def is_named_table(path: Path, head: bytes) -> bool:
    """True for a file that its name, or its folder, says to be one of these."""
    text = head.removeprefix(BYTE_ORDER_MARK).lstrip(WHITE_SPACE)
    if not is_text(text) or has_event_mark(text):
        return False
    stem, name = stem_of(path), without_ending(path.name)
    if name.endswith(".json"):
        return text[:1] in (b"{", b"[") and bool(json_family(stem))
    if name.endswith(".txt"):
        return bool(text_family(stem))
    return name.endswith(".csv") and (capture_position(path) is not None or path.parent.name == "profiler")


def _is_name(cell: str) -> bool:
    return 0 < len(cell) <= _LONGEST_NAME and cell.isprintable() and _NOT_IN_NAMES.isdisjoint(cell)
