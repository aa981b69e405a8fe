"""Questions of agents to tools of the registry, and the answers in short text."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, field
from typing import Any, Final

from tilescope.client.times import ticks_of
from tilescope.mcp.agent_tool import AgentAnswer, Arguments, near, refuse_fraction
from tilescope.mcp.answer_text import answer_text
from tilescope.mcp.links import LinkTarget
from tilescope.mcp.runs import AgentRun, AgentRuns
from tilescope.mcp.short_text import one_line
from tilescope.tiler.errors import UsageError
from tilescope.tiler.tools import Parameter, parameters, text_of, tool
from tilescope.tiler.tools.argument_names import text_of_names
from tilescope.tiler.tools.references import MAX_BUILDS

MOST_ROWS: Final = 200

_TICKS: Final = re.compile(r"[+-]?[0-9]+")
_INT64: Final = 1 << 63


@dataclass(slots=True)
class ToolQuestion:
    """Fields of a question as clients take them and as links have them, and the other runs that they name."""

    values: dict[str, Any] = field(default_factory=dict)
    link_fields: dict[str, str] = field(default_factory=dict)
    others: list[AgentRun] = field(default_factory=list)


async def ask_tool(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    """The answer to the arguments `run`, `tool`, `question`, `table`, `skip` and `rows`."""
    chosen = await runs.open(arguments.get("run"))
    chosen_tool = tool(arguments["tool"])
    only, skip = arguments.get("table", ""), max(arguments.get("skip", 0), 0)
    rows = max(min(arguments.get("rows", 0), MOST_ROWS), 0)
    fields = {parameter.name: parameter for parameter in parameters(chosen_tool.question)}
    question = ToolQuestion()
    for name, value in arguments.get("question", {}).items():
        if name not in fields:
            raise UsageError(f"{chosen_tool.id} has no field {one_line(name)!r}{near(name, fields)}")
        if value is not None:
            await _add_field(question, runs, chosen, fields[name], value)
    values = question.values
    answer = (await chosen.run.ask(chosen_tool.id, **values)).answer
    if skip and not only:
        only = answer.only_table(None).id
    start, end = values.get("start", chosen.run.start), values.get("end", chosen.run.end + 1)
    steps = values.get("steps") or None
    header = f"{chosen_tool.title} of {one_line(chosen.run.name)}, "
    header += f"steps {one_line(str(steps))}" if steps else chosen.span_text(start, end)
    if question.others:
        header += f", against {', '.join(one_line(other.run.name) for other in question.others[:4])}"
    text = answer_text(answer, chosen.shown, header, only, skip, rows)
    is_part = steps is None and ("start" in values or "end" in values)
    first, last = (start, end) if is_part else (None, None)
    if chosen_tool.id == "search":
        target = LinkTarget(first, last, query=str(values.get("query", "")))
    else:
        paths = tuple(dict.fromkeys(each.place.name for each in question.others if each.place is not chosen.place))
        target = LinkTarget(
            first,
            last,
            tool=chosen_tool.id,
            fields=question.link_fields,
            steps="" if steps is None else str(steps),
            others=paths,
        )
    text.structure |= {"run": chosen.run.id, "build": chosen.run.build, "tick_ps": chosen.run.tick_ps}
    text.structure["range"] = {"start": str(start), "end": str(end), "steps": steps}
    if question.others:
        text.structure["others"] = [{"run": each.run.id, "build": each.run.build} for each in question.others]
    return AgentAnswer(text.text(chosen.link(target)), text.structure)


def moment(chosen: AgentRun, value: int | str, name: str, *, is_moment: bool = True) -> int:
    """A time in ticks: of a text with a unit from where times in answers count. Raises UsageError."""
    text = str(value).strip()
    if _TICKS.fullmatch(text) is None:
        return ticks_of(text, chosen.run.tick_ps, name) + (chosen.zero if is_moment else 0)
    if len(text) > 20 or not -_INT64 <= int(text) < _INT64:
        raise UsageError(f"{name}: {one_line(text)} is beyond 64 bits")
    return int(text)


async def _add_field(
    question: ToolQuestion, runs: AgentRuns, chosen: AgentRun, parameter: Parameter, value: Any
) -> None:
    """Adds a field. Raises UsageError, for a float as a time too."""
    name = parameter.name
    refuse_fraction(name, value)
    if not isinstance(value, str | int):
        raise UsageError(f"{name}: text, a whole number or true and false, not {type(value).__name__}")
    if parameter.type in ("build", "builds"):
        others = [await runs.open(other) for other in _build_names(parameter, str(value))]
        refs = [chosen.ref_of(other) for other in others]
        question.others += others
        question.values[name] = refs if parameter.type == "builds" else refs[0]
        question.link_fields[name] = text_of_names(f"{other.run.id}/{other.run.build}" for other in others)
        return
    if parameter.unit == "ticks":
        value = moment(chosen, value, name, is_moment=parameter.is_moment)
    question.values[name] = value
    if name not in ("start", "end", "steps") and value != "":
        question.link_fields[name] = text_of(value)


def _build_names(parameter: Parameter, text: str) -> list[str]:
    """Names of runs in a field. Raises UsageError."""
    if parameter.type == "build":
        return [text]
    try:
        names = [name.strip() for line in csv.reader([text], strict=True, skipinitialspace=True) for name in line]
    except csv.Error:
        raise UsageError(
            f"{parameter.name}: runs are separated by commas, and one that has a comma is quoted"
        ) from None
    if not 0 < len(names) <= MAX_BUILDS or "" in names:
        raise UsageError(f"{parameter.name}: 1 to {MAX_BUILDS} names of runs are wanted, separated by commas")
    return list(dict.fromkeys(names))
