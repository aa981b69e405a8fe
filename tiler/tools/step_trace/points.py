"""The operators with which forward starts and backward ends: who names them, and which there are to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilescope.tiler.facts import devices_of
from tilescope.tiler.facts.ascend.step_points import PointedTraces, PointNames, devices_with, step_operators
from tilescope.tiler.facts.step_traces import StepTrace
from tilescope.tiler.facts.tables import run_tables
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.tools.answer import Column, Fact, Note, Table
from tilescope.tiler.tools.step_trace.step_rows import TracedSteps
from tilescope.tiler.windows import Windows

MAX_LISTED: Final = 2000

_SHOWN: Final = 3  # names of several ranks

_FORWARD_GUESS: Final = "the first operator after GetNext, or without one the first of a step"
_BACKWARD_GUESS: Final = "the last operator before the last all-reduce, or without one the last of a step"


@dataclass(frozen=True, slots=True)
class Points:
    """Names of operators, by a question, and by the files of the profiler."""

    forward: str | None
    backward: str | None
    file_forward: Sequence[str]
    file_backward: Sequence[str]

    @classmethod
    def from_run(cls, reader: QueryReader, forward: str | None, backward: str | None) -> Interruptible[Points]:
        """The names that a question has, with those of the run's files."""
        by_file = []
        for point in ("fp_start", "bp_end"):
            names: set[str] = set()
            for table in run_tables(reader, "step_trace_point_info"):
                if point in table:
                    column = yield from table.column(point)
                    names.update(name for name in column.texts() if name)
            by_file.append(sorted(names))
        return cls(forward, backward, by_file[0], by_file[1])

    @property
    def by_question(self) -> PointNames:
        """The names of the question."""
        return PointNames(self.forward, self.backward)

    @property
    def by_file(self) -> PointNames:
        """The names that files have for all devices alike."""
        return PointNames(_only(self.file_forward), _only(self.file_backward))

    def facts(self) -> list[Fact]:
        """The operators that are named."""
        facts = []
        for point, label, asked_name, file_names in (
            ("fp_start", "Forward starts with", self.forward, self.file_forward),
            ("bp_end", "Backward ends with", self.backward, self.file_backward),
        ):
            name = asked_name or ", ".join(file_names[:_SHOWN])
            if name:
                facts.append(Fact(point, label, name, "name", "as asked" if asked_name else ""))
        return facts


def guess_notes(pointed: PointedTraces) -> list[Note]:
    """The points that are guessed, and of how many devices."""
    guesses = [
        *([f"that forward starts with {_FORWARD_GUESS}"] if pointed.guessed_forward else []),
        *([f"that backward ends with {_BACKWARD_GUESS}"] if pointed.guessed_backward else []),
    ]
    if not guesses:
        return []
    count, every = max(pointed.guessed_forward, pointed.guessed_backward), len(pointed.traces)
    devices = "" if count == every else f"of {count:,} of {every:,} devices "
    text = f"{devices}no file marks these points, or names them for all devices alike, so it is guessed"
    return [Note("warning", f"{text} {' and '.join(guesses)}: name others with forward_start and backward_end")]


def _only(names: Sequence[str]) -> str | None:
    return names[0] if len(names) == 1 else None


def operators_table(
    reader: QueryReader, steps: RunSteps, traces: Sequence[StepTrace], traced: TracedSteps
) -> Interruptible[Table | None]:
    """The operators of the first chosen step on the first device that has some; None: no device has."""
    devices = yield from devices_of(reader)
    for number, trace in enumerate(traces):
        own = devices_with(steps, trace.series, devices)
        rows = traced.row[traced.trace == number]
        if not own or not len(rows):
            continue
        row = int(rows[0])
        start, stop = int(trace.rows.start[row]), int(trace.rows.stop[row])
        operators = yield from step_operators(reader, own, trace.rows, Windows.single(start, stop))
        chosen = np.flatnonzero(operators.step == row)
        if not len(chosen):
            continue
        listed = chosen[:MAX_LISTED]
        columns = [
            Column("name", "Operator", "name", [operators.names[name] for name in operators.name[listed].tolist()]),
            Column("start", "From", "ticks", operators.start[listed] - start, total="min"),
            Column("duration", "Duration", "ticks", operators.stop[listed] - operators.start[listed]),
        ]
        title = f"Operators of step {int(trace.rows.number[row]):,}"
        if len(chosen) > MAX_LISTED:
            title += f", the first {MAX_LISTED:,} of {len(chosen):,}"
        return Table("operators", title, columns)
    return None
