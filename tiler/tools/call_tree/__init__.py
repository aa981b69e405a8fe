"""Call tree of a span: chains of slices that lie in one another, merged by name, with own time and total time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.call_tree.depth_note import depth_note
from tilescope.tiler.tools.call_tree.listed_nodes import ListedNodes, listed_nodes, nodes_through
from tilescope.tiler.tools.call_tree.tree import call_tree, track_of
from tilescope.tiler.tools.call_tree.weighted import weighted_answer
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import EventName, FigureQuestion
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.tools.track_names import track_names

Ints = NDArray[np.int64]

MAX_ROWS: Final = 100_000
DEFAULT_ROWS: Final = 1000
MAX_LEVELS: Final = 10_000
DEFAULT_LEVELS: Final = 500

# Only the slices of a thread, a stream or a line lie in one another: asynchronous spans are laid out in rows alone, and
# instants and samples last no time.
NESTING_KINDS: Final = frozenset({"slice"})

# Tracks of other kinds: the singular, the plural, and true where a question about all tracks is about these, too.
_OTHER_KINDS: Final = {
    "async": ("track of asynchronous spans", "tracks of asynchronous spans", True),
    "instant": ("track of instants", "tracks of instants", True),
    "counter": ("counter", "counters", False),
}


Weight = Literal["time", "device", "bytes"]

_MERGED: Final = (Note("warning", "there is a tree for each track of time alone: these chains are of all tracks"),)


class CallTreeQuestion(FigureQuestion, frozen=True, kw_only=True):
    """The slices of a span, by the chains of names in which they lie."""

    by: Annotated[
        Literal["name", "track"],
        Meta(description="Chains of all tracks merged by name, or a tree for each track."),
    ] = "name"
    weight: Annotated[
        Weight,
        Meta(
            description="What nodes are weighed by: the time of slices, that of work of devices launched in them, "
            "which is below them, or bytes that PyTorch allocates in them, memory by memory."
        ),
    ] = "time"
    name: Annotated[
        EventName | None,
        Meta(
            description="Only chains through slices or work of exactly this name: above them nothing else counts.",
        ),
    ] = None
    depth: Annotated[
        int,
        Meta(ge=1, le=MAX_LEVELS, description="The most levels that are listed; what lies deeper counts above."),
    ] = DEFAULT_LEVELS
    limit: Annotated[
        int, Meta(ge=1, le=MAX_ROWS, description="The most nodes that are listed, those with the most time.")
    ] = DEFAULT_ROWS


def _answer(scope: Scope, question: CallTreeQuestion) -> Interruptible[Answer]:
    if question.weight != "time":
        answer = yield from weighted_answer(
            scope, question, question.weight, question.name, question.limit, question.depth
        )
        return replace(answer, notes=[*answer.notes, *_MERGED]) if question.by == "track" else answer
    windows = yield from scope.windows(question)
    tracks = scope.leaves(question.tracks, NESTING_KINDS)
    span = windows.span(tracks)
    tree = yield from call_tree(scope.reader, tracks, windows.on_track, by_track=question.by == "track")
    yield
    # A node for each track is a level of its own.
    track_levels = int(question.by == "track")
    limit, depth = question.limit, question.depth + track_levels
    if question.name is None:
        listed = listed_nodes(tree, limit, depth)
    else:
        listed = yield from nodes_through(scope.reader, tree, question.name, limit, depth)
    yield
    table = yield from _table(scope.reader, listed, question)
    levels = max(listed.levels - track_levels, 0)
    these = "slices" if question.name is None else "slices of this name, with what is in them,"
    facts = [
        Fact("busy", "Time", listed.ticks, "ticks", f"in which {these} run, of all tracks together"),
        Fact("slices", "Slices", listed.slices, "count", "that start in the span"),
        Fact(
            "nodes",
            "Nodes",
            listed.nodes,
            "count",
            "tracks, and different chains of names on each" if track_levels else "different chains of names",
        ),
        Fact("levels", "Levels", levels, "count", "of the deepest chain"),
        Fact("tracks", "Tracks", len(tracks), "count"),
        Fact("start", "Start", span.start, "time"),
        Fact("end", "End", span.stop, "time"),
    ]
    notes = [*depth_note(levels, question.depth), *_left_out(scope, question.tracks)]
    return Answer(facts, [table], notes=notes)


def _left_out(scope: Scope, tracks: Sequence[int] | None) -> list[Note]:
    """A note that counts the tracks whose slices do not lie in one another, by kind."""
    counts = {
        kind: len(scope.leaves(tracks, frozenset({kind})))
        for kind, (_, _, is_always_counted) in _OTHER_KINDS.items()
        if is_always_counted or tracks is not None
    }
    parts = [f"{count:,} {_OTHER_KINDS[kind][count > 1]}" for kind, count in counts.items() if count]
    if not parts:
        return []
    verb = "is" if sum(counts.values()) == 1 else "are"
    text = " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
    return [Note("info", f"{text} {verb} left out: events of such tracks do not lie in one another")]


def _table(reader: QueryReader, listed: ListedNodes, question: CallTreeQuestion) -> Interruptible[Table]:
    """The table of the nodes that are listed. Yields between columns: of many nodes each takes some milliseconds."""
    parent, name, total, self_ticks, count, calls, longest, track, ordinal = listed.columns
    track_row = track_of(name)
    is_track = track_row >= 0
    tracks = track_names(reader.tree, track_row[is_track].tolist())
    names = reader.names.by_id(np.unique(name[~is_track]).tolist())
    yield
    texts = [
        tracks[row_track] if row_track >= 0 else names[number].text
        for number, row_track in zip(name.tolist(), track_row.tolist(), strict=True)
    ]
    yield
    columns = [Column("name", "Name", "name", texts)]
    if question.by == "track":
        columns.append(Column("track", "Track", "track", np.ma.MaskedArray(track_row, ~is_track)))
    categories = [names[number].category if number in names else "" for number in name.tolist()]
    columns.append(Column("category", "Category", "text", categories))
    yield
    columns += [
        Column("total", "Total", "ticks", total, total="none"),
        Column("share", "Share", "fraction", _shares(total, listed.ticks), total="none"),
    ]
    yield
    columns += [
        Column("self", "Self", "ticks", self_ticks),
        Column("self_share", "Self share", "fraction", _shares(self_ticks, listed.ticks)),
    ]
    yield
    columns += [
        Column("count", "Count", "count", count),
        Column("calls", "Count with those below", "count", calls, total="none"),
        Column("longest", "Longest", "ticks", np.ma.MaskedArray(longest, longest < 0), total="max"),
        Column("event", "Longest slice", "event", _events(track, ordinal)),
    ]
    yield
    columns += [
        query_column(None if is_row else text for is_row, text in zip(is_track.tolist(), texts, strict=True)),
        Column("parent", "Parent", "id", parent),
    ]
    yield
    rest: dict[str, Value] = {
        "self": listed.ticks - int(self_ticks.sum()),
        "count": listed.slices - int(count.sum()),
    }
    return Table(
        "nodes",
        "Call tree",
        columns,
        parent="parent",
        totals={"self": listed.ticks, "count": listed.slices},
        rest=rest if len(parent) < listed.nodes else None,
        nested=("total", "calls"),
    )


def _shares(ticks: Ints, all_ticks: int) -> list[float | None]:
    return [part / all_ticks if all_ticks else None for part in ticks.tolist()]


def _events(tracks: Ints, ordinals: Ints) -> list[str | None]:
    pairs = zip(tracks.tolist(), ordinals.tolist(), strict=True)
    return [None if track < 0 else f"{track}.{ordinal}" for track, ordinal in pairs]


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    if not figures.count("busy"):
        return "No slice runs in this range"
    tracks = plural(figures.count("tracks"), "track", "tracks")
    levels = plural(figures.count("levels"), "name", "names")
    return f"Slices on {tracks} run for {figures.text('busy')}, in chains of up to {levels}"


TOOL: Final = Tool(
    id="call_tree",
    title="Call tree",
    help="where time goes, as a tree of slices in slices, by name or track",
    group="time",
    question=CallTreeQuestion,
    answer=_answer,
    sentence=_sentence,
    contract=Contract(
        added=("busy", "slices", "nodes.self", "nodes.count"),
        by_track=True,
        parts={"busy": ("nodes.self",), "slices": ("nodes.count",)},
    ),
)
