"""Processors of hosts while data are prepared: the machine, the process, and each operation of the pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.file_faults import PROCESSORS, with_faults
from tilescope.tiler.facts.ascend.processors import (
    Metric,
    ProcessorUse,
    curve_mean,
    has_processor_use,
    processor_uses,
    processors_left_out,
)
from tilescope.tiler.query import Interruptible
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Fact, Note
from tilescope.tiler.tools.cpu.advice import advice
from tilescope.tiler.tools.cpu.charts import charts
from tilescope.tiler.tools.cpu.tables import TITLES, load_table, means_table, operations_table
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

NOT_RECORDED: Final = (
    "no file of the run has the use of processors: MindSpore's profiler writes minddata_cpu_utilization_N.json where "
    "data come through mindspore.dataset, with Profiler(data_process=True)"
)

_MS_PS: Final = 10**9
_USUAL_INTERVAL_MS: Final = 1000


class CpuQuestion(Question, frozen=True, kw_only=True):
    """All samples of a rank: they have no times of the timeline."""

    rank: Annotated[
        Annotated[int, Meta(ge=0)] | None,
        Meta(description="The rank whose operations and curves are shown; else the first."),
    ] = None


def _answer(scope: Scope, question: CpuQuestion) -> Interruptible[Answer]:
    uses = yield from processor_uses(scope.reader)
    shown = next((use for use in uses if question.rank in (None, use.place.number)), None)
    if shown is None:
        return Answer(
            tables=[means_table(uses)], notes=[Note("warning", f"nothing of rank {question.rank} was recorded")]
        )
    yield
    tables = [means_table(uses)]
    yield
    if shown.operations:
        tables.append(operations_table(shown))
        yield
    tables.append(load_table(uses))
    yield
    series = yield from charts(shown)
    facts = _facts(shown, scope.reader.tick_ps)
    yield
    notes = _notes(shown, uses)
    if words := processors_left_out(scope.reader):
        notes.append(Note("warning", words))
    return Answer(facts, tables, series, notes)


def _facts(use: ProcessorUse, tick_ps: int) -> list[Fact]:
    means = {metric: curve_mean(use.machine.get(metric, ())) for metric in (Metric.USER, Metric.SYSTEM, Metric.IO)}
    interval = None if use.interval_ms is None else nearest_mean(use.interval_ms * _MS_PS, tick_ps)
    not_there = "the file does not say"
    others = use.others
    return [
        Fact("rank", "Rank", use.place.name, "text"),
        Fact("busy", "Machine busy", None if use.busy is None else float(use.busy / 100), "fraction",
             not_there if use.busy is None else "all but the mean of idle"),
        Fact("busy_rounded", "Busy, as MindSpore Insight", use.busy_rounded, "count",
             not_there if use.busy is None else "in %: 100 without the mean of idle, which is rounded"),
        *(
            Fact(metric.value, TITLES[metric], None if value is None else float(value / 100), "fraction",
                 not_there if value is None else "of all processors, mean of the samples")
            for metric, value in means.items()
        ),
        Fact("others", "Other processes", None if others is None else float(others / 100), "fraction",
             not_there if others is None else "what the machine runs without this process"),
        Fact("processors", "Processors", use.processors, "count", "" if use.processors is not None else not_there),
        Fact("samples", "Samples", use.samples, "count"),
        Fact("interval", "From sample to sample", interval, "ticks", "" if interval is not None else not_there),
    ]  # fmt: skip


def _notes(shown: ProcessorUse, uses: Sequence[ProcessorUse]) -> list[Note]:
    notes = [Note("warning" if is_warning else "info", text) for is_warning, text in advice(shown)]
    every = "" if shown.interval_ms is None else f"the processors were sampled every {shown.interval_ms:,} ms: "
    notes.append(
        Note(
            "info",
            f"{every}mindspore.dataset.config.set_monitor_sampling_interval(ms) changes that, it is "
            f"{_USUAL_INTERVAL_MS:,} ms unless set; samples have no times of the timeline",
        )
    )
    if shown.operations and any(use.operation is None for use in shown.operations):
        notes.append(Note("info", "names and workers of operations are in pipeline_profiling_N.json, which lacks some"))
    if len(uses) > 1:
        notes.append(Note("info", f"operations and curves are of rank {shown.place.name}; ask for another by its rank"))
    damaged = sum(use.damaged for use in uses)
    if damaged:
        notes.append(Note("warning", f"{plural(damaged, 'value', 'values')} could not be read"))
    return notes


def _availability(scope: Scope) -> str:
    return "" if has_processor_use(scope.reader) else with_faults(scope.reader, NOT_RECORDED, PROCESSORS)


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    if not figures.text("busy"):
        return f"How busy the machine of rank {figures.text('rank')} is was not recorded"
    busy = f"busy {figures.text('busy')} of the time"
    parts = f"{figures.text('user')} in programs, {figures.text('system')} in the system"
    return f"The processors of the machine of rank {figures.text('rank')} are {busy}: {parts}"


TOOL: Final = Tool(
    id="cpu",
    title="CPU",
    help="how busy processors are while data are prepared",
    group="waiting",
    question=CpuQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
)
