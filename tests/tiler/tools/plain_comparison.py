"""Comparisons in plain Python, event by event: what tests of `compare` are held against."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True)
class Slice:
    """A slice of a thread, in ticks."""

    thread: str
    name: str
    start: int
    stop: int


@dataclass
class Sums:
    """Sums of a key in the windows of one side, as they are before they are divided."""

    count: int = 0
    total: int = 0
    own: int = 0
    durations: list[int] = field(default_factory=list)


def side(slices: Sequence[Slice], windows: Iterable[tuple[int, int]], by: str = "name") -> dict[str, Sums]:
    """Sums by name or thread in windows that do not overlap. Slices of a thread are nested, and start apart."""
    sums: dict[str, Sums] = defaultdict(Sums)
    for start, stop in windows:
        for event in slices:
            ticks = min(event.stop, stop) - max(event.start, start)
            begins = start <= event.start < stop
            if ticks <= 0 and not begins:
                continue
            entry = sums[getattr(event, by)]
            entry.count += begins
            entry.total += max(ticks, 0)
            if begins:
                entry.durations.append(event.stop - event.start)
            inner = [e for e in slices if e.thread == event.thread and event.start < e.start < event.stop]
            entry.own += sum(
                not any(e.start <= tick < e.stop for e in inner)
                for tick in range(max(event.start, start), min(event.stop, stop))
            )
    return dict(sums)


@dataclass(frozen=True)
class Row:
    """A row of a comparison: means per divisor, exact."""

    change: str
    delta: Fraction
    total_delta: Fraction
    count: int
    base_count: int


def comparison(new: dict[str, Sums], n: int, bases: Sequence[tuple[dict[str, Sums], int]]) -> dict[str, Row]:
    """Rows of a run, divided by `n`, beside the mean of others, each with what it is divided by."""
    rows = {}
    for key in dict.fromkeys([*new, *(key for base, _ in bases for key in base)]):
        mine = new.get(key, Sums())
        theirs = [(base.get(key, Sums()), m) for base, m in bases]

        def change(column: str, mine: Sums = mine, theirs: list[tuple[Sums, int]] = theirs) -> Fraction:
            mean = sum((Fraction(getattr(s, column), m) for s, m in theirs), Fraction()) / len(theirs)
            return Fraction(getattr(mine, column), n) - mean

        delta, total_delta, counts = change("own"), change("total"), change("count")
        if not any(key in base for base, _ in bases):
            word = "added"
        elif key not in new:
            word = "deleted"
        elif counts:
            word = "more" if counts > 0 else "fewer"
        else:
            size = delta or total_delta
            word = "slower" if size > 0 else "faster" if size < 0 else "same"
        rows[key] = Row(word, delta, total_delta, mine.count, sum(s.count for s, _ in theirs))
    return rows
