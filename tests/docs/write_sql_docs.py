"""Writes the tables into docs/sql.md; run it with `make sql-docs`. A test compares the two."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tilescope.tiler.tables import TABLES

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "sql.md"
_TABLES: Final = re.compile(r"(<!-- tables -->\n).*(<!-- /tables -->)", re.DOTALL)


def render() -> str:
    """The page with the tables as they are."""
    parts = []
    for table in TABLES.values():
        rows = [
            f"| `{column.name}` | {column.type}{', or null' if column.is_nullable else ''} | {column.doc} |"
            for column in table.columns
        ]
        parts.append(
            "\n".join([f"`{table.name}`: {table.doc}", "", "| column | type | meaning |", "|---|---|---|", *rows])
        )
    text = "\n\n".join(parts)
    return _TABLES.sub(lambda match: f"{match[1]}{text}\n{match[2]}", PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    PAGE.write_text(render(), encoding="utf-8")
