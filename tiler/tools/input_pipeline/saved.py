"""An input pipeline page that the Cloud TPU profiler or XProf saved: what is shown without a trace."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from tilescope.tiler.facts.imports import SavedPage
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Answer, Column, Fact, Table, Value
from tilescope.tiler.tools.imported.json_values import ticks
from tilescope.tiler.tools.imported.page_steps import (
    input_share_fact,
    parts_table,
    step_charts,
    step_facts,
    step_notes,
    step_table,
    steps_of_page,
)
from tilescope.tiler.tools.imported.page_tables import PageTable, PageTables, read_tables
from tilescope.tiler.tools.imported.saved_notes import saved_notes, stated_notes
from tilescope.tiler.tools.input_pipeline.host_side import InputCategory
from tilescope.tiler.tools.input_pipeline.host_tables import (
    CATEGORY_TITLES,
    CategoryTimes,
    categories_chart,
    categories_table,
)
from tilescope.tiler.tools.input_pipeline.levels import verdict

if TYPE_CHECKING:
    from tilescope.tiler.tools.input_pipeline import InputPipelineQuestion

PAGE: Final = "input_pipeline"

_MS_PS: Final = 10**9
_US_PS: Final = 10**6
_NOT_SAID: Final = "the file does not say"

# Of each category its property, in microseconds, and its name in the table of operations.
_CATEGORIES: Final[Mapping[InputCategory, tuple[str, str]]] = {
    InputCategory.ENQUEUE: ("enqueue_us", "Enqueue"),
    InputCategory.PREPROCESSING: ("preprocessing_us", "Preprocessing"),
    InputCategory.ADVANCED: ("advanced_file_read_us", "Advanced file read"),
    InputCategory.DEMANDED: ("demanded_file_read_us", "Demanded file read"),
    InputCategory.UNCLASSIFIED: ("unclassified_nonequeue_us", "Unclassified"),
}
# Sentences of the file, those of newer versions first.
_SENTENCES: Final = ("input_conclusion", "summary_conclusion", "output_conclusion", "summary_nextstep")


def saved_answer(reader: QueryReader, question: InputPipelineQuestion, saved: SavedPage) -> Interruptible[Answer]:
    """Steps and input operations as the file has them, of the whole capture."""
    parsed = yield from saved.parsed(reader)
    page = yield from read_tables(parsed)
    steps = steps_of_page(page)
    yield
    tick_ps = reader.tick_ps
    input_fact = input_share_fact(steps)
    share = steps.input_share
    judgement = None if share is None else verdict(share)
    facts = [
        Fact("verdict", "Verdict", None if judgement is None else judgement.word, "text", input_fact.note),
        Fact("where", "Where to look", None if judgement is None else judgement.where, "text", input_fact.note),
        input_fact,
        *step_facts(page, steps, tick_ps),
        *(_waits(page) if steps.names else ()),
    ]
    tables = [parts_table(steps, tick_ps), step_table(steps, tick_ps, question.limit)] if steps.names else []
    charts = step_charts(steps, tick_ps, question.limit)
    yield
    operations = page.with_column("opName")
    times = _host_times(page, operations, tick_ps)
    why = "of those in the file" if operations.rows else "the file lists no operations of the host"
    own = sum(times.own.values()) if times is not None and operations.rows else None
    facts.append(Fact("host_input", "Input work of hosts", own, "ticks", why))
    if times is not None:
        tables.append(categories_table(times))
        charts.append(categories_chart(times))
    if operations.rows:
        tables.append(_operations_table(operations, tick_ps, question.limit))
    notes = [*stated_notes(page, _SENTENCES), *step_notes(page, steps), *saved_notes(question, page.notes)]
    return Answer(facts, tables, charts, notes)


def _waits(page: PageTables) -> list[Fact]:
    """The share of waiting, step by step, as the file states it; nothing where it has none."""
    named = (
        ("infeed_mean", "Waits, mean of steps", "average"),
        ("infeed_deviation", "Deviation of waits", "standard_deviation"),
        ("infeed_min", "Least", "minimum"),
        ("infeed_max", "Most", "maximum"),
    )
    facts = [(name, title, page.share(f"infeed_percent_{word}")) for name, title, word in named]
    if all(share is None for _, _, share in facts):
        return []
    return [
        Fact(name, title, share, "fraction", "of the core that waits longest" if share is not None else _NOT_SAID)
        for name, title, share in facts
    ]


def _host_times(page: PageTables, table: PageTable, tick_ps: int) -> CategoryTimes | None:
    """Times of categories; None: the file has neither these nor operations."""
    explained = {
        category: ticks(page.amount(name), _US_PS, tick_ps) or 0 for category, (name, _) in _CATEGORIES.items()
    }
    if not table.rows and not any(explained.values()):
        return None
    own = dict.fromkeys(InputCategory, 0)
    greatest: dict[InputCategory, tuple[int, str]] = {}
    times = _times(table, "selfTimeInMs", tick_ps)
    for name, category, time in zip(table.texts("opName"), _categories(table), times, strict=True):
        own[category] += time or 0
        if (time or 0) > greatest.get(category, (0, ""))[0]:
            greatest[category] = time or 0, name or ""
    return CategoryTimes(own, explained, {category: name for category, (_, name) in greatest.items()})


def _operations_table(table: PageTable, tick_ps: int, limit: int) -> Table:
    """Operations in the order of the file, with its shares."""
    shares = table.numbers("selfTimeInPercent") or [None] * table.rows
    counts = [ticks(count, 1, 1) for count in table.numbers("count") or [None] * table.rows]
    own = _times(table, "selfTimeInMs", tick_ps)
    columns = [
        Column("name", "Operation", "name", [name or "" for name in table.texts("opName")][:limit]),
        Column("category", "Category", "text", [CATEGORY_TITLES[category] for category in _categories(table)][:limit]),
        Column("count", "Count", "count", counts[:limit]),
        Column("total", "Total", "ticks", _times(table, "timeInMs", tick_ps)[:limit]),
        Column(
            "total_share",
            "Of all",
            "fraction",
            list(table.numbers("timeInPercent") or [None] * table.rows)[:limit],
            total="none",
        ),
        Column("self", "Self", "ticks", own[:limit]),
        Column("share", "Self of all", "fraction", list(shares[:limit])),
        Column(
            "cumulative",
            "Cumulative",
            "fraction",
            list(accumulate(share or 0.0 for share in shares[:limit])),
            total="max",
        ),
    ]
    totals: dict[str, Value] = {"count": sum(count or 0 for count in counts), "self": sum(time or 0 for time in own)}
    left = slice(limit, None)
    rest: dict[str, Value] = {
        "count": sum(count or 0 for count in counts[left]),
        "self": sum(time or 0 for time in own[left]),
    }
    return Table("input_operations", "Input operations", columns, totals=totals, rest=rest if counts[left] else None)


def _categories(table: PageTable) -> list[InputCategory]:
    by_word = {word: category for category, (_, word) in _CATEGORIES.items()}
    return [by_word.get(word or "", InputCategory.UNCLASSIFIED) for word in table.texts("category")]


def _times(table: PageTable, name: str, tick_ps: int) -> list[int | None]:
    return [ticks(ms, _MS_PS, tick_ps) for ms in table.numbers(name) or [None] * table.rows]
