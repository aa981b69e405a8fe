"""Rates of a program against what the device could reach, as a whole, by step and by instruction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta
from msgspec.structs import replace

from tilescope.tiler.facts.operations import Operation, OpTable
from tilescope.tiler.facts.operations.exact_columns import Ints
from tilescope.tiler.facts.operations.operation_table import some_of
from tilescope.tiler.facts.operations.rates import Peaks, Rates, program, rates_of, roofs
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible
from tilescope.tiler.records.device.xla_words import is_feed
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.contract import Contract, Same
from tilescope.tiler.tools.environment import HBM, MXU, Environment, counter_facts, environment
from tilescope.tiler.tools.figures import figure_text
from tilescope.tiler.tools.operations import (
    AskedOperations,
    asked_operations,
    asked_programs,
    availability,
)
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.roofline.chart import MOST_POINTS, chart
from tilescope.tiler.tools.roofline.rows import Row, operation_columns, program_columns
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_range import StepRange
from tilescope.tiler.tools.tool import Tool

MAX_LISTED: Final = 100_000
DEFAULT_LISTED: Final = 200
MAX_STEPS: Final = 1000
_AT_ONCE: Final = 256
DEFAULT_STEPS: Final = 20

_NO_PEAKS: Final = (
    "the trace does not record the peak rates of the device, so there are no roofs. XSpace captures of TPUs have them "
    "in the stats of their planes, those of GPUs have generation, clock and memory bandwidth there"
)
_ONE_KNOWN: Final = "the FLOPs or the bytes of the program, or a peak rate of the device, were not recorded"


class RooflineQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Operations of TPU cores or GPUs in a span or in steps."""

    with_infeed: Annotated[
        bool, Meta(description="Whether infeed and outfeed, and the time they take, belong to the program.")
    ] = True
    each_step: Annotated[
        int, Meta(ge=0, le=MAX_STEPS, description="The most steps that are listed by themselves, the first ones.")
    ] = DEFAULT_STEPS
    limit: Annotated[int, Meta(ge=0, le=MAX_LISTED, description="The most instructions that are listed.")] = (
        DEFAULT_LISTED
    )


def _answer(scope: Scope, question: RooflineQuestion) -> Interruptible[Answer]:
    device_operations = yield from asked_operations(scope, question)
    if not device_operations.table.cores:
        return Answer(notes=device_operations.notes)
    every = _row("Program", program(device_operations.table, with_feeds=question.with_infeed), device_operations.peaks)
    order = _order(device_operations.table, with_feeds=question.with_infeed)
    yield
    programs = [
        Row("Total", every.operation, every.rates),
        *(yield from _steps(scope, question, device_operations.peaks)),
    ]
    run_environment = yield from environment(scope.reader, frozenset(scope.leaves(question.tracks)))
    programs += _counted(every, run_environment, device_operations.peaks)
    rows = [every, *_rows(device_operations, order[: max(question.limit, MOST_POINTS)])]
    series = chart(rows, device_operations.peaks)
    listed = rows[: question.limit + 1]
    first, *others = _notes(device_operations, every, order)
    return Answer(
        [*_facts(device_operations, every), *counter_facts(run_environment)],
        [
            Table("operations", "By instruction", operation_columns(listed, device_operations, every.operation.total)),
            Table("programs", "The program, as a whole and by step", program_columns(programs, device_operations)),
            _roofs(device_operations.peaks),
        ],
        [] if series is None else [series],
        [*device_operations.notes, *others],
        headline=first,
    )


def _row(label: str, whole: Operation, peaks: Peaks) -> Row:
    return Row(label, whole, rates_of(whole, peaks))


def _order(table: OpTable, *, with_feeds: bool) -> Ints:
    """Places of the operations that are rows, those that take most time first."""
    columns = table.columns
    order = columns.by_time()
    shown = with_feeds | ~columns.are(is_feed)
    places: Ints = order[shown[order]]
    return places


def _rows(device_operations: AskedOperations, places: Ints) -> list[Row]:
    instructions = some_of(device_operations.table.operations, places.tolist())
    return [_row(operation.metadata.name, operation, device_operations.peaks) for operation in instructions]


def _steps(scope: Scope, question: RooflineQuestion, peaks: Peaks) -> Interruptible[list[Row]]:
    """The program in an average step, and in each of the first ones."""
    if not question.each_step:
        return []
    run_steps = scope.reader.steps if question.step_name is None else (yield from scope.steps(question.step_name))
    first, last = question.steps or (0, 10**18)
    numbers = [number for number in run_steps.numbers.tolist() if first <= number <= last]
    if not numbers:
        return []
    n_notes = len(scope.notes)
    ranges = [StepRange.from_bounds(number, number) for number in numbers[: question.each_step]]
    questions = [
        replace(question, steps=step_range) for step_range in (StepRange.from_bounds(numbers[0], numbers[-1]), *ranges)
    ]
    every, *each = yield from asked_programs(scope, questions, with_feeds=question.with_infeed)
    del scope.notes[n_notes:]  # they are about single steps
    labelled = zip(numbers, each, strict=False)
    rows = [_row(f"Step {number}", operation, peaks) for number, operation in labelled if operation is not None]
    return rows if every is None else [_averaged(every, len(numbers), peaks), *rows]


