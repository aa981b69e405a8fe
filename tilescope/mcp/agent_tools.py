"""The tools that an agent is given: few, whatever the registry has; `ask` leads to all of it.

Each is a name, a line of help, the JSON schema of its arguments, and an answer. What an agent sends is checked against
the schema's names first, so that a field that is misspelt is refused by name and not left out.
"""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tilescope.client.times import ticks_of
from tilescope.mcp.answer_text import FROM_TRACE, AgentText, answer_text
from tilescope.mcp.links import LinkTarget
from tilescope.mcp.runs import AgentRun, AgentRuns
from tilescope.mcp.short_text import one_line
from tilescope.tiler.count_text import plural
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools import Parameter, parameters, tool
from tilescope.tiler.tools.figure_text import Shown

Arguments = Mapping[str, Any]
MOST_ROWS: Final = 200
_NO_FIGURES: Final = Shown(1, str)


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """Text, the same as a structure, and a picture where the answer is one: the bytes of a PNG."""

    text: str
    structure: dict[str, Any]
    png: bytes = b""


@dataclass(frozen=True, slots=True)
class AgentTool:
    """`answer` raises TilescopeErrors, whose text an agent is told."""

    name: str
    help: str
    fields: dict[str, dict[str, Any]]
    required: tuple[str, ...]
    answer: Callable[[AgentRuns, Arguments], Awaitable[AgentAnswer]]

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments."""
        schema: dict[str, Any] = {"type": "object", "properties": self.fields, "additionalProperties": False}
        return schema | ({"required": list(self.required)} if self.required else {})

    def check(self, arguments: Arguments) -> None:
        """Raises UsageError for arguments that are not there, or are of another type."""
        for name in self.required:
            if arguments.get(name) in (None, ""):
                raise UsageError(f"{self.name} needs {name}")
        for name, value in arguments.items():
            if name not in self.fields:
                raise UsageError(f"{self.name} has no argument {one_line(name)!r}{_near(name, self.fields)}")
            _check_type(name, value, self.fields[name])


_RUN: Final[dict[str, Any]] = {"type": "string", "description": "id or name of a run; the only one unless given"}
_TIME: Final[dict[str, Any]] = {
    "type": ["string", "integer"],
    "description": 'ticks, or text with a unit: "1.5ms". Never a float',
}
_SPAN: Final[dict[str, dict[str, Any]]] = {
    "start": _TIME,
    "end": _TIME,
    "steps": {"type": "string", "description": 'steps: "5" or "5-9"'},
}
_TRACKS: Final[dict[str, Any]] = {"type": "string", "description": 'track numbers: "4-7,9"'}
_TYPES: Final = {"string": str, "integer": int, "object": dict, "boolean": bool, "array": list}


async def _runs(runs: AgentRuns, _arguments: Arguments) -> AgentAnswer:
    text = AgentText(_NO_FIGURES)
    listed = await runs.listed()
    text.add(f"{plural(len(listed), 'run', 'runs')}. {FROM_TRACE}")
    rows: list[dict[str, Any]] = []
    for _, info in listed:
        length = "" if info.duration_ps is None else f", {duration_text(info.duration_ps, 1)}"
        events = "" if info.events is None else f", {plural(info.events, 'event', 'events')}"
        steps = "" if info.steps is None else f", {plural(info.steps, 'step', 'steps')}"
        hosts = f", {plural(len(info.hosts), 'host', 'hosts')}" if info.hosts else ""
        if not text.add(f"{one_line(info.name)} (id {one_line(info.id)}): {info.state}{length}{events}{steps}{hosts}"):
            text.cut.append(f"{len(listed) - len(rows):,} older runs")
            break
        rows.append({"id": info.id, "name": one_line(info.name), "state": info.state, "build": info.build})
    text.structure["runs"] = rows
    return AgentAnswer(text.text(""), text.structure)


async def _overview(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    question = {name: value for name, value in arguments.items() if name != "run"}
    return await _ask(runs, {"run": arguments.get("run"), "tool": "overview", "question": question})


async def _tools(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    chosen = await runs.open(arguments.get("run"))
    text = AgentText(chosen.shown)
    if arguments.get("tool"):
        return _fields_of(text, str(arguments["tool"]))
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


async def _ask(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    chosen = await runs.open(arguments.get("run"))
    chosen_tool = tool(str(arguments["tool"]))
    given = arguments.get("question") or {}
    fields = {parameter.name: parameter for parameter in parameters(chosen_tool.question)}
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in fields:
            raise UsageError(f"{chosen_tool.id} has no field {one_line(name)!r}{_near(name, fields)}")
        values[name] = await _field_value(runs, chosen, fields[name], value)
    answer = (await chosen.run.ask(chosen_tool.id, **values)).answer
    start, end = (values.get(name) for name in ("start", "end"))
    start = chosen.run.start if start is None else start
    end = chosen.run.end + 1 if end is None else end
    range_text = f"steps {values['steps']}" if values.get("steps") else chosen.span_text(start, end)
    header = f"{chosen_tool.title} of {one_line(chosen.run.name)}, {range_text}"
    rows = min(int(arguments.get("rows") or 0), MOST_ROWS)
    only, skip = str(arguments.get("table") or ""), int(arguments.get("skip") or 0)
    if (skip or rows) and not only and len(answer.tables) == 1:
        only = answer.tables[0].id
    text = answer_text(answer, chosen.shown, header, only, max(skip, 0), rows)
    is_part = "start" in values or "end" in values
    first, last = (start, end) if is_part else (None, None)
    link_fields = {
        name: str(value) for name, value in values.items() if name not in ("start", "end", "steps") and value != ""
    }
    if chosen_tool.id == "search":
        place = LinkTarget(first, last, query=str(values.get("query", "")))
    else:
        place = LinkTarget(first, last, tool=chosen_tool.id, fields=link_fields)
    link = chosen.link(place)
    text.structure |= {"run": chosen.run.id, "build": chosen.run.build, "tick_ps": chosen.run.tick_ps}
    text.structure["range"] = {"start": str(start), "end": str(end), "steps": values.get("steps")}
    return AgentAnswer(text.text(link), text.structure)


async def _field_value(runs: AgentRuns, chosen: AgentRun, parameter: Parameter, value: Any) -> Any:
    """The value of a field as clients take it. Raises UsageError, for a float as a time too."""
    if isinstance(value, float):
        raise UsageError(f'{parameter.name}: {value} is a float: give whole numbers, times as ticks or text: "1.5ms"')
    if parameter.unit == "ticks" and isinstance(value, int | str):
        return moment(chosen, value, parameter.name, is_moment=parameter.is_moment)
    if parameter.type == "build" and isinstance(value, str):
        return (await runs.open(value)).run.ref
    if not isinstance(value, str | int):
        raise UsageError(f"{parameter.name}: text, a whole number or true and false, not {type(value).__name__}")
    return value


def moment(chosen: AgentRun, value: int | str, name: str, *, is_moment: bool = True) -> int:
    """A time in ticks: of a text with a unit from where times in answers count. Raises UsageError."""
    if isinstance(value, str) and not value.strip().lstrip("-").isdigit():
        return ticks_of(value.strip(), chosen.run.tick_ps, name) + (chosen.zero if is_moment else 0)
    return int(value)


async def _find(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    question = {name: arguments[name] for name in ("start", "end", "steps", "tracks") if name in arguments}
    question |= {"query": arguments["query"], "limit": min(int(arguments.get("limit") or 10), 50), "names": 10}
    return await _ask(runs, {"run": arguments.get("run"), "tool": "search", "question": question, "rows": 50})


async def _events(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    question = {name: value for name, value in arguments.items() if name not in ("run", "limit")}
    question["limit"] = min(int(arguments.get("limit") or 20), MOST_ROWS)
    return await _ask(runs, {"run": arguments.get("run"), "tool": "events", "question": question, "rows": MOST_ROWS})


async def _link(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    chosen = await runs.open(arguments.get("run"))
    start, end = (moment(chosen, arguments[name], name) if name in arguments else None for name in ("start", "end"))
    if (start is None) != (end is None):
        raise UsageError("a link to a span needs start and end")
    if arguments.get("tool"):
        tool(str(arguments["tool"]))  # raises UsageError
    place = LinkTarget(start, end, event=str(arguments.get("event") or ""), tool=str(arguments.get("tool") or ""))
    link = chosen.link(place)
    return AgentAnswer(link, {"link": link})


async def _picture(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    from tilescope.mcp.picture import picture

    chosen = await runs.open(arguments.get("run"))
    span = [moment(chosen, arguments[name], name) if name in arguments else None for name in ("start", "end")]
    drawn = await picture(chosen, span[0], span[1], str(arguments.get("tracks") or ""))
    link = chosen.link(LinkTarget(drawn.start, drawn.end))
    text = AgentText(chosen.shown)
    text.add(f"Timeline of {one_line(chosen.run.name)}, {chosen.span_text(drawn.start, drawn.end)}. {FROM_TRACE}")
    for row in drawn.rows:
        text.add(row)
    text.cut += drawn.cut
    text.structure["rows"] = drawn.rows
    return AgentAnswer(text.text(link), text.structure, drawn.png)


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
        _ask,
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


def agent_tool(name: str) -> AgentTool:
    """The tool of that name. Raises UsageError."""
    by_name = {candidate.name: candidate for candidate in AGENT_TOOLS}
    if name not in by_name:
        raise UsageError(f"there is no tool {one_line(name)!r}{_near(name, by_name)}")
    return by_name[name]


def _near(name: str, names: Mapping[str, Any]) -> str:
    near = difflib.get_close_matches(name, names, 1)
    return f": did you mean {near[0]}?" if near else f": there are {', '.join(names)}"


def _check_type(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    if isinstance(value, float):
        raise UsageError(f'{name}: {value} is a float: give whole numbers, times as ticks or text: "1.5ms"')
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if value is not None and not isinstance(value, tuple(_TYPES[kind] for kind in types)):
        raise UsageError(f"{name}: {' or '.join(types)} is wanted, not {type(value).__name__}")
