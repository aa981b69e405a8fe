"""Tables about memory as profilers of Ascend devices write them, made of allocations, and a plain reference to them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal

ORIGIN_NS = 1_767_225_600_000_000_000
KIB = 1 << 10
MIB = 1 << 20

Form = Literal["pt", "ms", "msprof"]


@dataclass(frozen=True)
class Allocation:
    """Bytes that an operator has; ns since the run began. `end` None: they are never freed."""

    operation: str
    size: int
    start: int
    end: int | None


@dataclass(frozen=True)
class Moment:
    """An event of the allocator, and what is allocated and reserved after it."""

    time: int
    allocation: int
    is_free: bool
    allocated: int
    reserved: int


def moments(allocations: Sequence[Allocation], block: int = 4096) -> list[Moment]:
    """In the order of time; what is freed at a time is freed after what is allocated then."""
    events = [(each.start, False, number) for number, each in enumerate(allocations)]
    events += [(each.end, True, number) for number, each in enumerate(allocations) if each.end is not None]
    after: list[Moment] = []
    used = reserved = 0
    for time, is_free, number in sorted(events):
        used += -allocations[number].size if is_free else allocations[number].size
        reserved = max(reserved, -(-used // block) * block)
        after.append(Moment(time, number, is_free, used, reserved))
    return after


def write_memory(folder: Path, allocations: Sequence[Allocation], form: Form = "pt", *, records: bool = True) -> Path:
    """A capture: a timeline from time 0 on, `operator_memory`, and, where it is wanted, `memory_record`."""
    folder.mkdir(parents=True, exist_ok=True)
    end = max([1000, *(time for each in allocations for time in (each.start, each.end or 0))])
    slices = [{"ph": "X", "name": "op", "pid": 1, "tid": 1, "ts": _us(time), "dur": 0.5} for time in (0, end)]
    (folder / "trace_view.json").write_text(json.dumps(slices))
    after = moments(allocations)
    moment_of: dict[tuple[int, bool], Moment] = {(each.allocation, each.is_free): each for each in after}
    unit, total_unit = ("KB", "KB") if form == "msprof" else ("KB", "MB")
    never = "N/A" if form == "ms" else ""
    device = ["Device_id", "Device"] if form == "msprof" else ["Device Type"]
    totals = [f"{side} Total {what}({total_unit})" for side in ("Allocation", "Release") for what in _what(form)]
    header = [f"Size({unit})", "Allocation Time(us)", "Duration(us)", *totals]
    rows = []
    for number, each in enumerate(allocations):
        row = [decimal(each.size, KIB), _us(each.start) + "\t"]
        row.append(never if each.end is None else _length(each))
        for is_free in (False, True):
            row += _figures(moment_of.get((number, is_free)), form, never)
        if form != "msprof":
            row.insert(2, never if each.end is None else _us(each.end) + "\t")
        rows.append([each.operation, *row, *(["0", "NPU:0"] if form == "msprof" else ["NPU:0"])])
    if form != "msprof":
        header.insert(2, "Release Time(us)")
    _write(folder / "operator_memory.csv", ["Name", *header, *device], rows)
    if records:
        columns = [f"Total {what}({total_unit})" for what in _what(form)]
        own, places = ("GE", ["0", "NPU:0"]) if form == "msprof" else ("PTA", ["NPU:0"])
        samples = [[own, _us(each.time) + "\t", *_figures(each, form, never), *places] for each in after]
        application = [never, decimal(8 * MIB, _unit(form)), never][: len(columns)]
        samples.append(["APP", _us(end) + "\t", *application, *places])
        _write(folder / "memory_record.csv", ["Component", "Timestamp(us)", *columns, *device], samples)
    return folder


def live(allocations: Sequence[Allocation], moment: Moment | None, after: Sequence[Moment]) -> Counter[tuple[str, int]]:
    """Allocations that are there after an event, by operation and size."""
    there: Counter[tuple[str, int]] = Counter()
    for each in after[: after.index(moment) + 1] if moment is not None else ():
        allocation = allocations[each.allocation]
        there[allocation.operation, allocation.size] += -1 if each.is_free else 1
    return +there


def decimal(size: int, unit: int) -> str:
    """Bytes in a unit that is a power of two, all digits of it."""
    value = Fraction(size, unit)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = str(int(value * 10**digits)).rjust(digits + 1, "0")
    return whole if not digits else f"{whole[:-digits]}.{whole[-digits:]}"


def _what(form: Form) -> Sequence[str]:
    return ("Allocated", "Reserved") if form == "msprof" else ("Allocated", "Reserved", "Active")


def _unit(form: Form) -> int:
    return KIB if form == "msprof" else MIB


def _figures(moment: Moment | None, form: Form, never: str) -> list[str]:
    if moment is None:
        return [never] * len(_what(form))
    figures = (moment.allocated, moment.reserved, moment.allocated)
    return [decimal(figure, _unit(form)) for figure in figures[: len(_what(form))]]


def _us(time: int) -> str:
    return f"{(ORIGIN_NS + time) // 1000}.{(ORIGIN_NS + time) % 1000:03d}"


def _length(each: Allocation) -> str:
    assert each.end is not None
    return f"{(each.end - each.start) // 1000}.{(each.end - each.start) % 1000:03d}"


def _write(path: Path, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
