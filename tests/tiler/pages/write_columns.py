"""Writes the columns of `tiler/pages/columns.py` into docs/page-format.md and the TypeScript client: `make types`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tilescope.tiler.pages.columns import Col, Where
from tilescope.tiler.store.version import STORE_VERSION

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = ROOT / "docs" / "page-format.md"
CLIENT: Final = ROOT / "viewer" / "client" / "src"

_TABLE: Final = re.compile(r"<!-- columns: (\w+) -->\n(?:\*In [^\n]*\n\n)?(?:\|[^\n]*\n)*")
_HEAD: Final = "| id | name | type | unit | since | meaning |\n|---|---|---|---|---|---|\n"

# What the client decodes: of what is served, and of what it reads of archives alone, which is loaded late.
_SERVED: Final = (
    Where.TILES,
    Where.SLICES,
    Where.BINS,
    Where.RESIDUAL,
    Where.COUNTER_BINS,
    Where.SAMPLES,
    Where.SHAPE,
    Where.OVERVIEW,
)
_OF_ARCHIVES: Final = (
    Where.ARCHIVE_DIRECTORY,
    Where.FLOW_ENDS,
    Where.LAUNCHES,
    Where.LAUNCH_PLACES,
    Where.HISTOGRAM,
    Where.SPREAD,
    Where.PAGE_NAMES,
    Where.OPERATIONS,
)

_STORE_VERSION: Final = f"export const STORE_VERSION = {STORE_VERSION};"

# The modules of column ids.
MODULES: Final = {CLIENT / "pages" / "columns.ts": _SERVED, CLIENT / "archive" / "columns.ts": _OF_ARCHIVES}


def page_text(page: str) -> str:
    """The page with its tables of columns as they are."""
    return _TABLE.sub(lambda match: f"<!-- columns: {match[1]} -->\n{_table(Where[match[1]])}", page)


def typescript_text(places: Sequence[Where]) -> str:
    """The module of the ids of some columns."""
    lines = ["/** The columns of docs/page-format.md, by id. Written by `make types` from tiler/pages/columns.py. */\n"]
    for type_, name in (("int64", "INTS"), ("float64", "FLOATS")):
        columns = [column for column in Col if column.type == type_ and column.where in places]
        if not columns:
            continue
        lines.append(f"\n/** Columns of {type_}. */\nexport const {name} = {{\n")
        lines += [f"  /** {_meaning(column)} */\n  {_camel(column.name)}: {column.value},\n" for column in columns]
        lines.append("} as const;\n")
    if Where.ARCHIVE_DIRECTORY in places:
        lines.append(f"\n/** What the records of archives hold: of tiler/store/version.py. */\n{_STORE_VERSION}\n")
    return "".join(lines)


def _table(where: Where) -> str:
    rows = [
        (column.value, column.name.lower(), column.type, column.unit, column.since, column.meaning)
        for column in Col
        if column.where is where
    ]
    return f"*In {where.value}.*\n\n{_HEAD}" + "".join(f"| {' | '.join(map(str, row))} |\n" for row in rows)


def _meaning(column: Col) -> str:
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", column.meaning)
    return f"{plain}: {column.unit}." if column.unit else f"{plain}."


def _camel(name: str) -> str:
    return re.sub("_([a-z])", lambda match: match[1].upper(), name.lower())


if __name__ == "__main__":
    PAGE.write_text(page_text(PAGE.read_text()))
    for module, places in MODULES.items():
        module.write_text(typescript_text(places))
