"""Begin/end pairing in plain Python: the oracle of the property tests. The rules: tilescope.tiler.columns.pairing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilescope.tiler.columns import EventFlag, Phase

Row = tuple[int, int, Phase, int, int]  # time, duration, phase, name, key


@dataclass
class Slice:
    start: int
    duration: int
    name: int
    source: int
    end_source: int = -1
    flags: EventFlag = EventFlag.NONE
    limit: int | None = None  # the earliest of what must not be outlived


@dataclass
class Reference:
    slices: list[Slice]
    ends_without_begin: int = 0
    recategorised: int = 0
    named: Named | None = None

    def text(self, name: int) -> object:
        return name if self.named is None or name < 0 else self.named.text[name]

    def category(self, name: int) -> str:
        return "" if self.named is None else self.named.category[name]


@dataclass
class Named:
    """Of each name its text and its category."""

    text: Sequence[str]
    category: Sequence[str]


def pair_reference(rows: Sequence[Row], trace_end: int, named: Named | None = None) -> Reference:
    """Without `named`, no two names have one text."""
    result = Reference([], named=named)
    for key in {row[4] for row in rows}:
        _pair_one_key(rows, key, trace_end, result)
    result.slices.sort(key=lambda one: one.source)
    return result


def _pair_one_key(rows: Sequence[Row], key: int, trace_end: int, result: Reference) -> None:
    numbers = [number for number, row in enumerate(rows) if row[4] == key]
    numbers.sort(key=lambda number: rows[number][0])  # stable
    stack: list[Slice] = []
    complete_ends: list[int] = []
    for number in numbers:
        time, duration, phase, name, _ = rows[number]
        if phase is Phase.COMPLETE:
            result.slices.append(Slice(time, duration, name, number))
            complete_ends.append(time + duration)
        elif phase is Phase.BEGIN:
            begun = Slice(time, 0, name, number)
            begun.limit = min((end for end in complete_ends if end > time), default=None)
            result.slices.append(begun)
            stack.append(begun)
        elif phase is Phase.END and not stack:
            result.ends_without_begin += 1
        elif phase is Phase.END:
            _end(stack, number, time, name, result)
    for place, open_slice in enumerate(stack):
        around = [outer.start + outer.duration for outer in stack[:place]]
        ends = [end for end in around if end > open_slice.start] or [trace_end]
        if open_slice.limit is not None:
            ends.append(open_slice.limit)
        open_slice.duration = max(0, min(ends) - open_slice.start)
        open_slice.flags |= EventFlag.OPEN


def _end(stack: list[Slice], number: int, time: int, name: int, result: Reference) -> None:
    place = len(stack) - 1
    text = result.text(name)
    if name != -1 and result.text(stack[place].name) != text:
        named = [other for other, one in enumerate(stack) if result.text(one.name) == text]
        if named:
            place = named[-1]
        else:
            stack[place].flags |= EventFlag.RENAMED
    closed = stack.pop(place)
    closed.duration = time - closed.start
    closed.end_source = number
    if name != -1 and result.text(closed.name) == text:
        its_own, said = result.category(closed.name), result.category(name)
        result.recategorised += bool(its_own and said and its_own != said)
        closed.name = closed.name if its_own or not said else name
    if place < len(stack):
        child = stack[place]
        child.limit = time if child.limit is None else min(child.limit, time)
