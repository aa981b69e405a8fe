"""The derived lanes of a run: what tools have to draw with its tracks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Final

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import NotBuilt, ToolFailed, UsageError
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Note, Table
from tilescope.tiler.tools.lane import DerivedLane, LaneSource
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import AnyTool, Tool
from tilescope.tiler.tools.tool_calls import blamed, why_not

LaneTool = Annotated[str, Meta(min_length=1, max_length=100)]


class LanesQuestion(Question, frozen=True, kw_only=True):
    """The lanes of all tools, or of a tool."""

    source: Annotated[LaneTool | None, Meta(description="The lanes of this tool only.")] = None


def lane_tools() -> Mapping[str, AnyTool]:
    """The tools that have lanes, by id."""
    from tilescope.tiler.tools.catalogue import tools  # it has this tool

    return {name: tool for name, tool in tools().items() if tool.lanes is not None}


def lanes_of_tool(tool: AnyTool, scope: Scope) -> Interruptible[dict[str, DerivedLane]]:
    """The lanes that a tool has for a run, by their whole id, as far as the run is built.

    Raises UsageError, ToolFailed and DamagedStore.
    """
    if tool.lanes is None or why_not(tool, scope):
        return {}
    with blamed(tool):
        try:
            lanes = yield from tool.lanes.lanes(scope)
        except NotBuilt:
            return {}
        return {f"{tool.id}.{lane.key}": lane for lane in lanes}


def lane_of_id(scope: Scope, name: str) -> Interruptible[tuple[LaneSource, AnyTool, DerivedLane]]:
    """A lane by its id, with its tool. `overlap.scopes-2:3` has the first three of its rows.

    Raises UsageError, naming what there is.
    """
    name, colon, depth = name.partition(":")
    tool_name, _, _ = name.partition(".")
    tool = lane_tools().get(tool_name)
    if tool is None or tool.lanes is None:
        raise UsageError(
            f"there is no lane {name[:80]!r}: {', '.join(lane_tools())} have lanes, as the tool lanes says"
        )
    lanes = yield from lanes_of_tool(tool, scope)
    if name not in lanes:
        there = f"has {', '.join(list(lanes)[:10])}" if lanes else "has none"
        raise UsageError(f"there is no lane {name[:80]!r}: of {tool.id} this run {there}")
    return tool.lanes, tool, _outermost(name, lanes[name], depth) if colon else lanes[name]


def _outermost(name: str, lane: DerivedLane, depth: str) -> DerivedLane:
    """A lane of slices with so many of its rows."""
    if lane.kind != "slices" or lane.rows == 1:
        raise UsageError(f"the lane {name} has one row, of which there is no part")
    if not (depth.isascii() and depth.isdecimal() and len(depth) < 4 and 1 <= int(depth) <= lane.rows):
        raise UsageError(f"the lane {name} has rows from 1 to {lane.rows}: {depth[:20]!r} is none of them")
    return replace(lane, rows=int(depth))


def _answer(scope: Scope, question: LanesQuestion) -> Interruptible[Answer]:
    tools = lane_tools()
    if question.source is not None and question.source not in tools:
        raise UsageError(f"the tool {question.source[:80]!r} has no lanes: {', '.join(tools)} have")
    scope = scope.without_outliers()
    lanes: dict[str, DerivedLane] = {}
    notes = []
    for name, tool in tools.items():
        if question.source in (None, name):
            try:
                there = yield from lanes_of_tool(tool, scope)
                lanes |= there
                if there and tool.lanes is not None and tool.lanes.left_out is not None:
                    with blamed(tool):
                        words = yield from tool.lanes.left_out(scope)
                    notes += [Note("info", words)] if words else []
            except (UsageError, ToolFailed) as error:  # the lanes of other tools are there all the same
                notes.append(Note("warning", f"there are no lanes of {name}: {error}"))
            yield
    rows = list(lanes.values())
    columns = [
        Column("lane", "Lane", "name", list(lanes)),
        Column("title", "Title", "text", [lane.title for lane in rows]),
        Column("kind", "Kind", "text", [lane.kind for lane in rows]),
        Column("figure", "Figure", "text", [lane.figure for lane in rows]),
        Column("rows", "Rows", "id", [lane.rows for lane in rows]),
        Column("track", "Track", "track", [lane.track for lane in rows]),
        Column("makers", "Made of tracks", "text", [",".join(map(str, lane.makers)) for lane in rows]),
    ]
    return Answer(tables=[Table("lanes", "Lanes", columns)], notes=notes)


def _sentence(answer: Answer, _tick_ps: int) -> str:
    return f"{plural(len(answer.table('lanes')), 'lane', 'lanes')} can be drawn"


TOOL: Final = Tool(
    id="lanes",
    title="Derived lanes",
    help="lanes that tools derive from events, drawn with the tracks",
    group="raw",
    question=LanesQuestion,
    answer=_answer,
    sentence=_sentence,
)
