"""The steps that a question is about and the parts of their time, core by core, for several tools."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.stacks.frame_kinds import OPERATORS, frame_names
from tilescope.tiler.facts.step_times import (
    AlignedSteps,
    Participants,
    StepClass,
    StepPart,
    StepTimes,
    aligned,
    run_step_times,
)
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.border_notes import border_notes
from tilescope.tiler.tools.lacking_steps import first_names, lacking_notes, steps_text
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.question_windows import QuestionWindows, no_steps
from tilescope.tiler.tools.scope import Scope

Ints = NDArray[np.int64]

PROCESSES: Final = "Processes that mark steps"  # hosts, and step traces of devices beside them

MARKS_ALONE: Final = (
    "these tracks have the marks of steps, and not what devices do in them (see step_trace, see collectives)"
)


@dataclass(frozen=True)
class AskedSteps:
    """`times` of cores (or hosts), and which of their steps are one; `why` there are none."""

    times: Sequence[StepTimes]
    aligned: AlignedSteps
    names: Sequence[str]  # of each core, with its host's where there are several
    hosts: Sequence[str]
    tick_ps: int
    question_windows: QuestionWindows
    notes: Sequence[Note]
    why: str

    @property
    def of_tpus(self) -> bool:
        """True if these are steps of TPU cores."""
        return any(StepPart.IDLE in core_times.parts for core_times in self.times)

    @cached_property
    def mean_rows(self) -> Sequence[NDArray[np.bool_]]:
        """Masks of the rows of each core or host that enter means and shares."""
        return self.aligned.mean_rows(self.times)

    @cached_property
    def recorded_rows(self) -> Sequence[NDArray[np.bool_]]:
        """Masks of the same as far as all their operators were recorded: what is said of parts is of these."""
        return [rows & times.is_recorded for times, rows in zip(self.times, self.mean_rows, strict=True)]

    @cached_property
    def are_recorded(self) -> bool:
        """True if any row is recorded; else nothing is said of what the steps are made of."""
        return any(bool(rows.any()) for rows in self.recorded_rows)

    def recorded_ps(self, parts: Iterable[StepPart]) -> int:
        """Time of these parts in all recorded rows, ps."""
        parts = tuple(parts)
        rows = zip(self.times, self.recorded_rows, strict=True)
        return sum(int(core_times.sum_of(parts)[recorded].sum()) for core_times, recorded in rows)

    @cached_property
    def why_unsplit(self) -> str:
        """The reason for which waiting in all-reduces is not told from computing in some steps that enter means."""
        participants = [
            core_times.participants.take(np.flatnonzero(rows & ~core_times.participants.are_all))
            for core_times, rows in zip(self.times, self.mean_rows, strict=True)
            if core_times.participants is not None
        ]
        counts = [(int(lacking.recorded.min()), lacking) for lacking in participants if len(lacking.recorded)]
        if not counts:
            return "the file does not tell it from computing"
        return _unsplit_words(*min(counts, key=lambda count: count[0]))

    @cached_property
    def are_cut(self) -> bool:
        """True if the span cuts some of these steps: of them only what lies in it is counted."""
        return not all(bool(core_times.is_whole.all()) for core_times in self.times)

    def duration_title(self, title: str) -> str:
        """The title of a figure of durations: those of steps that are cut are other ones than those of the steps."""
        return f"{title}, in the span" if self.are_cut else title

    def ticks(self, ps: Ints) -> Ints:
        """Times in ticks."""
        return ps // self.tick_ps

    def class_ticks(self, core: int, row: int, step_class: StepClass) -> int | None:
        """Time of a class in a step of a core or host, ticks; None: not recorded."""
        ps = self.times[core].class_ps(step_class, row)
        return None if ps is None else ps // self.tick_ps

    def event(self, core: int, row: int) -> str | None:
        """The slice that a step of a core is."""
        core_times = self.times[core]
        return None if core_times.track[row] < 0 else f"{core_times.track[row]}.{core_times.ordinal[row]}"


def asked_steps(scope: Scope, question: SpanQuestion) -> Interruptible[AskedSteps]:
    """The steps that a question is about, on the cores and hosts that have some of its tracks."""
    question_windows = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks)
    steps = scope.reader.steps
    if question.step_name is not None:
        steps = yield from scope.steps(question.step_name)
    times = yield from run_step_times(scope.reader, steps, tracks, question_windows.on_track, question_windows.of_rows)
    tpus = [core_times for core_times in times if StepPart.IDLE in core_times.parts]
    hosts = [core_times for core_times in times if StepPart.IDLE not in core_times.parts]
    times = tpus or hosts
    notes = []
    if tpus and hosts:
        notes.append(Note("info", "steps of TPU cores are shown; other hosts have steps, too: choose their tracks"))
    host_names = [_host_name(scope, core_times) for core_times in times]
    several = len(set(host_names)) > 1
    names = [
        _name(scope, core_times, host if several else "") for core_times, host in zip(times, host_names, strict=True)
    ]
    together = aligned(times)
    yield
    notes += yield from _notes(times, together, names, host_names)
    if times:
        notes += border_notes(steps.counted, np.concatenate([core_times.number for core_times in times]))
    is_pytorch = not times and bool((yield from frame_names(scope.reader, OPERATORS)).any())
    why = "" if times else no_steps(None, is_pytorch=is_pytorch)
    if not times and steps.series:
        why = "no step of these devices and hosts lies in this span"
    tick_ps = scope.reader.tick_ps
    return AskedSteps(times, together, names, host_names, tick_ps, question_windows, notes, why)


def _host_name(scope: Scope, core_times: StepTimes) -> str:
    groups = scope.reader.tree.groups
    parent = groups[core_times.group].parent
    return "" if parent is None else groups[parent].name


def _name(scope: Scope, core_times: StepTimes, host: str) -> str:
    name = scope.reader.tree.groups[core_times.group].name
    return f"{host} · {name}" if host else name


def means_note(together: AlignedSteps) -> list[Note]:
    """A note on how many steps enter means and shares that are of the complete ones; nothing where all do."""
    others = int((~together.complete).sum())
    if others:
        steps = plural(len(together) - others, "step", "steps")
        return [Note("info", f"means and shares are of the {steps} that all have, not of {others:,} more")]
    if (together.rows < 0).any():
        return [Note("info", "no step is on all of them: means and shares are of those recorded")]
    return []


def _notes(
    times: Sequence[StepTimes], together: AlignedSteps, names: Sequence[str], hosts: Sequence[str]
) -> Interruptible[list[Note]]:
    notes = []
    later = [name for name, shift in zip(names, together.shifts, strict=True) if shift]
    if later:
        text = f"the trace has no step numbers, and {first_names(later)} began later: steps were matched by their times"
        notes.append(Note("warning", text))
    lacking = [together.number[together.rows[:, place] < 0].tolist() for place in range(len(names))]
    notes += lacking_notes(lacking, names, hosts)
    notes += yield from _unsplit_notes(times, together)
    over = [name for name, core_times in zip(names, times, strict=True) if core_times.overlap]
    if over:
        notes.append(Note("info", f"steps overlap on {first_names(over)}: what lies in two belongs to the later one"))
    unrecorded = max((int((~core_times.is_recorded).sum()) for core_times in times), default=0)
    if unrecorded and any(core_times.is_recorded.any() for core_times in times):
        left_out = plural(unrecorded, "step", "steps")
        notes.append(Note("info", f"parts and shares leave out {left_out}, of which not all operators were recorded"))
    elif any(not core_times.operators_end for core_times in times):
        notes.append(Note("info", MARKS_ALONE))
    elif unrecorded:
        notes.append(Note("warning", "not all operators of these steps were recorded: what lacks is counted apart"))
    if not all(bool(core_times.is_whole.all()) for core_times in times):
        notes.append(Note("info", "the span cuts steps: of these only what lies in it is counted"))
    return notes


def _unsplit_notes(times: Sequence[StepTimes], together: AlignedSteps) -> Interruptible[list[Note]]:
    """Notes on the steps in which waiting in all-reduces cannot be told from computing: by how many were recorded."""
    steps_by_words: dict[str, list[Ints]] = {}
    for place, core_times in enumerate(times):
        yield
        unsplit, participants = core_times.parts.get(StepPart.ALL_REDUCE_UNSPLIT), core_times.participants
        if unsplit is None or participants is None:
            continue
        has_step = np.flatnonzero(together.rows[:, place] >= 0)
        rows = together.rows[has_step, place]
        is_unsplit = unsplit[rows] > 0
        recorded, numbers = participants.recorded[rows[is_unsplit]], together.number[has_step[is_unsplit]]
        for count in np.unique(recorded).tolist():
            words = _unsplit_words(count, participants)
            steps_by_words.setdefault(words, []).append(numbers[recorded == count])
    text = "waiting in all-reduces of {} is not separable from computing: {}"
    return [
        Note("info", text.format(steps_text(np.unique(np.concatenate(numbers)).tolist()), words))
        for words, numbers in steps_by_words.items()
    ]


def _unsplit_words(recorded: int, participants: Participants) -> str:
    """The reason for which waiting is not told from computing where so many devices were recorded."""
    if not participants.is_stored:
        return "how many take part is not stored yet"
    if recorded >= participants.expected:
        return "which cores reduce together is not understood, or there are too many groups"
    return f"{recorded:,} of {participants.expected:,} devices of the job recorded"
