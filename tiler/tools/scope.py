"""The view that a tool has of a run: its store's reader, and which tracks are done while it is being indexed.

Of other builds that a question names, it sees the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.launches import launched_steps
from tilescope.tiler.facts.step_candidates import StepCandidates, step_candidates
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import SLICE_KINDS, Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.schema import ClockShift
from tilescope.tiler.store.attachments import AttachmentEntry, attachments_of, content
from tilescope.tiler.store.clocks import clock_shifts, hosts_on_own_axes
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.question_windows import QuestionWindows, StepWindows, no_steps
from tilescope.tiler.tools.references import BuildRef, HostRef
from tilescope.tiler.tools.step_range import StepRange
from tilescope.tiler.windows import Windows, everywhere


class Scope:
    """For one question. `others` are the readers of the builds that it names."""

    def __init__(self, reader: QueryReader, others: Mapping[BuildRef, QueryReader] | None = None) -> None:
        self.reader = reader
        self._others = {name: Scope(other) for name, other in (others or {}).items()}
        self._named: dict[str, RunSteps] = {}  # steps by the name that the question gives them
        self.notes: list[Note] = []  # that belong into the answer, whatever the tool says

    @property
    def is_complete(self) -> bool:
        """False once something was read that is not there yet, or not final, here or of another build."""
        return not self.reader.is_incomplete and all(other.is_complete for other in self._others.values())

    def missing_hosts(self) -> list[str]:
        """Hosts that the run, or another build that the question names, lacks."""
        own = [host.name for host in self.reader.manifest.missing]
        return own + [host for other in self._others.values() for host in other.missing_hosts()]

    def clock_shifts(self) -> list[ClockShift]:
        """Shifts of hosts of the run, or of another build that the question names.

        Raises StoreError.
        """
        store = self.reader.store
        own = clock_shifts(Path(store.location), store.manifest())
        return own + [shift for other in self._others.values() for shift in other.clock_shifts()]

    def hosts_on_own_axes(self) -> list[str]:
        """Hosts of the run, or of another build that the question names, that count their times from another origin.

        Raises DamagedStore.
        """
        store = self.reader.store
        own = hosts_on_own_axes(Path(store.location), store.manifest())
        return own + [host for other in self._others.values() for host in other.hosts_on_own_axes()]

    def for_build(self, build: BuildRef) -> Scope:
        """The same for another build that the question names."""
        return self._others[build]

    of = for_build  # as in version 0.2: tools of other packages call it

    def without_outliers(self) -> Scope:
        """The same, whose figures leave outliers out; itself where there are none, here or of other builds."""
        reader = self.reader.without_outliers
        others = {name: other.reader.without_outliers for name, other in self._others.items()}
        if reader is self.reader and all(others[name] is other.reader for name, other in self._others.items()):
            return self
        return Scope(reader, others)

    @property
    def manifest(self) -> dict[str, Any]:
        """A dict as docs/api.md has it, for tools of other packages; ours read `reader.manifest`."""
        return self.reader.store.manifest()

    def within(self, span: TickRange) -> TickRange:
        """The part of a span that the run has; events that start at its last tick are in it."""
        stop = min(span.stop, self.reader.end + 1)
        return TickRange(min(span.start, stop), stop)

    def span(self, question: SpanQuestion) -> TickRange:
        """The ticks that a question is about, of those of the run. Raises UsageError when there is no such span."""
        span = self.within(question.ticks)
        start, stop = self.run_span(question)
        if (words := self.outside_text(question)) is not None:
            self._add_notes([Note("warning", words)])
        return TickRange(min(max(span.start, start), stop), max(min(span.stop, stop), start))

    def outside_text(self, question: SpanQuestion) -> str | None:
        """The words for a span of which the run has nothing; None where it has something, or the run is empty."""
        span = self.within(question.ticks)
        first, stop = self.run_span(question)
        if first == stop or (first < span.stop and span.start < stop):
            return None
        duration = duration_text(stop - 1 - first, self.reader.tick_ps)
        return f"the span is outside of the run, which has ticks {first:,} to {stop - 1:,} ({duration})"

    def _add_notes(self, notes: Iterable[Note]) -> None:
        """Adds those that are not there yet: some tools ask twice."""
        self.notes += [note for note in notes if note not in self.notes]

    def run_span(self, question: SpanQuestion) -> TickRange:
        """The ticks of the run, without what lies apart unless that is asked for, or both ends of a span are given."""
        outliers = self.reader.outliers
        if outliers is None or (question.start is not None and question.end is not None):
            return TickRange(0, self.reader.end + 1)
        return outliers.rest

    def leaves(self, tracks: Sequence[int] | None, kinds: frozenset[str] = SLICE_KINDS) -> list[int]:
        """As `TrackTree.leaves`: the tracks that hold events, as far as they are done."""
        return [track for track in self.reader.tree.leaves(tracks, kinds) if self.is_done(track)]

    def steps(self, name: str | None) -> Interruptible[RunSteps]:
        """The steps of the run: those that the trace marks, or slices of a name. Raises UsageError: there are none."""
        if name is None:
            steps = self.reader.steps
            marked = self.reader.manifest.steps if self.reader.is_whole else None
            if marked is not None and not marked.all:
                self._add_notes([Note("warning", "the trace marks more steps than a store keeps: some are left out")])
        elif name in self._named:
            steps = self._named[name]
        else:
            from tilescope.tiler.tools.chosen_steps import chosen_steps  # a search, whose tool needs scopes itself

            steps = self._named[name] = yield from chosen_steps(self.reader, self.leaves(None), name)
        if not steps.series:
            candidates = StepCandidates() if name else (yield from step_candidates(self.reader, self.leaves(None)))
            raise UsageError(no_steps(name, candidates.plain))
        return steps

    def windows(self, question: SpanQuestion) -> Interruptible[QuestionWindows]:
        """Windows of a question on each track: a span, or steps. Raises UsageError for steps that do not exist.

        `step_name` alone says what steps are: the question is about all of its span.
        """
        if question.steps is not None:
            return (yield from self.step_windows(question, question.steps))
        span, within = self.span(question), self.run_span(question)
        if question.step_name is not None:
            yield from self.steps(question.step_name)  # raises, whatever is asked, where nothing is called so
        return QuestionWindows(everywhere(Windows.single(*span)), span, within)

    def step_windows(self, question: SpanQuestion, steps: StepRange) -> Interruptible[StepWindows]:
        """The windows of some steps, and of these what lies in the span of a question. Raises UsageError."""
        span, within = self.span(question), self.run_span(question)
        run_steps = yield from self.steps(question.step_name)
        launched = yield from launched_steps(self.reader, run_steps)
        windows = StepWindows(run_steps, steps, span, within, launched)
        self._add_notes(windows.notes)
        return windows

    def is_done(self, track: int) -> bool:
        """True if a track can be read. Where it cannot yet, the answer is not complete."""
        store = self.reader.store
        return not store.is_growing or store.get(SHAPE, track // TRACKS_PER_BLOCK) is not None

    def attachments(self) -> tuple[AttachmentEntry, ...]:
        """Data that the store keeps of the trace beside its events. Raises NotBuilt while the run is indexed."""
        return attachments_of(self.reader.store)

    def attachment(self, entry: AttachmentEntry) -> Iterator[bytes]:
        """The content of one, piece by piece."""
        return content(self.reader.store, entry)

    def event_metadata(self, track: int) -> XStatTables | None:
        """Metadata of a track's kinds of events, by number, name id or plane; None: nothing is known.

        Raises NotBuilt while the run is indexed.
        """
        file = self.reader.file_of(track)
        return None if file < 0 else self.reader.event_metadata(file)

    def tracks_of(self, host: HostRef) -> list[int]:
        """All tracks of a host, rollups included."""
        return self.reader.tree.of_host(host)
