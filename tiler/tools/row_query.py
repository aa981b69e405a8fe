"""Searches that lead from a row to all events that it is about, by their name and category."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest
from typing import Final

from tilescope.tiler.tools.answer import Column

MOST_CHARACTERS: Final = 460  # a search takes 512
QUERY: Final = "query"  # id of the column


def query_column(names: Iterable[str | None], categories: Iterable[str] = ()) -> Column:
    """A column with a search for the events of each row, by their name; None: there is none, or it is too long.

    `categories`: of the first rows, "" where there is none.
    """
    pairs = zip_longest(names, categories, fillvalue="")
    return Column(
        QUERY, "Search", "text", [None if name is None else name_query(name, category) for name, category in pairs]
    )


def category_query(category: str) -> str | None:
    """A search for all events of a category; None: there is none, or it is too long."""
    query = f"cat:{_quoted(category)}"
    return query if category and len(query) <= MOST_CHARACTERS + 2 else None


def name_query(name: str, category: str) -> str | None:
    """A search for all events of a name and a category; None: there is no name, or it is too long."""
    query = _quoted(name) + (f" cat:{_quoted(category)}" if category else "")
    return query if name and len(query) <= MOST_CHARACTERS + 2 else None


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
