"""Tools of a package of somebody else, as pip would have installed it: one folder, which goes on the path."""

from __future__ import annotations

from pathlib import Path

# Three tools that work, and one of each sort of fault.
MODULE = '''
"""Toy tools."""
import os
import time
from typing import Annotated, Literal

from msgspec import Meta
from tilescope.tiler.tools import (
    Answer, BuildRef, Column, Fact, HostRef, Note, Question, Series, SpanQuestion, Table, Tool,
)


class ToyQuestion(SpanQuestion, frozen=True, kw_only=True):
    """Everything that a question may hold."""

    host: Annotated[HostRef | None, Meta(description="The host that is looked at; all unless given.")] = None
    order: Annotated[Literal["tree", "busy"], Meta(description="How tracks are ordered.")] = "tree"
    with_empty: Annotated[bool, Meta(description="Whether tracks without events are listed.")] = False
    scale: Annotated[int, Meta(ge=1, le=9, description="What counts are multiplied with.")] = 1


def toy(scope, question):
    """Facts, a tree, a flat table, a series and notes."""
    tree = scope.reader.tree
    asked = question.tracks if question.host is None else scope.tracks_of(question.host)
    leaves = scope.leaves(asked)
    looked = yield from scope.windows(question)
    span = looked.span(scope.leaves(question.tracks))
    yield
    tracks = [tree.tracks[leaf] for leaf in leaves]
    tracks = [track for track in tracks if question.with_empty or track["events"] != "0"]
    if question.order == "busy":
        tracks.sort(key=lambda track: -int(track["busy"]))
    groups = sorted({track["group"] for track in tracks})
    rows = [(-1, tree.groups[group]["name"], None) for group in groups]
    rows += [(groups.index(track["group"]), track["name"], track["id"]) for track in tracks]
    counts = [int(track["events"]) * question.scale for track in tracks]
    busy = [int(track["busy"]) for track in tracks]
    nested = Table("nested", "Tracks in their groups", [
        Column("parent", "Parent", "id", [parent for parent, _, _ in rows]),
        Column("name", "Name", "name", [name for _, name, _ in rows]),
        Column("track", "Track", "track", [track for _, _, track in rows]),
    ], parent="parent")
    flat = Table("flat", "Figures of tracks", [
        Column("track", "Track", "track", [track["id"] for track in tracks]),
        Column("count", "Events", "count", counts),
        Column("busy", "Busy", "ticks", busy),
        Column("share", "Share", "fraction", [value / (sum(busy) or 1) for value in busy]),
        Column("flops", "FLOPs", "flops", [2**70 + value if value else None for value in busy]),
        Column("rate", "Rate", "rate", [value / 3 for value in busy], "1/s"),
        Column("bytes", "Bytes", "bytes", [2**40 + value for value in counts]),
        Column("first", "First event", "event", [f"{track['id']}.0" for track in tracks]),
        Column("span", "Span", "span", [f"{span.start}-{span.stop}" for _ in tracks]),
        Column("many", "Many", "flag", [value > 1000 for value in counts]),
    ], totals={"count": sum(counts), "busy": sum(busy)})
    x = Column("at", "Time", "time", [span.start, (span.start + span.stop) // 2, span.stop])
    return Answer(
        [Fact("tracks", "Tracks", len(tracks), "count"), Fact("power", "Power", None, "rate", "record it with a meter"),
         Fact("host", "Host", question.host or "all", "text")],
        [nested, flat],
        [Series("ramp", "Ramp", "line", x, [Column("up", "Up", "number", [0.0, 0.5, 1.0])])],
        [Note("info", "a toy", span.start, span.stop, leaves[0] if leaves else None), Note("warning", "no more")],
    )


class VersusQuestion(SpanQuestion, frozen=True, kw_only=True):
    """Two runs."""

    against: Annotated[BuildRef, Meta(description="The build to compare with.")]
    also: Annotated[BuildRef | None, Meta(description="One more.")] = None


def versus(scope, question):
    scopes = [scope, *(scope.of(ref) for ref in (question.against, question.also) if ref is not None)]
    events = []
    for one in scopes:
        yield
        events.append(sum(int(one.reader.tree.tracks[leaf]["events"]) for leaf in one.leaves(question.tracks)))
    return Answer([Fact("difference", "Difference", events[1] - events[0], "count")],
                  [Table("runs", "Runs", [Column("events", "Events", "count", events)])])


class Nothing(Question, frozen=True, kw_only=True):
    """No field at all."""


def unavailable(scope):
    return "no HLO protos in this trace: record with XLA_FLAGS=--xla_dump_to=DIR"


def late(scope, question):
    yield
    return {}["missing"]


def leaving(scope, question):
    yield
    raise SystemExit(3)


def wrong(scope, question):
    yield
    return Answer([Fact("count", "Count", 0.5, "count")])


def plain(scope, question):
    return Answer()


def torn(scope):
    raise ValueError("torn")


def endless(scope, question):
    try:
        note("begun")
        while True:
            yield
    finally:
        note("stopped")


def gated(scope, question):
    """Stands still in its first step until it may go on, longer than a turn takes."""
    try:
        while True:
            note("step")
            while not os.path.exists(os.path.join(os.environ["TOY_NOTES"], "gate")):
                time.sleep(0.1)
            yield
    finally:
        note("left")


def hog(scope, question):
    """Never yields, in the first of its steps."""
    note("hogging")
    while True:
        pass
    yield


def note(what):
    with open(os.path.join(os.environ["TOY_NOTES"], what), "a") as file:
        file.write(".")


TOOLS = [
    Tool("toy", "Toy", "what tracks there are, in every shape of an answer", "examples", ToyQuestion, toy),
    Tool("versus", "Comparison", "how many events runs have", "examples", VersusQuestion, versus),
    Tool("absent", "Absent", "what no trace has", "examples", Nothing, late, unavailable),
]
FAULTY = [
    Tool("late", "Late", "fails on its way", "faults", Nothing, late),
    Tool("leaving", "Leaving", "ends the process", "faults", Nothing, leaving),
    Tool("wrong", "Wrong", "gives half an event", "faults", Nothing, wrong),
    Tool("plain", "Plain", "does not yield", "faults", Nothing, plain),
    Tool("torn", "Torn", "does not know whether it is available", "faults", Nothing, late, torn),
    Tool("endless", "Endless", "never ends", "faults", Nothing, endless),
    Tool("gated", "Gated", "waits to be let on", "faults", Nothing, gated),
    Tool("hog", "Hog", "lets nobody else have a turn", "faults", Nothing, hog),
    Tool("stats", "Mine", "is called as one of ours", "faults", Nothing, plain),
    5,
]
'''

ENTRY_POINTS = """\
[tilescope.tools]
good = toy_tools:TOOLS
"""

FAULTY_ENTRY_POINTS = """\
[tilescope.tools]
faulty = toy_tools:FAULTY
gone = toy_tools_gone:TOOLS
good = toy_tools:TOOLS
leaves = toy_tools_leaving:TOOLS
"""

GOOD = ("toy", "versus", "absent")


def install(folder: Path, *, faulty: bool = False) -> Path:
    """Puts the package into a folder, which is to be on the path of whoever is to have its tools."""
    (folder / "toy_tools.py").write_text(MODULE)
    (folder / "toy_tools_leaving.py").write_text("raise SystemExit(3)\n")
    info = folder / "toy_tools-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-tools\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(FAULTY_ENTRY_POINTS if faulty else ENTRY_POINTS)
    return folder
