"""An overview page that the Cloud TPU profiler or XProf saved: what is shown without a trace."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tilescope.tiler.facts.imports import SavedPage
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.imported.json_values import whole
from tilescope.tiler.tools.imported.page_steps import (
    input_share_fact,
    parts_table,
    step_charts,
    step_facts,
    step_notes,
    steps_of_page,
)
from tilescope.tiler.tools.imported.page_tables import PageTable, PageTables, read_tables
from tilescope.tiler.tools.imported.saved_notes import saved_notes, stated_notes
from tilescope.tiler.tools.overview.performance import in_order
from tilescope.tiler.tools.overview.top import TITLE, shortened

if TYPE_CHECKING:
    from tilescope.tiler.tools.overview import OverviewQuestion

PAGE: Final = "overview_page"

_MAX_STEPS: Final = 2000
_MOST_TIPS: Final = 20
_NOT_SAID: Final = "the file does not say"
_ZERO: Final = "files have 0 also where nothing was recorded"
_COUNT: Final = re.compile(r"(\d{1,9})\s*(?:\((.*)\))?")

# Shares of the file by the ids and titles that traces have for the same.
_SHARES: Final = (
    ("device_idle", "Device idle", "device_idle_time_percent"),
    ("duty_cycle", "Duty cycle", "device_duty_cycle_percent"),
    ("flops_of_peak", "FLOPS of peak", "flop_rate_utilization_relative_to_roofline"),
    ("hbm_of_peak", "HBM rate of peak", "memory_bw_utilization_relative_to_hw_limit"),
    ("low_precision", "16-bit compute", "device_compute_16bit_percent"),
    ("mxu", "MXU busy", "mxu_utilization_percent"),
    ("hbm", "HBM busy", "hbm_utilization_percent"),
    ("host_idle", "Host idle", "host_idle_time_percent"),
    ("eager", "Run eagerly", "host_op_time_eager_percent"),
)
_SENTENCES: Final = (
    *("statement", "input_conclusion", "output_conclusion", "device_collectives_statement"),
    *("kernel_launch_statement", "all_other_statement", "precision_statement", "remark_text"),
)
_TIPS: Final = {"host": {"host"}, "device": {"device"}, "both": {"host", "device"}}


def saved_answer(reader: QueryReader, question: OverviewQuestion, saved: SavedPage) -> Interruptible[Answer]:
    """Figures, steps and operations as the file has them, of the whole capture."""
    parsed = yield from saved.parsed(reader)
    page = yield from read_tables(parsed)
    steps = steps_of_page(page)
    yield
    tick_ps = reader.tick_ps
    facts = [
        _count(page, "hosts", "Hosts", "host_count"),
        _text(page, "device_type", "Device", "device_type"),
        _count(page, "devices", "Devices", "device_core_count"),
        *_task(page),
        *step_facts(page, steps, tick_ps, "step_"),
        input_share_fact(steps),
        *(_share(page, name, title, key) for name, title, key in _SHARES),
    ]
    operations = page.with_column("selfTimePercent")
    tables = [_operations_table(operations, question.limit)] if operations.rows else []
    if steps.parts and steps.names:
        tables.append(parts_table(steps, tick_ps))
    charts = [chart for chart in step_charts(steps, tick_ps, _MAX_STEPS) if chart.id == "steps"]
    notes = [
        *stated_notes(page, _SENTENCES),
        *_tips(page),
        *step_notes(page, steps),
        *saved_notes(question, page.notes),
    ]
    return Answer(in_order(facts), tables, charts, notes)


def _operations_table(table: PageTable, limit: int) -> Table:
    """Operations in the order of the file, without times: it has shares alone."""
    names = [name or "" for name in table.texts("operation")[:limit]]
    rates = [None if rate is None else rate * 1e9 for rate in _numbers(table, "flopRate")[:limit]]
    columns = [
        Column("name", "Operation", "name", [shortened(name) for name in names]),
        Column("category", "Category", "text", [category or None for category in table.texts("category")[:limit]]),
        Column("share", "Share", "fraction", list(_numbers(table, "selfTimePercent")[:limit])),
        Column(
            "cumulative", "Cumulative", "fraction", list(_numbers(table, "cumulativeTimePercent")[:limit]), total="max"
        ),
        Column("flop_rate", "FLOP rate", "rate", rates, "FLOP/s", total="none"),
        Column("full", "Full name", "text", names),
    ]
    return Table("operations", TITLE, columns)


def _numbers(table: PageTable, name: str) -> list[float | None]:
    return list(table.numbers(name) or [None] * table.rows)


def _share(page: PageTables, name: str, title: str, key: str) -> Fact:
    share = page.share(key)
    return Fact(name, title, share, "fraction", _NOT_SAID if share is None else "" if share else _ZERO)


def _text(page: PageTables, name: str, title: str, key: str) -> Fact:
    words = page.words(key)
    return Fact(name, title, words, "text", "" if words else _NOT_SAID)


def _count(page: PageTables, name: str, title: str, key: str) -> Fact:
    """A number, and what the file has in parentheses behind it."""
    match = _COUNT.fullmatch(page.words(key) or "")
    if match is None:
        return Fact(name, title, None, "count", _NOT_SAID)
    return Fact(name, title, whole(match[1]), "count", match[2] or "")


def _task(page: PageTables) -> list[Fact]:
    is_training = page.words("is_training")
    if is_training not in ("true", "false"):
        return []
    return [Fact("task", "Task", "training" if is_training == "true" else "inference, or not marked", "text")]


def _tips(page: PageTables) -> list[Note]:
    """Advice of the file on the bottleneck that it names."""
    kinds = _TIPS.get(page.words("bottleneck") or "", set())
    table = page.with_column("tip_type")
    rows = zip(table.texts("tip_type"), table.texts("description"), table.texts("link"), strict=True)
    tips = [": ".join(part for part in (title, tip) if part) for kind, title, tip in rows if kind in kinds]
    return [Note("info", f"the file says: {tip}") for tip in tips[:_MOST_TIPS] if tip]
