"""Sentences that answers begin with: every tool that a page shows has one, and its figures are those of the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.client.tool_questions import Material, questions
from tests.run_kinds import RUN_KINDS, build_run_kinds
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, AnyTool, Scope, ask, from_values, tools, values_of
from tilescope.tiler.tools.figures import Figures, figure_text, short_name

# A figure with its unit, as `figure_text` writes it: durations in two units as well.
_FIGURE = re.compile(r"[<>]?-?\d[\d,.]*(?: min(?: [\d.]+ s)?| (?:ps|ns|µs|ms|s|h|d|years|%|B|[kMGTP]B|[kMGTPE])\b| %)?")


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return build_run_kinds(tmp_path_factory.mktemp("kinds"))


def _figures(answer: Answer, tick_ps: int) -> set[str]:
    """All figures of an answer in words: facts, cells, totals, and how many tables and rows it has."""
    texts = {str(len(answer.tables)), *(str(len(table)) for table in answer.tables)}
    texts |= {figure_text(fact.kind, fact.value, tick_ps) for fact in answer.facts}
    for table in answer.tables:
        for column in table.columns:
            texts |= {figure_text(column.kind, value, tick_ps) for value in values_of(column)}
            texts.add(figure_text(column.kind, (table.totals or {}).get(column.id), tick_ps))
    return texts


def _names(answer: Answer) -> Iterator[str]:
    """Names within an answer, in which digits are no figures; the longest first."""
    names = {str(fact.value) for fact in answer.facts if fact.kind in ("text", "name")}
    names |= {fact.note for fact in answer.facts}
    for table in answer.tables:
        for column in table.columns:
            if column.kind in ("text", "name"):
                names |= {str(value) for value in values_of(column)}
    return iter(sorted({short_name(name) for name in names if name}, key=len, reverse=True))


def _ask(tool: AnyTool, reader: QueryReader, values: dict[str, object]) -> Answer | None:
    """None: the question is refused, as one about steps that are not marked."""
    try:
        return finish(ask(tool, Scope(reader), from_values(tool.question, values)))
    except UsageError:
        return None


@pytest.mark.parametrize("kind", RUN_KINDS)
def test_answers_of_pages_begin_with_a_sentence_whose_figures_they_have(kind: str, stores: dict[str, Path]) -> None:
    store = open_run_store(stores[kind])
    reader = QueryReader(store)
    answered = 0
    for tool in tools().values():
        ours = tool.question.__module__.startswith("tilescope.")
        if not ours or tool.availability(Scope(reader)):
            continue
        for values in questions(tool, Material(reader, [])):
            answer = _ask(tool, reader, values)
            if answer is None or not (answer.facts or answer.series):
                continue
            answered += 1
            headline = answer.headline
            assert headline is not None, (tool.id, values)
            assert headline.text.endswith((".", "…"))
            assert headline not in answer.notes
            text = tool.sentence(answer, reader.tick_ps)
            for name in _names(answer):
                text = re.sub(rf"(?<![\w.]){re.escape(name)}(?![\w.])", "…", text)
            unknown = set(_FIGURE.findall(text)) - _figures(answer, reader.tick_ps)
            assert not unknown, (tool.id, values, text)
    assert answered
    store.close()


def test_figures_that_are_not_recorded_are_no_text(stores: dict[str, Path]) -> None:
    store = open_run_store(stores["step_trace"])
    answer = finish(ask(tools()["step_trace"], Scope(QueryReader(store)), tools()["step_trace"].question()))
    store.close()
    figures = Figures(answer, 1)
    assert figures.text("none") == ""
    assert figures.value("none") is None
    assert figures.count("none") == 0
    assert figures.table("none") is None
    assert figures.greatest("none", "total") is None
    row = figures.greatest("steps", "duration")
    durations = values_of(answer.table("steps").column("duration"))
    assert row is not None
    assert durations[row] == max(int(value or 0) for value in durations)
    assert figures.cell("steps", "duration", row) == figure_text("ticks", durations[row], 1)
