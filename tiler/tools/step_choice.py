"""The choice of slices that are steps, where a trace marks none: candidates in a table, and the plain one as a note."""

from __future__ import annotations

from dataclasses import dataclass

from tilescope.tiler.count_text import plural
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts.step_candidates import StepCandidates, step_candidates
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Column, Note, Table
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope


@dataclass(frozen=True, slots=True)
class StepChoice:
    """Candidates of a run that marks no steps; none of one that does."""

    candidates: StepCandidates
    is_chosen: bool  # the question says already which slices are steps
    tick_ps: int

    @property
    def tables(self) -> list[Table]:
        """The candidates: the first row of a run with a plain one is that, as `proposed` says."""
        rows, plain = self.candidates.rows, self.candidates.plain
        if not rows:
            return []
        columns = [
            Column("name", "Name", "text", [row.name for row in rows]),
            Column("count", "Count", "count", [row.count for row in rows]),
            Column("devices", "Devices", "count", [len(row.counts) for row in rows]),
            Column("mean", "Mean", "ticks", [row.mean for row in rows]),
            Column("proposed", "Proposed", "flag", [row is plain and not self.is_chosen for row in rows]),
        ]
        return [Table("step_candidates", "Slices that could be steps", columns)]

    @property
    def notes(self) -> list[Note]:
        """The plain candidate in a sentence, unless a choice was made."""
        plain = self.candidates.plain
        if plain is None or self.is_chosen:
            return []
        times, mean = plural(plain.counts[0], "time", "times"), duration_text(plain.mean, self.tick_ps)
        where = "the device" if len(plain.counts) == 1 else f"each of {len(plain.counts):,} devices"
        text = f"The steps may be the slices {plain.name!r}: {times} on {where}, {mean} on average: "
        return [Note("info", f"{text}say with step_name that they are.")]


def step_choice(scope: Scope, question: SpanQuestion) -> Interruptible[StepChoice]:
    """The choice for the tracks of a question. Raises DamagedStore."""
    candidates = StepCandidates()
    if not scope.reader.steps.series:
        candidates = yield from step_candidates(scope.reader, scope.leaves(question.tracks))
    return StepChoice(candidates, question.step_name is not None, scope.reader.tick_ps)
