"""Flows: from one event on and back, from slice to slice; or in a span from track to track, summed up."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import NotBuilt
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table, Value
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.flows.chain import BACK, FORWARD, Chain, chain_of
from tilescope.tiler.tools.flows.edges import TrackFlows, flow_edges
from tilescope.tiler.tools.question import SpanQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_DEPTH: Final = 64
DEFAULT_DEPTH: Final = 16
MAX_ROWS: Final = 1000
DEFAULT_ROWS: Final = 200

_SIDES: Final = {"both": (BACK, FORWARD), "back": (BACK,), "forward": (FORWARD,)}


# A track and an ordinal, as figures of kind `event` are.
EventText = Annotated[
    str, Meta(pattern="^[0-9]{1,10}[.][0-9]{1,19}$", extra={"form": "an event by its track and ordinal, as in 4.17"})
]


class FlowsQuestion(SpanQuestion, frozen=True, kw_only=True):
    """The chain of an event; without one, how many flows go between tracks in a span."""

    event: Annotated[
        EventText | None,
        Meta(
            description="The event whose chain is wanted, as track and ordinal: 4.17. Without it flows are counted.",
        ),
    ] = None
    direction: Annotated[
        Literal["both", "back", "forward"], Meta(description="Whether the chain is followed forward, back or both.")
    ] = "both"
    depth: Annotated[
        int, Meta(ge=1, le=MAX_DEPTH, description="How many flows the chain goes forward and back at most.")
    ] = DEFAULT_DEPTH
    limit: Annotated[
        int, Meta(ge=0, le=MAX_ROWS, description="The most events of the chain, or pairs of tracks, that are listed.")
    ] = DEFAULT_ROWS


def _answer(scope: Scope, question: FlowsQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    if question.event is not None:
        track, ordinal = map(int, question.event.split("."))
        scope.reader.tree.kind(track)
        if not scope.is_done(track):
            raise NotBuilt(f"track {track} is not built yet")
        chain = yield from chain_of(
            scope.reader, track, ordinal, _SIDES[question.direction], question.depth, question.limit
        )
        facts, notes = _chain_facts(chain), _chain_notes(chain)
        return Answer(facts, [_chain_table(scope, chain)], notes=notes)
    edges = yield from flow_edges(scope.reader, scope.leaves(question.tracks), question_windows.on_track)
    facts = [
        Fact("leaving", "Leave", int(edges.leaving.sum()), "count", "flows that begin in this range"),
        Fact("arriving", "Arrive", int(edges.arriving.sum()), "count", "flows that end there"),
        Fact("pairs", "Pairs of tracks", len(edges), "count"),
    ]
    return Answer(facts, [_edges_table(edges, question.limit)], notes=_edges_notes(edges))


def _chain_facts(chain: Chain) -> list[Fact]:
    depths = [link.depth for link, _ in chain.rows()]
    return [
        Fact("incoming", "Arrive at it", chain.incoming, "count", "flows"),
        Fact("outgoing", "Leave it", chain.outgoing, "count", "flows"),
        Fact("events", "Events", chain.count, "count", "of the chain, itself included"),
        Fact("back", "Back", -min(depths), "count", "flows to the farthest"),
        Fact("forward", "Forward", max(depths), "count", "flows to the farthest"),
    ]


def _chain_notes(chain: Chain) -> list[Note]:
    if chain.is_cut:
        return [Note("warning", "the chain goes on: raise depth or limit, or ask for one of its events")]
    if chain.count == 1:
        return [Note("info", "no flow arrives at this event or leaves it")]
    return []


def _chain_table(scope: Scope, chain: Chain) -> Table:
    """A tree: below each event those that a flow leads to, or comes from."""
    rows = list(chain.rows())
    links = [link for link, _ in rows]
    names = scope.reader.names.by_id(link.name for link in links)
    steps = ["it" if link.depth == 0 else f"{'back' if link.depth < 0 else 'on'} {abs(link.depth)}" for link in links]
    columns = [
        Column("step", "Flow", "text", steps),
        Column("name", "Name", "name", [names[link.name].text for link in links]),
        Column("track", "Track", "track", [link.track for link in links]),
        Column("start", "Start", "time", [link.start for link in links]),
        Column("duration", "Duration", "ticks", [link.duration for link in links]),
        Column("tick", "Flow at", "time", [link.tick if link.depth else None for link in links]),
        Column("event", "Event", "event", [link.event for link in links]),
        Column("depth", "Depth", "id", [link.depth for link in links]),
        Column("parent", "Parent", "id", [parent for _, parent in rows]),
    ]
    return Table("chain", "Chain", columns, parent="parent")


def _edges_notes(edges: TrackFlows) -> list[Note]:
    derived = int(edges.derived.sum())
    if not derived:
        return []
    what = plural(derived, "that leaves is", "that leave are")
    return [Note("info", f"{what} not among the flows of the trace: a launch and its work have one correlation.")]


def _edges_table(flows: TrackFlows, limit: int) -> Table:
    listed, left = flows.take(slice(limit)), flows.take(slice(limit, None))

    def delays(column: str) -> list[Value]:
        values = getattr(listed, column).tolist()
        return [value if leaving else None for value, leaving in zip(values, listed.leaving.tolist(), strict=True)]

    mean: list[Value] = [
        delay // leaving if leaving else None
        for delay, leaving in zip(listed.delay.tolist(), listed.leaving.tolist(), strict=True)
    ]
    columns = [
        Column("source", "From", "track", listed.source),
        Column("target", "To", "track", listed.target),
        Column("leaving", "Leave", "count", listed.leaving),
        Column("arriving", "Arrive", "count", listed.arriving),
        Column("mean", "Mean delay", "ticks", mean),
        Column("shortest", "Shortest", "ticks", delays("shortest"), total="min"),
        Column("longest", "Longest", "ticks", delays("longest"), total="max"),
    ]

    def sums(part: TrackFlows) -> dict[str, Value]:
        return {"leaving": int(part.leaving.sum()), "arriving": int(part.arriving.sum())}

    return Table(
        "edges", "Flows from track to track", columns, totals=sums(flows), rest=sums(left) if len(left) else None
    )


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    if figures.value("events") is not None:
        events = plural(figures.count("events"), "event", "events")
        arrive = plural(figures.count("incoming"), "flow arrives", "flows arrive")
        return f"{arrive} at this event, {figures.text('outgoing')} leave it: the chain has {events}"
    if not figures.count("pairs"):
        return "No flow begins or ends in this range"
    leave = plural(figures.count("leaving"), "flow leaves", "flows leave")
    pairs = plural(figures.count("pairs"), "pair", "pairs")
    return f"{leave} and {figures.text('arriving')} arrive, between {pairs} of tracks"


TOOL: Final = Tool(
    id="flows",
    title="Flows",
    help="where flows lead and come from, of an event or between tracks",
    group="waiting",
    question=FlowsQuestion,
    answer=_answer,
    sentence=_sentence,
    contract=Contract(
        added=("leaving", "arriving"),
        rows=(AddedRows("edges", ("source", "target"), ("leaving", "arriving")),),
        lists={"edges": "pairs"},
    ),
)
