"""A tool that an agent is given: a name, a line of help, the JSON schema of its arguments, and its answer."""

from __future__ import annotations

import difflib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from tilescope.mcp.runs import AgentRuns
from tilescope.mcp.short_text import one_line
from tilescope.tiler.errors import UsageError

Arguments = Mapping[str, Any]

_TYPES: Final = {"string": str, "integer": int, "object": dict}


@dataclass(frozen=True, slots=True)
class AgentAnswer:
    """Text, the same as a structure, and a picture where the answer is one: the bytes of a PNG."""

    text: str
    structure: dict[str, Any]
    png: bytes = b""


@dataclass(frozen=True, slots=True)
class AgentTool:
    """`answer` raises TilescopeErrors, whose text an agent is told. It gets arguments that `checked` has passed."""

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

    def checked(self, arguments: Arguments) -> Arguments:
        """The arguments without those that are null. Raises UsageError for what is misspelt or of another type."""
        for name in arguments:
            if name not in self.fields:
                raise UsageError(f"{self.name} has no argument {one_line(name)!r}{near(name, self.fields)}")
        given = {name: value for name, value in arguments.items() if value is not None}
        for name in self.required:
            if given.get(name, "") == "":
                raise UsageError(f"{self.name} needs {name}")
        for name, value in given.items():
            _check_type(name, value, self.fields[name])
        return given


def near(name: str, names: Iterable[str]) -> str:
    """End of a message about a name that is not there: the nearest name, or all names."""
    names = list(names)
    matches = difflib.get_close_matches(name[:80], names, 1)
    return f": did you mean {matches[0]}?" if matches else f": there are {', '.join(names)}"


def refuse_fraction(name: str, value: object) -> None:
    """Raises UsageError for a float: most times cannot be written as one."""
    if isinstance(value, float):
        raise UsageError(f'{name}: {value} is a float: give whole numbers, times as ticks or text: "1.5ms"')


def _check_type(name: str, value: Any, schema: Mapping[str, Any]) -> None:
    refuse_fraction(name, value)
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if isinstance(value, bool) or not isinstance(value, tuple(_TYPES[kind] for kind in types)):
        raise UsageError(f"{name}: {' or '.join(types)} is wanted, not {type(value).__name__}")
