"""Pages that the Cloud TPU profiler saved as JSON, as facts and tables: what is left of captures that are gone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.imports import SavedPage, saved_pages
from tilescope.tiler.facts.imports.saved_pages import version_of
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.imported.buffers import buffers_answer
from tilescope.tiler.tools.imported.cores import cores_answer
from tilescope.tiler.tools.imported.data_tables import data_tables_answer
from tilescope.tiler.tools.imported.profile_tree import profile_tree_answer
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Reason, Tool

_SHOW: Final[Mapping[str, Callable[[Any, int], Interruptible[Answer]]]] = {
    "pod_viewer": cores_answer,
    "op_profile": profile_tree_answer,
    "memory_viewer": buffers_answer,
    "overview_page": data_tables_answer,
    "input_pipeline": data_tables_answer,
}

_OWN_FACTS: Final = frozenset({"page", "file", "version"})


class ImportedQuestion(Question, frozen=True, kw_only=True):
    """One saved page of a run."""

    page: Annotated[
        int, Meta(ge=0, description="Which of the run's saved pages, by its number in the table of pages.")
    ] = 0


def _answer(scope: Scope, question: ImportedQuestion) -> Interruptible[Answer]:
    pages = saved_pages(scope.reader)
    if question.page >= len(pages):
        lacking = Note("warning", f"there is no saved page {question.page}: see the table of pages")
        return Answer(tables=[_pages(pages)], notes=[lacking])
    page = pages[question.page]
    parsed = yield from page.parsed(scope.reader)
    shown = yield from _SHOW[page.page](parsed, scope.reader.tick_ps)
    facts = [
        Fact("page", "Page", page.title, "text"),
        Fact("file", "File", page.entry.label, "text"),
        Fact("version", "Looks like", version_of(page.page, parsed), "text"),
        *(fact for fact in shown.facts if fact.id not in _OWN_FACTS),
    ]
    tables = [*shown.tables, _pages(pages)] if len(pages) > 1 else shown.tables
    note = Note("info", "figures are as the file has them: there is no trace to compare them with")
    return Answer(facts, tables, shown.series, [note, *shown.notes])


def _pages(pages: Sequence[SavedPage]) -> Table:
    columns = [
        Column("number", "Number", "id", list(range(len(pages)))),
        Column("title", "Page", "text", [page.title for page in pages]),
        Column("host", "Host", "text", [page.entry.host or None for page in pages]),
        Column("file", "File", "text", [page.entry.label for page in pages]),
    ]
    return Table("pages", "Saved pages of this run", columns)


def _availability(scope: Scope) -> Reason:
    if saved_pages(scope.reader):
        return ""
    return "the run has no page that the Cloud TPU profiler saved as JSON: it was made of a trace"


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    if not figures.text("page"):
        return ""
    tables = plural(len(answer.tables), "table", "tables")
    return f"{figures.text('page')} of {figures.text('file')}, with {tables}"


TOOL: Final = Tool(
    id="imported",
    title="Imported page",
    help="what a page holds that the Cloud TPU profiler saved as JSON",
    group="raw",
    question=ImportedQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
)
