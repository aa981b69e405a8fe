"""A run beside others, or a range of it beside another one: what became slower, by name, category, track or argument.

Self time is compared, which adds up: no moment of a track counts twice, so that the changes of all rows are the change
of the whole. docs/compare.md says what is counted and how names are matched.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import UsageError
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Note
from tilescope.tiler.tools.argument_names import ArgumentName
from tilescope.tiler.tools.compare.changes import Changes, SideSums
from tilescope.tiler.tools.compare.facts import Per, compare_sentence, comparison_facts
from tilescope.tiler.tools.compare.inequalities import inequalities
from tilescope.tiler.tools.compare.keys import SideKeys
from tilescope.tiler.tools.compare.normalised import Match
from tilescope.tiler.tools.compare.row_texts import IN_PLACES, TITLES, RowSource, row_texts
from tilescope.tiler.tools.compare.side import ComparedSide, has_steps, span_side, step_side
from tilescope.tiler.tools.compare.sums import Numbering, SummedTracks, row_sums
from tilescope.tiler.tools.compare.tables import changes_table
from tilescope.tiler.tools.compare.track_paths import TrackPaths, path_text
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.figures import short_name
from tilescope.tiler.tools.question import FigureQuestion, SpanQuestion, Tick
from tilescope.tiler.tools.references import BuildRefs
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.stats import StatsBy
from tilescope.tiler.tools.stats.value_groups import ValueGroups
from tilescope.tiler.tools.step_range import StepRange
from tilescope.tiler.tools.tool import Tool

MAX_ROWS: Final = 65_536
DEFAULT_ROWS: Final = 1000


class CompareQuestion(FigureQuestion, frozen=True, kw_only=True):
    """A range of this run beside one of other runs, or of this run itself."""

    against: Annotated[
        BuildRefs | None,
        Meta(
            description="The runs that this one is compared with, at most 32: of several, with their mean. Unless "
            "given, this run itself."
        ),
    ] = None
    against_start: Annotated[
        Tick | None,
        Meta(
            description="First tick of their span, in ticks of this run. Without it and against_end the span is "
            "that of this run."
        ),
    ] = None
    against_end: Annotated[
        Tick | None,
        Meta(description="First tick after their span, in ticks of this run; their end where only the start is given."),
    ] = None
    against_steps: Annotated[
        StepRange | None, Meta(description="Their steps, as in 5 or 5-9; those of this run unless given.")
    ] = None
    by: Annotated[StatsBy, Meta(description="What the rows are: events are grouped by it.")] = "name"
    argument: Annotated[
        ArgumentName | None, Meta(description="With by=argument: the argument whose values are the rows.")
    ] = None
    match: Annotated[
        Match,
        Meta(
            description="How texts are compared: as they are, or without numbers behind . _ # and with hexadecimal ids "
            "as *, as in fusion.12 and fusion.7."
        ),
    ] = "exact"
    per: Annotated[
        Per | None,
        Meta(
            description="Whether means per step or totals are compared. Unless given, step where all runs have steps "
            "and no span is asked for, else total."
        ),
    ] = None
    limit: Annotated[
        int, Meta(ge=0, le=MAX_ROWS, description="The most rows that are listed, the greatest changes first.")
    ] = DEFAULT_ROWS


def _answer(scope: Scope, question: CompareQuestion) -> Interruptible[Answer]:
    _check_argument(question)
    scopes = [scope, *([scope] if question.against is None else map(scope.for_build, question.against))]
    has_hosts = any(len(each.reader.manifest.hosts) > 1 for each in scopes)
    paths = [TrackPaths(each.reader.tree, question.match, has_hosts=has_hosts) for each in scopes]
    questions = [question, *(_against(question, scope, base) for base in scopes[1:])]
    per, per_note = _per(question, scopes, questions)
    wanted = scope.leaves(question.tracks)
    wanted_paths = {paths[0].track(track) for track in wanted}
    sides: list[ComparedSide] = []
    notes: list[Note] = []
    for number, (each, part) in enumerate(zip(scopes, questions, strict=True)):
        tracks = wanted
        if each.reader.store.build != scope.reader.store.build:
            tracks = each.leaves(None)
            if question.tracks is not None:
                tracks = paths[number].with_paths(wanted_paths, tracks)
        make = step_side if per == "step" else span_side
        sides.append((yield from make(each, part, tracks)))
    if question.tracks is not None:
        notes += _lacking_tracks(wanted_paths, sides[1:], paths[1:])
    marks = frozenset().union(*(side.marks for side in sides))
    keys = [_keys(side, path, question, marks) for side, path in zip(sides, paths, strict=True)]
    row_keys, places, sums = Numbering(), Numbering(), []
    for side, path, side_keys in zip(sides, paths, keys, strict=True):
        parts = path.parts(side.tracks) if question.by in IN_PLACES else [SummedTracks((), side.tracks)]
        grouped = yield from row_sums(side.scope.reader, parts, side.windows, side_keys.grouping(), row_keys, places)
        sums.append(SideSums(grouped, side.divisor, side.scope.reader.tick_ps))
    changes = Changes(sums[0], sums[1:], row_keys.keys(), places.keys())
    rows = changes.order(question.limit)
    yield
    table = changes_table(
        changes, rows, row_texts(RowSource(question.by, question.argument or "", sides, keys, paths), changes, rows)
    )
    unequal, machine_notes = yield from inequalities(sides[0], sides[1:])
    for each in scopes[1:]:
        if each is not scope:
            notes += [note for note in each.notes if note not in notes and note not in scope.notes]
    if len(changes) and not changes.counts(new=True).astype(bool)[changes.counts(new=False) > 0].any():
        notes.append(Note("warning", "the runs have nothing in common by this: compare by another one, or normalised"))
    facts = comparison_facts(TITLES[question.by], changes, sides, per, per_note)
    return Answer(facts, [table, unequal], notes=[*machine_notes, *notes])


def _check_argument(question: CompareQuestion) -> None:
    if question.by == "argument" and question.argument is None:
        raise UsageError("argument: by=argument needs the name of an argument")
    if question.by != "argument" and question.argument is not None:
        raise UsageError("argument: it goes with by=argument")


def _against(question: CompareQuestion, scope: Scope, base: Scope) -> SpanQuestion:
    """The question about another run: what it does not say is as for this run."""

    def ticks(value: int | None, *, up: bool) -> int | None:
        if value is None or base.reader.tick_ps == scope.reader.tick_ps:
            return value
        ps = value * scope.reader.tick_ps
        return -(-ps // base.reader.tick_ps) if up else ps // base.reader.tick_ps

    has_span = question.against_start is not None or question.against_end is not None
    start, end = (question.against_start, question.against_end) if has_span else (question.start, question.end)
    return SpanQuestion(
        start=ticks(start, up=False),
        end=ticks(end, up=True),
        steps=question.against_steps or question.steps,
        step_name=question.step_name,
    )


def _per(question: CompareQuestion, scopes: Sequence[Scope], questions: Sequence[SpanQuestion]) -> tuple[Per, str]:
    """The way in which sums are compared, and the reason, in words."""
    if question.per is not None:
        return question.per, "as asked"
    has_span = any(part.start is not None or part.end is not None for part in questions)
    if has_span and question.steps is None and question.against_steps is None:
        return "total", "because a span is asked for"
    lacking = sum(not has_steps(scope, part) for scope, part in zip(scopes, questions, strict=True))
    if lacking:
        return "total", "because not all runs have steps" if lacking < len(scopes) else "because no run has steps"
    return "step", "because all runs have steps"


def _keys(side: ComparedSide, paths: TrackPaths, question: CompareQuestion, marks: frozenset[str]) -> SideKeys:
    reader = side.scope.reader
    valued = None if question.argument is None else ValueGroups(reader, question.argument)
    return SideKeys(reader, paths, question.by, question.match, marks, valued)


def _lacking_tracks(
    wanted: set[tuple[str, ...]], bases: Sequence[ComparedSide], paths: Sequence[TrackPaths]
) -> list[Note]:
    """A note on tracks that are asked for and that another run lacks."""
    lacking = set[tuple[str, ...]]()
    for side, path in zip(bases, paths, strict=True):
        lacking |= wanted - {path.track(track) for track in side.tracks}
    if not lacking:
        return []
    first = short_name(path_text(min(lacking)))
    return [Note("warning", f"{plural(len(lacking), 'track has', 'tracks have')} no track of that name there: {first}")]


TOOL: Final = Tool(
    id="compare",
    title="Compare",
    help="what takes more or less time than in another run, or another range",
    group="time",
    question=CompareQuestion,
    answer=_answer,
    sentence=compare_sentence,
    contract=Contract(lists={"changes": "rows"}),
)
