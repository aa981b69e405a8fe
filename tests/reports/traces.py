"""Small traces made after public bug reports, and what asks about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import RunStore, open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

FOLDER = Path(__file__).parent

# Indexes a file of the folder, by name, and returns what answers questions about it.
Open = Callable[[str], QueryReader]


def index_report(name: str, store: Path) -> RunStore:
    """A file of the folder, indexed into `store`. The caller closes it."""
    build_store([FOLDER / name], store)
    return open_run_store(store)


def answer(reader: QueryReader, tool_id: str, **question: Any) -> Answer:
    """The answer of a tool."""
    return finish(ask(tool(tool_id), Scope(reader), from_values(tool(tool_id).question, question)))


def rows(answer: Answer, table: str) -> list[Mapping[str, Any]]:
    """The rows of a table of an answer, by the ids of its columns."""
    columns = {column.id: values_of(column) for column in answer.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
