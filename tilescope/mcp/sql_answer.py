"""Rows of a statement of SQL, for agents that may run some: text within its bounds, and the same as a structure."""

from __future__ import annotations

from typing import Any

from tilescope.mcp.agent_tool import AgentAnswer, Arguments
from tilescope.mcp.answer_text import FROM_TRACE, AgentText
from tilescope.mcp.runs import AgentRuns
from tilescope.mcp.short_text import one_line
from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import UsageError


async def query(runs: AgentRuns, arguments: Arguments) -> AgentAnswer:
    """The rows, as many as there is room for. Raises UsageError for what cannot be run."""
    if not runs.allows_sql:
        raise UsageError("no SQL may be run here")
    chosen = await runs.open(arguments.get("run"))
    table = await chosen.run.sql(arguments["sql"])
    text = AgentText(chosen.shown)
    text.add(f"SQL about {one_line(chosen.run.name)}: {plural(len(table), 'row', 'rows')}. {FROM_TRACE}")
    names = table.columns
    if not text.add(_line([one_line(name, 40) for name in names])):
        raise UsageError(f"{len(names):,} columns have no room in an answer: select some")
    rows: list[list[Any]] = []
    for row in table:
        if not text.add(_line([_cell_text(value) for value in row.values()])):
            break
        rows.append([_exact(value) for value in row.values()])
    if len(rows) < len(table):
        text.cut.append(f"{len(table) - len(rows):,} rows (add: limit N offset {len(rows)})")
    text.structure |= {"run": chosen.run.id, "build": chosen.run.build, "tick_ps": chosen.run.tick_ps}
    text.structure |= {"columns": [one_line(name) for name in names], "rows": rows, "all_rows": len(table)}
    return AgentAnswer(text.text(""), text.structure)


def _line(cells: list[str]) -> str:
    return " | ".join(cell.replace("|", "¦") for cell in cells)


def _cell_text(value: object) -> str:
    return "–" if value is None else one_line(str(value))


def _exact(value: object) -> object:
    """A value of JSON: whole numbers as decimal text, texts as short as in the text."""
    if value is None or isinstance(value, bool | float):
        return value
    return one_line(str(value))
