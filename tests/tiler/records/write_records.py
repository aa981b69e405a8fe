"""Writes the kinds of records of `tiler/records/catalogue.py` into docs/page-format.md: `make types`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tilescope.tiler.records.catalogue import RECORDS
from tilescope.tiler.records.record import KEY_NUMBERS, Record

PAGE: Final = Path(__file__).parents[3] / "docs" / "page-format.md"

_TABLE: Final = re.compile(r"<!-- records -->\n(?:\|[^\n]*\n)*")
_HEAD: Final = "| key | numbers | what | while a run is indexed | `tilescope verify` |\n|---|---|---|---|---|\n"
_WIDTHS: Final = {"B": "u8", "I": "u32", "Q": "u64"}


def page_text(page: str) -> str:
    """The page with the table of records as it is."""
    return _TABLE.sub(lambda _: f"<!-- records -->\n{_HEAD}" + "".join(map(_row, RECORDS)), page)


def _row(record: Record) -> str:
    numbers = ", ".join(f"{number} ({_WIDTHS[KEY_NUMBERS[number]]})" for number in record.numbers)
    cells = f"`{record.letter.decode()}`", numbers, record.doc, record.available.value, record.proof
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    PAGE.write_text(page_text(PAGE.read_text()))
