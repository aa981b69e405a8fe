"""Answers about runs of tables: files of the corpus, or written here."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.corpus import corpus_path
from tests.reports.traces import answer
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.answer import values_of


def corpus_tables(folder: Path, *names: str) -> Path:
    """A store of some Ascend files of the corpus."""
    build_store([corpus_path(f"ascend/{name}") for name in names], folder / "run.store")
    return folder / "run.store"


def written_tables(folder: Path, **contents: str) -> Path:
    """A store of files by name, the last `_` of which is the dot: `flops_0_txt`."""
    paths = []
    for name, content in contents.items():
        stem, _, ending = name.rpartition("_")
        paths.append(folder / f"{stem}.{ending}")
        paths[-1].write_text(content)
    build_store(paths, folder / "run.store")
    return folder / "run.store"


def table_answer(name: str, store: Path, /, **values: Any) -> Answer:
    """The answer of a tool."""
    with closing(open_run_store(store)) as run_store:
        return answer(QueryReader(run_store), name, **values)


def column(answer: Answer, table: str, name: str) -> list[Any]:
    """The values of a column."""
    return list(values_of(answer.table(table).column(name)))


def texts(answer: Answer) -> str:
    """The sentence and all notes, line by line."""
    headline = [] if answer.headline is None else [answer.headline]
    return "\n".join(note.text for note in (*headline, *answer.notes))


def rows_of(answer: Answer, table: str, *columns: str) -> Sequence[tuple[Any, ...]]:
    """Some columns of a table, row by row."""
    return list(zip(*(values_of(answer.table(table).column(name)) for name in columns), strict=True))
