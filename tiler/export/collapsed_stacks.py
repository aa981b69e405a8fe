"""A call tree as collapsed stacks, a line each: `outer;inner WEIGHT`, as scripts for flame graphs read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.tools import Scope, ask, from_text, tool, values_of
from tilescope.tiler.tools.parameters import parameters

_BETWEEN: Final = ";"
_LINES: Final = 1000  # of a piece
_ESCAPED: Final = str.maketrans({_BETWEEN: ":", "\n": " ", "\r": " "})
_LIMITED: Final = ("limit", "depth")
_REST: Final = "[not listed]"


def collapsed_stacks(reader: QueryReader, given: Mapping[str, str]) -> Iterator[bytes]:
    """Stacks with a weight of their own, in pieces of text: ticks or bytes; `given`: parameters of `call_tree`.

    The last line is the weight of stacks that are too many to be listed, where there are such.

    Raises DamagedStore, NotBuilt, UsageError.
    """
    call_tree = tool("call_tree")
    most = {
        field.name: str(field.schema["maximum"]) for field in parameters(call_tree.question) if field.name in _LIMITED
    }
    table = finish(ask(call_tree, Scope(reader), from_text(call_tree.question, {**most, **given}))).table("nodes")
    names, own, parents = (values_of(table.column(name)) for name in ("name", "self", "parent"))
    lines: list[str] = []
    for row, weight in enumerate(own):
        if isinstance(weight, int) and weight > 0:
            stack: list[str] = []
            place = row
            while place >= 0:
                stack.append(str(names[place]).translate(_ESCAPED))
                place = int(str(parents[place]))
            lines.append(f"{_BETWEEN.join(reversed(stack))} {weight}\n")
        if len(lines) == _LINES:
            yield "".join(lines).encode()
            lines.clear()
    rest = None if table.rest is None else table.rest.get("self")
    if isinstance(rest, int) and rest > 0:
        lines.append(f"{_REST} {rest}\n")
    yield "".join(lines).encode()
