"""The tools that an agent is given: few, whatever the registry has; `ask` leads to all of it."""

from __future__ import annotations

import re
from typing import Any, Final, get_args

from tilescope.mcp.agent_tool import AgentAnswer, AgentTool, Arguments, near
from tilescope.mcp.answer_text import FROM_TRACE, AgentText
from tilescope.mcp.links import LinkTarget
from tilescope.mcp.runs import AgentRuns
from tilescope.mcp.short_text import one_line
from tilescope.mcp.sql_answer import query
from tilescope.mcp.tool_question import MOST_ROWS, ask_tool, moment
from tilescope.tiler.count_text import plural
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools import parameters, tool
from tilescope.tiler.tools.figure_text import Shown
from tilescope.tiler.tools.stats import StatsBy

_NO_FIGURES: Final = Shown(1, str)

_RUN: Final[dict[str, Any]] = {"type": "string", "description": "id or name of a run; the only one unless given"}
_TIME: Final[dict[str, Any]] = {
    "type": ["string", "integer"],
    "description": 'ticks, or text with a unit: "1.5ms". Never a float',
}
_SPAN: Final[dict[str, dict[str, Any]]] = {
    "start": _TIME,
    "end": _TIME,
    "steps": {"type": ["string", "integer"], "description": 'steps: "5" or "5-9"'},
}
_EVENT: Final = re.compile("[0-9]{1,10}[.][0-9]{1,19}")
_TRACKS: Final[dict[str, Any]] = {"type": "string", "description": 'track numbers: "4-7,9"'}


async def _runs(runs: AgentRuns, _arguments: Arguments) -> AgentAnswer:
    text = AgentText(_NO_FIGURES)
    listing = await runs.listed()
    text.add(f"{plural(len(listing.runs), 'run', 'runs')}. {FROM_TRACE}")
    for failure in listing.failures[:10]:
        text.add(one_line(f"Cannot be asked: {failure}", 300))
    rows: list[dict[str, Any]] = []
    for _, info in listing.runs:
        length = "" if info.duration_ps is None else f", {duration_text(info.duration_ps, 1)}"
        events = "" if info.events is None else f", {plural(info.events, 'event', 'events')}"
        steps = "" if info.steps is None else f", {plural(info.steps, 'step', 'steps')}"
        hosts = f", {plural(len(info.hosts), 'host', 'hosts')}" if info.hosts else ""
        if not text.add(f"{one_line(info.name)} (id {one_line(info.id)}): {info.state}{length}{events}{steps}{hosts}"):
            text.cut.append(f"{len(listing.runs) - len(rows):,} more runs")
            break
        events_text = None if info.events is None else str(info.events)
        row = {"id": info.id, "name": one_line(info.name), "state": info.state, "build": info.build}
        rows.append(row | {"events": events_text})
    text.structure["runs"] = rows
    return AgentAnswer(text.text(""), text.structure)


