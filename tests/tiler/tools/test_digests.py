"""Digests on the overview: the same rows as on the pages of their tools, where a run has them."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.corpus import corpus_path
from tests.table_answers import table_answer
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import Interruptible
from tilescope.tiler.readers.logdir import find_run
from tilescope.tiler.tools.answer import Answer, values_of
from tilescope.tiler.tools.digest import PREFIX
from tilescope.tiler.tools.overview import digests as digests_module

TABLES = {"step_trace": "parts", "operators": "types", "input_pipeline": "data_stages"}


@pytest.fixture(scope="module")
def run_2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("digests")
    shutil.copytree(corpus_path("ascend/run_2"), folder / "run_2")
    build_store(list(find_run(folder / "run_2").files), folder / "run.store")
    return folder / "run.store"


def digests(answer: Answer) -> set[str]:
    return {table.id.removeprefix(PREFIX) for table in answer.tables if table.id.startswith(PREFIX)}


@pytest.mark.parametrize("tool", TABLES)
def test_a_digest_has_the_figures_of_its_page(run_2: Path, tool: str) -> None:
    digest = table_answer("overview", run_2).table(PREFIX + tool)
    page = table_answer(tool, run_2).table(TABLES[tool])
    assert len(digest)
    for column in digest.columns:
        assert values_of(column) == values_of(page.column(column.id))[: len(digest)], column.id


def test_a_digest_has_the_warnings_of_its_page_and_nothing_else(run_2: Path) -> None:
    """Notes on what a tool counts, and does not list, are of no use where its table stands among others."""
    overview = table_answer("overview", run_2)
    warned = 0
    for tool in TABLES:
        title = overview.table(PREFIX + tool).title
        page = table_answer(tool, run_2)
        for note in (*filter(None, [page.headline]), *page.notes):
            texts = [own.text for own in overview.notes if own.text in (note.text, f"{title}: {note.text}")]
            if note.severity == "warning":
                warned += 1
                assert len(texts) == 1, note.text
            else:
                assert f"{title}: {note.text}" not in texts
    assert warned


def test_of_tools_that_are_not_complete_the_overview_is_not(run_2: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def halves(*question: Any) -> Interruptible[Answer]:
        return replace((yield from operators.answer(*question)), is_complete=False)

    assert table_answer("overview", run_2).is_complete
    (operators,) = (tool for tool in digests_module._DIGESTED if tool.id == "operators")
    others = [replace(tool, answer=halves) if tool is operators else tool for tool in digests_module._DIGESTED]
    monkeypatch.setattr(digests_module, "_DIGESTED", others)
    assert not table_answer("overview", run_2).is_complete


def test_streams_are_those_of_the_device(run_2: Path) -> None:
    streams = table_answer("overview", run_2).table(f"{PREFIX}stats")
    assert values_of(streams.column("name")) == ["Stream 519"]
    assert streams.totals is not None
    assert streams.totals["count"] == 107


def test_of_a_part_of_a_run_there_are_digests_of_tools_that_take_a_span(run_2: Path) -> None:
    assert digests(table_answer("overview", run_2)) == {*TABLES, "stats"}
    assert digests(table_answer("overview", run_2, steps="1")) == {"step_trace", "input_pipeline", "stats"}
    assert digests(table_answer("overview", run_2, tracks="")) == {"input_pipeline"}


def test_other_runs_have_none(tmp_path: Path) -> None:
    build_store([corpus_path("kineto/df_index_resolver.json.gz")], tmp_path / "run.store")
    assert digests(table_answer("overview", tmp_path / "run.store")) == set()


def test_a_tool_that_has_no_answer_leaves_the_overview_as_it_is(run_2: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> Interruptible[Answer]:
        yield
        raise UsageError("there are too many rows")

    whole = digests(table_answer("overview", run_2))
    (operators,) = (tool for tool in digests_module._DIGESTED if tool.id == "operators")
    others = [replace(tool, answer=refuses) if tool is operators else tool for tool in digests_module._DIGESTED]
    monkeypatch.setattr(digests_module, "_DIGESTED", others)
    assert digests(table_answer("overview", run_2)) == whole - {"operators"}
