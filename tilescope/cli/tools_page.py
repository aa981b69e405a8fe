"""The page docs/tools.md, from the registrations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tilescope.tiler.tools import AnyTool, FieldType, Parameter, parameters, text_of

_HEAD = """\
# Tools

This page is what `tilescope tools --markdown` prints; `make tools-docs` writes it anew. A tool answers one sort of
question about a run, over all transports alike:

| from | how |
|---|---|
| the command line | `tilescope ask STORE TOOL --start 0 --end 1000` |
| HTTP | `GET /api/v1/runs/{run}/builds/{build}/tools/{tool}?start=0&end=1000` |
| Python | `run.ask("stats", start=0, end=1000)` |

Times are ticks since the run's origin (on the command line 1.5ms, too), spans are [start, end). Tracks are numbers and
ranges, as in `1,5,8-12`, and in Python a list as well. A host is named as in the manifest. Another build is named
`RUN/BUILD` over HTTP; the command line takes the path of its store, Python a run. While a run is being indexed, answers
cover the tracks that are done, with `complete: false`.

Packages add tools of their own by an entry point `tilescope.tools` that names a `tilescope.tiler.tools.Tool`, or a list
of them. They are then on this page, too, as it is printed where they are installed.
"""

_COLUMNS = "| parameter | value | default | |\n|---|---|---|---|"

_VALUES: Final[Mapping[FieldType, str]] = {
    "text": "text",
    "flag": "`true` or `false`",
    "tracks": "tracks",
    "build": "a build: RUN/BUILD, or the path of a store",
    "builds": "builds, as in RUN/BUILD, or paths of stores, separated by commas",
    "host": "a host",
    "steps": "steps, as in 5 or 5-9",
}


def page(tools: Sequence[AnyTool]) -> str:
    """All of it."""
    parts = [_HEAD]
    for tool in tools:
        rows = "\n".join(map(_row, parameters(tool.question)))
        parts.append(f"## {tool.id}\n\n{tool.title}: {tool.help}.\n\n{_COLUMNS}\n{rows}\n")
    return "\n".join(parts)


def _row(parameter: Parameter) -> str:
    default = parameter.default
    text = "required" if parameter.is_required else "–" if default in (None, "") else f"`{text_of(default)}`"
    return f"| `{parameter.name}` | {_value(parameter)} | {text} | {parameter.help.replace('|', chr(92) + '|')} |"


def _value(parameter: Parameter) -> str:
    if parameter.type == "integer":
        return parameter.limits or parameter.unit or "an integer"
    if parameter.type == "choice":
        return " or ".join(f"`{choice}`" for choice in parameter.choices)
    if parameter.type == "text" and "maxLength" in parameter.schema:
        return f"at most {parameter.schema['maxLength']:,} characters"
    return _VALUES[parameter.type]
