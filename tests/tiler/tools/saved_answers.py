"""Answers of tools about runs that have files of saved pages."""

from __future__ import annotations

from pathlib import Path

from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool


def ask_page(name: str, paths: list[Path], folder: Path, **values: object) -> tuple[Answer, int]:
    """The answer of a tool, and ps a tick."""
    build_store(paths, folder / "store")
    reader = QueryReader(open_run_store(folder / "store"))
    page = tool(name)
    assert page.availability(Scope(reader)) == ""
    return finish(ask(page, Scope(reader), from_values(page.question, values))), reader.tick_ps
