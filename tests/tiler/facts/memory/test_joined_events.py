"""Memories of samples and allocations, as a plain reference puts them together, whichever samples there are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple, cast

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.columns.memory_extents import NO_SIZE
from tilescope.tiler.facts.memory.allocation_rows import AllocationRows
from tilescope.tiler.facts.memory.fill_rows import FillRows
from tilescope.tiler.facts.memory.joined_events import PoolIdentity, joined_pool

TRACK = 5


class Sample(NamedTuple):
    tick: int
    allocated: int
    reserved: int
    active: int


class Row(NamedTuple):
    tick: int
    is_free: bool
    size: int
    allocated: int
    replaced: int


class Event(NamedTuple):
    tick: int
    allocated: int
    ordinal: int
    is_made: bool
    is_free: bool
    size: int
    replaced: int


TICKS = st.integers(0, 8)
SIZES = st.integers(0, 9)
SAMPLES = st.lists(st.builds(Sample, TICKS, SIZES, SIZES, SIZES | st.just(NO_SIZE)), min_size=1, max_size=12).map(
    sorted
)


@st.composite
def allocations(draw: st.DrawFn) -> list[Row]:
    """By time; an allocation is freed by an event behind it, or by none."""
    events = sorted(draw(st.lists(st.tuples(TICKS, st.booleans()), min_size=1, max_size=12)))
    rows = []
    for place, (tick, is_free) in enumerate(events):
        later = [other for other in range(place + 1, len(events)) if events[other][1]]
        replaced = 0 if is_free else draw(st.sampled_from([*later, len(events)]))
        rows.append(Row(tick, is_free, draw(SIZES), draw(SIZES), replaced))
    return rows


def plain_events(samples: list[Sample], rows: list[Row]) -> list[Event]:
    """Each allocation with the sample of its moment, the first with the first, and the samples that none has."""
    keyed: list[tuple[tuple[int, int, int], int, int]] = []  # sorted by, row, sample that holds; -1 none
    met = set()
    meets = []
    for number, row in enumerate(rows):
        own = [place for place, sample in enumerate(samples) if sample.tick == row.tick]
        nth = sum(other.tick == row.tick for other in rows[:number])
        meets.append(nth < len(own))
        held = own[nth] if nth < len(own) else sum(sample.tick < row.tick for sample in samples) - 1
        met.update(own[nth : nth + 1])
        keyed.append(((row.tick, 0, number), number, held))
    keyed += [((sample.tick, 1, k), -1, k) for k, sample in enumerate(samples) if k not in met]
    keyed.sort()
    position = {number: place for place, (_, number, _) in enumerate(keyed)}
    events = []
    for (tick, _, _), number, held in keyed:
        allocated = samples[held].allocated if held >= 0 else rows[number].allocated
        ordinal = held if number < 0 or meets[number] else -1
        if number < 0:
            events.append(Event(tick, allocated, ordinal, False, False, -1, 0))
            continue
        row = rows[number]
        replaced = 0 if row.is_free else position.get(row.replaced, len(keyed))
        events.append(Event(tick, allocated, ordinal, not row.is_free, row.is_free, row.size, replaced))
    return events


def columns(rows: list[Any]) -> dict[str, Any]:
    return {name: np.array([getattr(row, name) for row in rows]) for name in rows[0]._fields}


def fill_rows(samples: list[Sample]) -> FillRows:
    table = cast(Any, SimpleNamespace())
    return FillRows("NPU:0", "PTA", table, **columns(samples), ordinal=np.arange(len(samples)))


def allocation_rows(rows: list[Row]) -> AllocationRows:
    held = columns(rows)
    held["replaced"] = held["replaced"].astype(np.int32)
    nothing = np.full(len(rows), NO_SIZE)
    operation = np.zeros(len(rows), np.int32)
    return AllocationRows("NPU:0", ["op"], **held, operation=operation, reserved=nothing, active=nothing)


def check(samples: list[Sample], rows: list[Row]) -> None:
    identity = PoolIdentity("NPU:0 PTA", 0, TRACK, True, False, False, True)
    pool = joined_pool(identity, fill_rows(samples), allocation_rows(rows))
    held = (pool.start, pool.heap, pool.ordinal, pool.is_made, pool.is_free, pool.size, pool.replaced)
    events = [Event(*event) for event in zip(*(column.tolist() for column in held), strict=True)]
    assert events == plain_events(samples, rows)
    assert (pool.active >= -1).all()
    assert (pool.free >= -1).all()


@given(SAMPLES, allocations())
def test_any_samples(samples: list[Sample], rows: list[Row]) -> None:
    check(samples, rows)


@given(allocations())
def test_a_sample_of_each_allocation(rows: list[Row]) -> None:
    check([Sample(row.tick, row.allocated, 9, row.allocated) for row in rows], rows)
