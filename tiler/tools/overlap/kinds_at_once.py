"""Kinds of work that devices do at once: each instant of busy time has one label, as HTA's kernel breakdown has it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

import numpy as np

from tilescope.tiler.facts.device_parts import CopiesOutside, DeviceParts, Parts
from tilescope.tiler.tools.answer import Column, Table, Value

LABELS: Final = {
    "only_computation": "Computation alone",
    "only_communication": "Communication alone",
    "only_copies": "Copies alone",
    "computation_communication": "Computation, communication",
    "computation_copies": "Computation, copies",
    "communication_copies": "Communication, copies",
    "all_kinds": "All three",
}


def kinds_at_once(parts: Parts, outside: CopiesOutside) -> list[int]:
    """Ticks of each label; they add up to the busy time."""
    copies, only_copies = parts.copies, parts.exposed_copies
    # Copies with a kind beside them: those that are not outside it.
    all_kinds = copies - outside.computation - outside.communication + only_copies
    communication_copies = outside.computation - only_copies
    computation_copies = outside.communication - only_copies
    only_communication = parts.exposed_communication - communication_copies
    computation_communication = parts.communication - parts.exposed_communication - all_kinds
    only_computation = parts.computation - computation_communication - computation_copies - all_kinds
    return [
        *(only_computation, only_communication, only_copies),
        *(computation_communication, computation_copies, communication_copies, all_kinds),
    ]


@dataclass(frozen=True, slots=True)
class _Row:
    device: DeviceParts
    parts: Parts
    labels: Sequence[int]
    step: tuple[int, int] | None = None  # pass and number
    span: tuple[int, int] = (0, 0)


def devices_table(device_parts: Sequence[DeviceParts]) -> Table:
    """A row for each device."""
    rows = [_Row(device, device.parts, kinds_at_once(device.parts, device.outside)) for device in device_parts]
    return Table("at_once", "Kinds of work at once, by device", _columns(rows, []), totals=_totals(rows))


def steps_table(device_parts: Sequence[DeviceParts], limit: int) -> Table:
    """A row for each step of each device that has a tick in what is looked at, by step."""
    rows = sorted(chain.from_iterable(map(_step_rows, device_parts)), key=lambda row: row.step or (0, 0))
    listed = rows[:limit]
    steps = [row.step or (0, 0) for row in listed]
    before = [
        Column("step", "Step", "count", [number for _, number in steps], total="none"),
        Column("pass", "Pass", "count", [pass_ + 1 for pass_, _ in steps], total="none"),
        Column("start", "Start", "time", [row.span[0] for row in listed], total="none"),
        Column("end", "End", "time", [row.span[1] for row in listed], total="none"),
    ]
    rest = _totals(rows[limit:]) if len(rows) > limit else None
    return Table("device_steps", "By device and step", _columns(listed, before), totals=_totals(rows), rest=rest)


def _step_rows(device: DeviceParts) -> list[_Row]:
    if device.rows is None:
        return []
    rows = []
    for place in np.flatnonzero(device.steps[0]).tolist():
        parts, outside = device.step_parts(place)
        step = int(device.rows.pass_[place]), int(device.rows.number[place])
        span = int(device.rows.start[place]), int(device.rows.stop[place])
        rows.append(_Row(device, parts, kinds_at_once(parts, outside), step, span))
    return rows


def _columns(rows: Sequence[_Row], behind_device: Sequence[Column]) -> list[Column]:
    busy = [row.parts.busy for row in rows]
    columns = [
        Column("device", "Device", "name", [row.device.device.name for row in rows]),
        *behind_device,
        Column("span", "Span", "ticks", [row.parts.span for row in rows]),
        Column("busy", "Busy", "ticks", busy),
        Column("idle", "Idle", "ticks", [row.parts.idle for row in rows]),
    ]
    for place, (name, title) in enumerate(LABELS.items()):
        columns.append(Column(name, title, "ticks", [row.labels[place] for row in rows]))
    for place, (name, title) in enumerate(LABELS.items()):
        shares = [row.labels[place] / ticks if ticks else None for row, ticks in zip(rows, busy, strict=True)]
        columns.append(Column(f"{name}_share", title, "fraction", shares, total="none"))
    return [*columns, Column("track", "Track", "track", [row.device.device.tracks[0].track for row in rows])]


def _totals(rows: Sequence[_Row]) -> dict[str, Value]:
    total = sum((row.parts for row in rows), Parts())
    labels = [sum(row.labels[place] for row in rows) for place in range(len(LABELS))]
    totals: dict[str, Value] = {"span": total.span, "busy": total.busy, "idle": total.idle}
    totals |= dict(zip(LABELS, labels, strict=True))
    shares = [ticks / total.busy if total.busy else None for ticks in labels]
    return totals | dict(zip((f"{name}_share" for name in LABELS), shares, strict=True))