async def _overview(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    question = {name: value for name, value in arguments.items() if name != "run"}
    return await ask_tool(runs, {"run": arguments.get("run"), "tool": "overview", "question": question})


async def _compare(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    question = {name: value for name, value in arguments.items() if name != "run"}
    return await ask_tool(runs, {"run": arguments.get("run"), "tool": "compare", "question": question, "rows": 40})


async def _tools(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    chosen = await runs.open(arguments.get("run"))
    text = AgentText(chosen.shown)
    if arguments.get("tool"):
        return _fields_of(text, arguments["tool"])
    entries = await chosen.run.tools()
    for entry in entries:
        if entry.available:
            text.add(one_line(f"{entry.id}: {entry.help}", 140))
    absent = [entry for entry in entries if not entry.available]
    if absent:
        text.add("\nWithout an answer for this run:")
    for entry in absent:
        text.add(one_line(f"{entry.id}: {entry.reason}", 110))
    text.add("\nFields of one: tools with tool=ID. Ask it: ask with tool=ID, question={FIELD: VALUE}.")
    text.structure["tools"] = [
        {"id": entry.id, "help": entry.help, "available": entry.available, "reason": entry.reason} for entry in entries
    ]
    return AgentAnswer(text.text(""), text.structure)


def _fields_of(text: AgentText, name: str) -> AgentAnswer:
    chosen_tool = tool(name)
    text.add(one_line(f"{chosen_tool.id}: {chosen_tool.title}: {chosen_tool.help}", 300))
    for parameter in parameters(chosen_tool.question):
        default = "required" if parameter.is_required else f"default {parameter.default!r}"
        choices = f", of {', '.join(parameter.choices)}" if parameter.choices else ""
        limits = f", {parameter.limits}" if parameter.limits else ""
        text.add(one_line(f"{parameter.name} ({parameter.type}{choices}{limits}; {default}): {parameter.help}", 240))
    text.structure["fields"] = [
        {"name": p.name, "type": p.type, "required": p.is_required, "choices": list(p.choices)}
        for p in parameters(chosen_tool.question)
    ]
    return AgentAnswer(text.text(""), text.structure)


async def _find(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    question = {name: arguments[name] for name in ("start", "end", "steps", "tracks") if name in arguments}
    question |= {"query": arguments["query"], "limit": min(arguments.get("limit", 10), 50), "names": 10}
    return await ask_tool(runs, {"run": arguments.get("run"), "tool": "search", "question": question, "rows": 50})


async def _events(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    question = {name: value for name, value in arguments.items() if name not in ("run", "limit")}
    question["limit"] = min(arguments.get("limit", 20), MOST_ROWS)
    request = {"run": arguments.get("run"), "tool": "events", "question": question, "rows": MOST_ROWS}
    return await ask_tool(runs, request)


async def _link(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    chosen = await runs.open(arguments.get("run"))
    start, end = (moment(chosen, arguments[name], name) if name in arguments else None for name in ("start", "end"))
    if (start is None) != (end is None):
        raise UsageError("a link to a span needs start and end")
    if arguments.get("tool"):
        tool(arguments["tool"])  # raises UsageError
    event = arguments.get("event", "")
    if event and _EVENT.fullmatch(event) is None:
        raise UsageError(f"event: TRACK.ORDINAL is wanted, as in 3.17, not {one_line(event)}")
    link = chosen.link(LinkTarget(start, end, event=event, tool=arguments.get("tool", "")))
    return AgentAnswer(link, {"link": link})


async def _picture(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    from tilescope.mcp.picture import picture

    chosen = await runs.open(arguments.get("run"))
    span = [moment(chosen, arguments[name], name) if name in arguments else None for name in ("start", "end")]
    drawn = await picture(chosen, span[0], span[1], arguments.get("tracks", ""))
    link = chosen.link(LinkTarget(drawn.start, drawn.end))
    text = AgentText(chosen.shown)
    text.add(f"Timeline of {one_line(chosen.run.name)}, {chosen.span_text(drawn.start, drawn.end)}. {FROM_TRACE}")
    for row in drawn.rows:
        text.add(row)
    text.cut += drawn.cut
    text.structure["rows"] = drawn.rows
    return AgentAnswer(text.text(link), text.structure, drawn.png)


_COMPARED_BY: Final = [name for name in get_args(StatsBy) if name != "argument"]

AGENT_TOOLS: Final = (
    AgentTool("runs", "The runs that can be asked about: names, states, lengths, events, hosts", {}, (), _runs),
    AgentTool(
        "overview",
        "Begin here: what costs the time in a run, where and how much, in sentences with figures",
        {"run": _RUN, **_SPAN},
        (),
        _overview,
    ),
    AgentTool(
        "tools",
        "What can be asked about a run, one line each, and why not; with tool=ID the fields of one",
        {"run": _RUN, "tool": {"type": "string", "description": "id of a tool"}},
        (),
        _tools,
    ),
    AgentTool(
        "ask",
        "Asks one of the tools that `tools` lists: exact figures of a whole run or of any range",
        {
            "run": _RUN,
            "tool": {"type": "string", "description": "id of a tool, as stats, gaps, steps, kernels"},
            "question": {"type": "object", "description": "fields of the tool by name: limit, start, end, steps, …"},
            "table": {"type": "string", "description": "this table alone, with all the room"},
            "skip": {"type": "integer", "description": "rows of it that are left out"},
            "rows": {"type": "integer", "description": f"rows at most, up to {MOST_ROWS}"},
        },
        ("tool",),
        ask_tool,
    ),
    AgentTool(
        "compare",
        "What takes more or less time in a run than in others, exactly; of times of training per step",
        {
            "run": _RUN,
            "against": {"type": "string", "description": "ids or names of the other runs, separated by commas"},
            "by": {"type": "string", "description": "what rows are", "enum": _COMPARED_BY},
            **_SPAN,
        },
        ("against",),
        _compare,
    ),
    AgentTool(
        "find",
        "Counts events that a search selects, with the first: words, arg:KEY=VALUE, dur>1ms, track:NAME",
        {"run": _RUN, "query": {"type": "string"}, **_SPAN, "tracks": _TRACKS, "limit": {"type": "integer"}},
        ("query",),
        _find,
    ),
    AgentTool(
        "events",
        "Events one by one, with the columns and arguments that are named",
        {
            "run": _RUN,
            **_SPAN,
            "tracks": _TRACKS,
            "columns": {"type": "string", "description": "as in event,name,start,duration,args.KEY"},
            "name": {"type": "string", "description": "exactly this name"},
            "where": {"type": "string", "description": "a search, as in find"},
            "limit": {"type": "integer"},
        },
        (),
        _events,
    ),
    AgentTool(
        "link",
        "The address or command that shows a person this span, event or page in the viewer",
        {
            "run": _RUN,
            "start": _TIME,
            "end": _TIME,
            "event": {"type": "string", "description": "TRACK.ORDINAL"},
            "tool": {"type": "string", "description": "id of a tool: its page"},
        },
        (),
        _link,
    ),
    AgentTool(
        "picture",
        "A PNG of the timeline: how busy its tracks are over a span",
        {"run": _RUN, "start": _TIME, "end": _TIME, "tracks": _TRACKS},
        (),
        _picture,
    ),
)


_QUERY: Final = AgentTool(
    "query",
    "Rows of one SELECT of DuckDB over slices, instants, counters, flows, args, names, tracks, steps, processes",
    {
        "run": _RUN,
        "sql": {"type": "string", "description": "times are ticks; select * from slices limit 1 shows the columns"},
    },
    ("sql",),
    query,
)


def agent_tools(runs: AgentRuns) -> tuple[AgentTool, ...]:
    """The tools for these runs: `query` among them where SQL is allowed."""
    return (*AGENT_TOOLS, _QUERY) if runs.allows_sql else AGENT_TOOLS


def agent_tool(runs: AgentRuns, name: str) -> AgentTool:
    """The tool of that name. Raises UsageError."""
    by_name = {candidate.name: candidate for candidate in agent_tools(runs)}
    if name not in by_name:
        raise UsageError(f"there is no tool {one_line(name)!r}{near(name, by_name)}")
    return by_name[name]
