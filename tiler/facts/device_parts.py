"""Parts of a device's time, in ticks: over windows, and step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts import NOTHING, Busy, Device
from tilescope.tiler.facts.division import Division, divisions
from tilescope.tiler.facts.work_extent import work_extent
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_steps import StepRows
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Parts:
    """Ticks; of one device, or of several together. Computation hides communication, and both hide copies."""

    span: int = 0
    busy: int = 0
    computation: int = 0
    communication: int = 0
    exposed_communication: int = 0
    copies: int = 0
    exposed_copies: int = 0

    @property
    def idle(self) -> int:
        """Idle ticks: the span less computation, exposed communication and exposed copies."""
        return self.span - self.busy

    @property
    def overlap(self) -> float | None:
        """Share of the communication that computation hides; None without communication."""
        return None if not self.communication else 1 - self.exposed_communication / self.communication

    def __add__(self, other: Parts) -> Parts:
        return Parts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def __sub__(self, other: Parts) -> Parts:
        return Parts(*(getattr(self, field.name) - getattr(other, field.name) for field in fields(self)))


@dataclass(frozen=True, slots=True)
class CopiesOutside:
    """Ticks of copies outside other work: with `Parts` they say what runs at once."""

    computation: int = 0  # while no computation runs
    communication: int = 0  # while no communication runs

    def __add__(self, other: CopiesOutside) -> CopiesOutside:
        return CopiesOutside(self.computation + other.computation, self.communication + other.communication)


@dataclass(frozen=True, slots=True)
class DeviceParts:
    """A device in what is looked at of it. `steps`: of each step of the rows its parts, columns of shape (n,)."""

    device: Device
    start: int
    stop: int
    parts: Parts
    rows: StepRows | None
    steps: Sequence[Ints]  # in the order of the fields of `Parts`
    outside: CopiesOutside = CopiesOutside()
    outside_steps: Sequence[Ints] = ()  # of each step, in the order of the fields of `CopiesOutside`

    def step_parts(self, row: int) -> tuple[Parts, CopiesOutside]:
        """The same of one step."""
        parts, outside = ([int(column[row]) for column in columns] for columns in (self.steps, self.outside_steps))
        return Parts(*parts), CopiesOutside(*outside)


def parts_of(
    reader: QueryReader,
    device: Device,
    windows: Windows,
    rows: StepRows | None,
    within: TickRange,
    *,
    first_launch: int | None = None,
    step_launch: int | None = None,
    whole_steps: bool = False,
) -> Interruptible[DeviceParts]:
    """Parts of a device's time in some windows, from its first work in a span to the end of its last.

    With `first_launch`, from that on where it comes before the first work. `step_launch`: the same of the first of the
    steps. `whole_steps`: they count from their start to their end, also before the first work and after the last.
    """
    busy = Busy(reader, [*device.tracks, *device.beside])
    extent = yield from work_extent(reader, device, within)
    all_windows, windows = windows, windows.clipped(extent.start, extent.stop) if len(extent) else NOTHING
    before_work = _before(all_windows, first_launch, extent)
    total, outside = Parts(), CopiesOutside()
    n_rows = 0 if rows is None else len(rows)
    steps = [np.zeros(n_rows, np.int64) for _ in (*fields(Parts), *fields(CopiesOutside))]
    for division in divisions(busy, windows):
        if division is not None:
            sets = _sets(division)
            span, idle, *others = (part_windows.ticks for part_windows in sets)
            total += Parts(span, span - idle, *others[:-2])
            outside += CopiesOutside(*others[-2:])
            if rows is not None:
                _add_steps(steps, sets, rows)
        yield
    total += Parts(span=before_work.ticks)
    if whole_steps and rows is not None:
        steps[0] = all_windows.ticks_before(rows.stop) - all_windows.ticks_before(rows.start)
    elif len(steps[0]):
        steps[0][0] += _before(all_windows, step_launch, extent).ticks
    counted = windows.joined(before_work)
    columns = len(fields(Parts))
    return DeviceParts(device, counted.start, counted.stop, total, rows, steps[:columns], outside, steps[columns:])


def _before(windows: Windows, launch: int | None, extent: Windows) -> Windows:
    """Windows between a launch and the first work of all."""
    return (
        NOTHING
        if launch is None or not len(extent) or launch >= extent.start
        else windows.clipped(launch, extent.start)
    )


def _sets(division: Division) -> tuple[Windows, ...]:
    """Sets of ticks, from whose sizes all parts follow."""
    work, exposed = division.work, division.exposed
    copies = work.copies
    return (
        *(division.windows, division.idle),
        *(work.computation, work.communication, exposed.communication, copies, exposed.copies),
        *(copies.without(work.computation), copies.without(work.communication)),
    )


def _add_steps(steps: Sequence[Ints], sets: Sequence[Windows], rows: StepRows) -> None:
    """Adds what of the sets lies in each step that has a tick in the first of them."""
    indices = np.flatnonzero((rows.start < sets[0].stop) & (rows.stop > sets[0].start))
    start, stop = rows.start[indices], rows.stop[indices]
    span, idle, *others = (part_windows.ticks_before(stop) - part_windows.ticks_before(start) for part_windows in sets)
    for column, ticks in zip(steps, (span, span - idle, *others), strict=True):
        column[indices] += ticks
