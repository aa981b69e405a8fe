"""The page docs/tools.md, from the registrations."""

from __future__ import annotations

from collections.abc import Sequence

from tilescope.tiler.tools import AnyTool, Parameter, parameters

_HEAD = """\
# Tools

This page is what `tilescope tools --markdown` prints; `make tools-docs` writes it anew. A tool answers one sort of
question about a run, over all transports alike:

| from | how |
|---|---|
| the command line | `tilescope ask STORE TOOL --start 0 --end 1000` |
| HTTP | `GET /api/v1/runs/{run}/builds/{build}/tools/{tool}?start=0&end=1000` |
| Python | `run.ask("stats", start=0, end=1000)` |

Times are ticks since the run's origin, spans are [start, end). While a run is being indexed, answers cover the tracks
that are done, with `complete: false`.
"""

_COLUMNS = "| parameter | value | default | |\n|---|---|---|---|"


def page(tools: Sequence[AnyTool]) -> str:
    """All of it."""
    parts = [_HEAD]
    for tool in tools:
        rows = "\n".join(map(_row, parameters(tool.question)))
        parts.append(f"## {tool.id}\n\n{tool.title}: {tool.help}.\n\n{_COLUMNS}\n{rows}\n")
    return "\n".join(parts)


def _row(parameter: Parameter) -> str:
    default = "required" if parameter.is_required else "–" if parameter.default is None else f"`{parameter.default}`"
    return f"| `{parameter.name}` | {_value(parameter)} | {default} | {parameter.help.replace('|', chr(92) + '|')} |"


def _value(parameter: Parameter) -> str:
    schema = parameter.schema
    if parameter.choices:
        return " or ".join(f"`{choice}`" for choice in parameter.choices)
    if schema.get("type") == "integer":
        if parameter.unit:
            return parameter.unit
        return f"{schema['minimum']:,} to {schema['maximum']:,}" if "maximum" in schema else "an integer"
    return f"at most {schema['maxLength']:,} characters" if "maxLength" in schema else "text"
