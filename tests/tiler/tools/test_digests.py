"""Digests on the overview: the same rows as on the pages of their tools, where a run has them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.ascend_run import AscendShape, Training, write_ascend
from tests.corpus import corpus_path
from tests.table_answers import table_answer
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import Interruptible
from tilescope.tiler.readers.logdir import find_run
from tilescope.tiler.tools.answer import Answer, values_of
from tilescope.tiler.tools.digest import PREFIX
from tilescope.tiler.tools.operators import TOOL as OPERATORS
from tilescope.tiler.tools.overview import digests as digests_module
from tilescope.tiler.tools.tool import AnyTool

TABLES = {"step_trace": "parts", "operators": "types", "input_pipeline": "data_stages"}


@pytest.fixture(scope="module")
def run_2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("digests")
    shutil.copytree(corpus_path("ascend/run_2"), folder / "run_2")
    build_store(list(find_run(folder / "run_2").files), folder / "run.store")
    return folder / "run.store"


def digests(answer: Answer) -> set[str]:
    return {table.id.removeprefix(PREFIX) for table in answer.tables if table.id.startswith(PREFIX)}


def operators_answering(answer: Callable[..., Interruptible[Answer]]) -> list[AnyTool]:
    """The digested tools, of which operators have another answer, and another part of it."""
    assert OPERATORS.digest is not None
    other = replace(OPERATORS, answer=answer, digest=replace(OPERATORS.digest, answer=answer))
    return [other if tool is OPERATORS else tool for tool in digests_module._DIGESTED]


@pytest.fixture(scope="module", params=["ms", "pt"])
def ranks(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four ranks in two stages, of which one is slow, with links of which one is."""
    folder = tmp_path_factory.mktemp("ranks")
    write_ascend(folder / "run", Training(AscendShape(ranks=4, stages=2, steps=3)), request.param)
    build_store(list(find_run(folder / "run").files), folder / "run.store")
    return folder / "run.store"


@pytest.mark.parametrize("question", [{}, {"steps": "2"}, {"start": 20_000_000}, {"end": 1}], ids=str)
def test_ranks_and_types_have_the_figures_of_their_pages(ranks: Path, question: dict[str, Any]) -> None:
    """They are a part of these answers, which is read alone."""
    overview = table_answer("overview", ranks, **question)
    for tool, table in (("collectives", "proposals"), ("operators", "types")):
        if tool == "operators" and question:
            assert tool not in digests(overview)
            continue
        page = table_answer(tool, ranks, **question)
        pages_table = next((part for part in page.tables if part.id == table), None)
        assert (tool in digests(overview)) == (pages_table is not None)
        if pages_table is None:
            continue
        digest = overview.table(PREFIX + tool)
        for column in digest.columns:
            assert values_of(column) == values_of(pages_table.column(column.id))[: len(digest)], column.id
        texts = {note.text.removeprefix(f"{digest.title}: ") for note in overview.notes}
        warnings = {note.text for note in (*filter(None, [page.headline]), *page.notes) if note.severity == "warning"}
        assert warnings <= texts | {note.text for note in filter(None, [overview.headline])}


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
        return replace((yield from OPERATORS.answer(*question)), is_complete=False)

    assert table_answer("overview", run_2).is_complete
    monkeypatch.setattr(digests_module, "_DIGESTED", operators_answering(halves))
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
    monkeypatch.setattr(digests_module, "_DIGESTED", operators_answering(refuses))
    assert digests(table_answer("overview", run_2)) == whole - {"operators"}
