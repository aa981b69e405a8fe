"""What leads from a row to all events that it is about: a search for their name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tilescope.tiler.tools.answer import Column

MOST_CHARACTERS: Final = 460  # a search takes 512


def query_column(names: Iterable[str | None]) -> Column:
    """A column with a search for the events of each row, by their name; None: there is none, or it is too long."""
    return Column("query", "Search", "text", [None if name is None else _exactly(name) for name in names])


def _exactly(name: str) -> str | None:
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' if 0 < len(escaped) <= MOST_CHARACTERS else None
