"""Searches and names that lead from a row to all events that it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Final

from tilescope.tiler.tools.answer import Column
from tilescope.tiler.tools.question import MAX_EVENT_NAME, Tracks
from tilescope.tiler.tools.row_question import RowQuestion

MOST_CHARACTERS: Final = 460  # a search takes 512
QUERY: Final = "query"  # id of the column
EVENT_NAME: Final = "event_name"  # id of the column of names: viewers do not show it


def query_column(names: Iterable[str | None], categories: Iterable[str] = ()) -> Column:
    """A column with a search for the events of each row, by their name; None: there is none, or it is too long.

    `categories`: of the first rows, "" where there is none.
    """
    pairs = zip_longest(names, categories, fillvalue="")
    return Column(
        QUERY, "Search", "text", [None if name is None else name_query(name, category) for name, category in pairs]
    )


def event_name_column(names: Iterable[str | None]) -> Column:
    """A column with the whole name of the events of each row, for the questions that it opens; None: there is none."""
    fitting = [name if name and len(name) <= MAX_EVENT_NAME else None for name in names]
    return Column(EVENT_NAME, "Name of its events", "text", fitting)


def category_query(category: str) -> str | None:
    """A search for all events of a category; None: there is none, or it is too long."""
    query = f"cat:{_quoted(category)}"
    return query if category and len(query) <= MOST_CHARACTERS + 2 else None


def name_query(name: str, category: str) -> str | None:
    """A search for all events of a name and a category; None: there is no name, or it is too long."""
    query = _quoted(name) + (f" cat:{_quoted(category)}" if category else "")
    return query if name and len(query) <= MOST_CHARACTERS + 2 else None


def arguments_query(arguments: Mapping[str, str]) -> str | None:
    """A search for the events with all of these arguments; None: there are none, or it is too long."""
    query = " ".join(f"arg:{_quoted(name)}={_quoted(text)}" for name, text in arguments.items())
    return query if query and len(query) <= MOST_CHARACTERS else None


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def opens(
    tool: str, label: str, field: str, tracks: Tracks | None, *, column: str = EVENT_NAME, **values: str
) -> RowQuestion:
    """A question to `tool` about the events of a row, by their name, on the tracks that were asked about."""
    chosen = {} if tracks is None else {"tracks": tracks.text()}
    return RowQuestion(tool, label, {field: column}, chosen | values)
