"""What a device's time is made of, in ticks: over windows, and step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts import NOTHING, Busy, Device, WorkSpans
from tilescope.tiler.query import QueryReader, Steps
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
        """Of the span: so it is all computation, exposed communication, exposed copies and idle time."""
        return self.span - self.busy

    @property
    def overlap(self) -> float | None:
        """Which part of the communication computation hides; None: there is none."""
        return None if not self.communication else 1 - self.exposed_communication / self.communication

    def __add__(self, other: Parts) -> Parts:
        return Parts(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    def __sub__(self, other: Parts) -> Parts:
        return Parts(*(getattr(self, field.name) - getattr(other, field.name) for field in fields(self)))


@dataclass(frozen=True, slots=True)
class DeviceParts:
    """A device in what is looked at of it. `steps`: of each step of the rows its parts, columns of shape (n,)."""

    device: Device
    start: int
    stop: int
    parts: Parts
    rows: StepRows | None
    steps: Sequence[Ints]  # in the order of the fields of `Parts`


def parts_of(
    reader: QueryReader, device: Device, windows: Windows, rows: StepRows | None, within: TickRange
) -> Steps[DeviceParts]:
    """What the time of a device is made of in some windows, from its first work in a span to the end of its last."""
    busy = Busy(reader, [*device.tracks, *device.beside])
    extent = yield from busy.extent(within)
    windows = windows.clipped(extent.start, extent.stop) if len(extent) else NOTHING
    total = Parts()
    steps = [np.zeros(0 if rows is None else len(rows), np.int64) for _ in fields(Parts)]
    for piece in busy.pieces(windows):
        if piece is not None:
            found = WorkSpans()
            for of in piece.of:
                found = found.joined(of)
            sets = _sets(piece.windows, found)
            total += _parts([of.ticks for of in sets])
            if rows is not None:
                _add_steps(steps, sets, rows)
        yield
    return DeviceParts(device, windows.start, windows.stop, total, rows, steps)


def _sets(windows: Windows, found: WorkSpans) -> tuple[Windows, ...]:
    """Six sets of ticks, from whose sizes all parts follow."""
    compute_or_talk = found.computation.joined(found.communication)
    busy = compute_or_talk.joined(found.copies)
    return windows, busy, found.computation, found.communication, compute_or_talk, found.copies


def _parts(ticks: Sequence[int]) -> Parts:
    span, busy, computation, communication, compute_or_talk, copies = ticks
    return Parts(span, busy, computation, communication, compute_or_talk - computation, copies, busy - compute_or_talk)


def _add_steps(steps: Sequence[Ints], sets: Sequence[Windows], rows: StepRows) -> None:
    """Adds what of the sets lies in each step that has a tick in the first of them."""
    some = np.flatnonzero((rows.start < sets[0].stop) & (rows.stop > sets[0].start))
    start, stop = rows.start[some], rows.stop[some]
    span, busy, computation, communication, compute_or_talk, copies = (
        of.ticks_before(stop) - of.ticks_before(start) for of in sets
    )
    exposed = compute_or_talk - computation, busy - compute_or_talk
    of_steps = (span, busy, computation, communication, exposed[0], copies, exposed[1])
    for column, found in zip(steps, of_steps, strict=True):
        column[some] += found
