"""Tells tables of Ascend profilers by their headers: that of a family is certain, any other only begins so."""

from __future__ import annotations

import csv
import re
from typing import Final

from tilescope.tiler.readers.ascend.families import FAMILIES, plain_name
from tilescope.tiler.readers.format import Likeness
from tilescope.tiler.readers.text import BYTE_ORDER_MARK, is_text

_MOST_CELLS: Final = 4096  # of a header that is looked at
_MOST_BYTES: Final = 64 << 10
_NAME: Final = re.compile(r"[^<>{}=;\x00-\x1f\x7f]{1,200}")


def looks_like_table(head: bytes) -> Likeness:
    """Certain by the columns of a family. Names, and a line of as many cells, may be a table of any program."""
    text = head[:_MOST_BYTES].removeprefix(BYTE_ORDER_MARK)
    if not text or text[:1] in b"{[<" or b"," not in text or not is_text(text):
        return Likeness.NONE
    try:
        lines = csv.reader(text.decode(errors="replace").splitlines(), skipinitialspace=True)
        header = [cell.strip() for cell in next(lines, [])[:_MOST_CELLS]]
        first = next(lines, None)
    except csv.Error:
        return Likeness.NONE
    plain = frozenset(map(plain_name, header))
    if any(family.columns <= plain for family in FAMILIES):
        return Likeness.CERTAIN
    is_header = len(header) > 1 and all(_NAME.fullmatch(cell) for cell in header)
    fits = first is not None and len(first) in (len(header), _MOST_CELLS)
    return Likeness.BEGINS if is_header and fits and any(cell.isidentifier() for cell in header) else Likeness.NONE
