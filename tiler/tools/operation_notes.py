"""Notes of tools about operations: how well devices are used, and which operation to look at first."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from tilescope.tiler.caches import Memo
from tilescope.tiler.facts.operations import Operation, OpTable
from tilescope.tiler.facts.operations.exact_columns import Ints, Mask, sum_of
from tilescope.tiler.facts.work import Work, classifier, work_of
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Name
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.operations import AskedOperations
from tilescope.tiler.work_rules import NO_WORK_RULES

_NAME_CHARS: Final = 64
_ABOUT: Final = 1 - 1e-9
_IDLE: Final = 0.5  # of the time: no operation is to be looked at before that


def is_bound_elsewhere(operation: Operation) -> bool:
    """True if an operation waits for others: for devices, links or the host. No device makes it faster."""
    return _is_bound_elsewhere(operation.metadata.name, operation.metadata.category)


def waits(category: str) -> bool:
    """The same of the operations of a category."""
    return _is_bound_elsewhere("", category)


def _is_no_computation(name: str, category: str) -> bool:
    return work_of(classifier(NO_WORK_RULES).xla_operation(Name(name, category))) != Work.COMPUTATION


# Asked several times of each instruction of a program, of which there may be 40,000.
_is_bound_elsewhere: Final = Memo("waiting_operations", "Operations that wait for others, by name", 100).remembered(
    _is_no_computation, 1 << 17
)


def operation_notes(device_operations: AskedOperations) -> list[Note]:
    """Notes on the FLOPS that devices reach, and on the operations that lose, or wait for, the most time."""
    table, peaks, columns = device_operations.table, device_operations.peaks, device_operations.table.columns
    lasting = columns.own != 0
    if not lasting.any() or not table.span:
        return []
    waits = _waiting(table)
    computing, waiting = np.flatnonzero(lasting & ~waits), np.flatnonzero(lasting & waits)
    sentences = []
    reached = sum_of(columns.flops[lasting]) / (table.span / 1e12) / peaks.flops if peaks.flops and table.span else 0
    first = _most_lost(device_operations, computing if len(computing) else np.flatnonzero(lasting))
    if reached:
        sentences.append(f"The devices reach {percent_text(reached)} of their FLOPS.")
    if len(computing) and (peaks.flops or peaks.hbm) and _is_known(first):
        sentences.append(
            f"Look at {_short(first)} first: {percent_text(first.own / table.span)} of the time, "
            f"and {percent_text(_lost(device_operations, first))} less at the device's peak."
        )
    else:
        first = _longest(table, np.flatnonzero(lasting))
        sentences.append(f"The most time goes to {_short(first)}: {percent_text(first.own / table.span)} of all.")
    notes = [_note(" ".join(sentences), first)]
    if len(waiting):
        longest = _longest(table, waiting)
        if longest.own > (_longest(table, computing).own if len(computing) else 0):
            share = percent_text(longest.own / table.span)
            text = (
                f"{_short(longest)} takes more time than any other, {share}: it moves data, or waits for other devices "
                "or the host, and no peak of the device bounds it."
            )
            notes.insert(0, _note(text, longest))  # where most time goes comes first
    if table.idle > table.span * _IDLE:
        idle = f"Devices are idle {percent_text(table.idle / table.span)} of the time (see gaps)."
        notes[0] = replace(notes[0], text=f"{idle} {notes[0].text}")
    return notes


def _waiting(table: OpTable) -> Mask:
    """Mask of a table's operations that wait for others. Those without a category are told by their names."""
    columns = table.columns
    is_waiting = columns.are(lambda category: _is_bound_elsewhere("", category))
    for place in np.flatnonzero(columns.are(lambda category: not category)).tolist():
        is_waiting[place] = is_bound_elsewhere(table.operations[place])
    return is_waiting


def _longest(table: OpTable, places: Ints) -> Operation:
    """The first of those that take most time, of some."""
    return table.operations[int(places[np.argmax(table.columns.own[places])])]


def _most_lost(device_operations: AskedOperations, places: Ints) -> Operation:
    """The first of those that lose most, of some."""
    table, columns = device_operations.table, device_operations.table.columns
    own = columns.own[places].astype(np.float64)
    best = np.zeros(len(places))
    for amount, peak in (
        (columns.flops, device_operations.peaks.flops),
        (columns.known_hbm, device_operations.peaks.hbm),
    ):
        if peak:
            best = np.maximum(best, amount[places].astype(np.float64) / (own / 1e12) / peak)
    lost = np.where((columns.tells_flops | columns.tells_bytes)[places], own * np.maximum(0.0, 1 - best), 0.0)
    # Which of those that lose about the same it is, is told exactly.
    most = float(lost.max())
    near = places[lost >= min(most, most * _ABOUT)]
    return max(
        (table.operations[int(place)] for place in near), key=lambda operation: _lost(device_operations, operation)
    )


def _is_known(operation: Operation) -> bool:
    """True if the trace says what an operation computes, or moves."""
    return operation.tells_flops or operation.tells_bytes


def _lost(device_operations: AskedOperations, operation: Operation) -> float:
    """The part of all time that is lost because an operation uses less than a device can."""
    shares = [
        (operation.flops, device_operations.peaks.flops),
        (operation.known_hbm_bytes, device_operations.peaks.hbm),
    ]
    best = max((amount / (operation.own / 1e12) / peak for amount, peak in shares if peak), default=0.0)
    return operation.own / device_operations.table.span * max(0.0, 1 - best) if _is_known(operation) else 0.0


def _note(text: str, operation: Operation) -> Note:
    return Note("info", text, track=operation.track)


def _short(operation: Operation) -> str:
    """Its name: kernels have names of several lines."""
    name = operation.metadata.name
    return name if len(name) <= _NAME_CHARS else f"{name[: _NAME_CHARS - 1]}…"
