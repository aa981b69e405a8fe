"""What tools about the time of steps have in common: the steps that a question is about, core by core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times import AlignedSteps, StepPart, StepTimes, aligned, run_step_times
from tilescope.tiler.query import Steps
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.looked import Looked, no_steps
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope

Ints = NDArray[np.int64]

_NAMED: Final = 3  # cores in a note


@dataclass(frozen=True, slots=True)
class AskedSteps:
    """`times` of cores (or hosts), and which of their steps are one; `why` there are none."""

    times: Sequence[StepTimes]
    aligned: AlignedSteps
    names: Sequence[str]  # of each core, with its host's where there are several
    hosts: Sequence[str]
    tick_ps: int
    looked: Looked
    notes: Sequence[Note]
    why: str

    @property
    def of_tpus(self) -> bool:
        """Whether these are steps of TPU cores."""
        return any(StepPart.IDLE in of.parts for of in self.times)

    def ticks(self, ps: Ints) -> Ints:
        """Times in ticks."""
        return ps // self.tick_ps

    def event(self, core: int, row: int) -> str | None:
        """The slice that a step of a core is."""
        of = self.times[core]
        return None if of.track[row] < 0 else f"{of.track[row]}.{of.ordinal[row]}"


def asked_steps(scope: Scope, question: SpanQuestion) -> Steps[AskedSteps]:
    """The steps that a question is about, on the cores and hosts that have some of its tracks."""
    looked = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    steps = scope.reader.steps
    if question.step_name is not None:
        steps = yield from scope.steps(question.step_name)
    times = yield from run_step_times(scope.reader, steps, tracks, looked.of)
    tpus = [of for of in times if StepPart.IDLE in of.parts]
    hosts = [of for of in times if StepPart.IDLE not in of.parts]
    times = tpus or hosts
    notes = []
    if tpus and hosts:
        notes.append(Note("info", "steps of TPU cores are shown; other hosts have steps, too: choose their tracks"))
    host_names = [_host_name(scope, of) for of in times]
    several = len(set(host_names)) > 1
    names = [_name(scope, of, host if several else "") for of, host in zip(times, host_names, strict=True)]
    together = aligned(times)
    yield
    notes += _notes(times, together, names)
    why = "" if times else no_steps(None)
    if not times and steps.series:
        why = "no step of these devices and hosts lies in this span"
    tick_ps = int(scope.manifest["tick_ps"])
    return AskedSteps(times, together, names, host_names, tick_ps, looked, notes, why)


def _host_name(scope: Scope, of: StepTimes) -> str:
    groups = scope.reader.tree.groups
    parent = groups[of.group]["parent"]
    return "" if parent is None else str(groups[parent]["name"])


def _name(scope: Scope, of: StepTimes, host: str) -> str:
    name = str(scope.reader.tree.groups[of.group]["name"])
    return f"{host} · {name}" if host else name


def _notes(times: Sequence[StepTimes], together: AlignedSteps, names: Sequence[str]) -> list[Note]:
    notes = []
    later = [name for name, shift in zip(names, together.shifts, strict=True) if shift]
    if later:
        text = f"the trace has no step numbers, and {_some(later)} began later: steps were matched by their times"
        notes.append(Note("warning", text))
    lacking = [name for place, name in enumerate(names) if (together.rows[:, place] < 0).any()]
    if lacking:
        notes.append(Note("info", f"not all of these steps are on {_some(lacking)}: they are matched by their numbers"))
    over = [name for name, of in zip(names, times, strict=True) if of.overlap]
    if over:
        notes.append(Note("info", f"steps overlap on {_some(over)}: what lies in two belongs to the later one"))
    if not all(bool(of.is_whole.all()) for of in times):
        notes.append(Note("info", "the span cuts steps: of these only what lies in it is counted"))
    return notes


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