def _counted(every: Row, run_environment: Environment, peaks: Peaks) -> list[Row]:
    """Row of what the hardware counted itself, as shares of the peaks; none where it was not recorded."""
    matrix, hbm = run_environment.counter(MXU), run_environment.counter(HBM)
    if matrix is None and hbm is None:
        return []
    moved = None if hbm is None or peaks.hbm is None else hbm * peaks.hbm
    rates = Rates(None, None, None, moved, None, "", None, matrix, hbm)
    return [Row("Hardware counters, whole capture", Operation(every.operation.metadata, 0), rates, has_time=False)]


def _averaged(whole: Operation, count: int, peaks: Peaks) -> Row:
    """Rates are those of all steps: they are the same of an average one."""
    rates = rates_of(whole, peaks)
    mean = Operation(whole.metadata, 1, nearest_mean(whole.total, count))
    mean.flops, mean.bytes = whole.flops // count, whole.bytes // count
    mean.by_memory = {memory: moved // count for memory, moved in whole.by_memory.items()}
    return Row("Average step", mean, rates)


def _facts(device_operations: AskedOperations, every: Row) -> list[Fact]:
    peaks, rates = device_operations.peaks, every.rates
    unknown = "" if peaks.flops else _NO_PEAKS
    missing = _ONE_KNOWN if rates.flops or rates.bytes else device_operations.no_costs
    reached = "of what the program could reach with its FLOPs per byte" if rates.share else unknown or missing
    return [
        Fact("device", "Device", peaks.device or None, "text", "" if peaks.device else _NO_PEAKS),
        Fact("cores", "Devices", device_operations.table.cores, "count", device_operations.no_cores),
        Fact(
            "peak_flops",
            "Peak, FLOP/s",
            peaks.flops,
            "rate",
            unknown or f"FLOP/s of one device. {peaks.flops_by}".strip(),
        ),
        Fact(
            "flop_rate", "FLOP rate, FLOP/s", rates.flops, "rate", "FLOP/s of one device, over all time of the program"
        ),
        Fact("intensity", "Intensity, FLOP/B", rates.intensity, "number", "FLOP for each byte that the program moves"),
        Fact("efficiency", "Share of the roof", rates.share, "fraction", reached),
        Fact("bound_by", "Bound by", rates.bound_by or None, "text", "" if rates.bound_by else reached),
    ]


def _roofs(peaks: Peaks) -> Table:
    """Table of the memories whose bandwidth is known; a device has HBM, known or not."""
    known_roofs = [
        (roof.title, roof.bandwidth, roof.ridge(peaks.flops) if peaks.flops else None) for roof in roofs(peaks)
    ]
    rows: Sequence[tuple[str, float | None, float | None]] = known_roofs or [("HBM", None, None)]
    columns = [
        Column("memory", "Memory", "text", [memory for memory, _, _ in rows]),
        Column("bandwidth", "Bandwidth", "rate", [bandwidth for _, bandwidth, _ in rows], "B/s", total="none"),
        Column("ridge", "Ridge point", "number", [ridge for _, _, ridge in rows], "FLOP/B", total="none"),
    ]
    return Table("roofs", "Peak rates of the device", columns)


def _notes(device_operations: AskedOperations, every: Row, order: Ints) -> list[Note]:
    """The answer in words."""
    rates: Rates = every.rates
    if not rates.flops and not rates.bytes:
        return [Note("info", device_operations.no_costs)]
    if not device_operations.peaks.flops or rates.share is None:
        reason = _ONE_KNOWN if device_operations.peaks.flops else _NO_PEAKS
        return [Note("info", f"{_reached(rates)}: {reason}")]
    notes = [
        Note(
            "info",
            f"the program reaches {percent_text(rates.share)} of what {_limit(rates)} allow, and "
            f"{percent_text(rates.flops_share or 0)} of the peak FLOP rate of the device",
        )
    ]
    lost = _most_lost(device_operations, order)
    if lost is not None:
        share = _lost(lost) / every.operation.total if every.operation.total else 0.0
        text = (
            f"most time is lost in {lost.label}: at its roof it would take {percent_text(lost.rates.share or 0)} of "
            f"its time, and the program {percent_text(share)} less"
        )
        notes.append(Note("info", text, track=lost.operation.track))
    return notes


def _reached(rates: Rates) -> str:
    """Rates without roofs."""
    flops = f"computes {figure_text('rate', rates.flops, 0)}FLOP/s" if rates.flops else ""
    moved = f"moves {figure_text('rate', rates.bytes, 0)}B/s" if rates.bytes else ""
    return f"while it runs, the program {' and '.join(filter(None, (flops, moved)))}"


def _limit(rates: Rates) -> str:
    return "the device's FLOPs" if rates.bound_by == "Compute" else f"the bytes per second of {rates.bound_by}"


def _most_lost(device_operations: AskedOperations, order: Ints) -> Row | None:
    """The instruction that loses most time, the first of several."""
    if not len(order):
        return None
    own = device_operations.table.columns.own[order]
    worst: Row | None = None
    for first in range(0, len(order), _AT_ONCE):
        if worst is not None and _lost(worst) >= own[first]:
            break  # those that follow take less time than that
        for row in _rows(device_operations, order[first : first + _AT_ONCE]):
            if _lost(row) > (0 if worst is None else _lost(worst)):
                worst = row
    return worst


def _lost(row: Row) -> float:
    """The time that an instruction takes beyond what its roof allows."""
    share = row.rates.share
    return 0.0 if share is None or share > 1 else row.operation.own * (1 - share)


TOOL: Final = Tool(
    id="roofline",
    title="Roofline",
    help="how near programs, steps and instructions come to peak rates",
    group="program",
    question=RooflineQuestion,
    answer=_answer,
    availability=availability,
    contract=Contract(same=(Same("cores", "hlo_stats", "cores"),)),
)
