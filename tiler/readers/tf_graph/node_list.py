"""The nodes of a graph as they are kept: JSON, within what a run may take when it is indexed, and when it is asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple

import msgspec

from tilescope.tiler.readers.tf_graph.damage import GraphTooLarge

MAX_NODES: Final = 1_000_000
MAX_NAME: Final = 4096  # characters of a name, a device or an input
MAX_INPUTS: Final = 10_000_000
MAX_INPUTS_OF_NODE: Final = 200_000  # and so many texts, which may be long
MAX_INPUT_CHARS: Final = 8_000_000

# What a question about a graph takes: its JSON, twice while it is decoded, and the nodes themselves.
MAX_ASKED_BYTES: Final = 400 << 20
_ASKED_NODE_BYTES: Final = 450
_ASKED_INPUT_BYTES: Final = 8
_ASKED_COPIES: Final = 3

# Of JSON, what it takes to put it together.
_KEPT_COPIES: Final = 3

_BLOCK_NODES: Final = 1000

# Attributes of one graph, in JSON: those of the nodes behind are left out. They are beside what the limits above count.
MAX_ATTRIBUTE_BYTES: Final = 16 << 20
_ATTRIBUTE_PART: Final = 16  # of the memory while it is made: at most one of so many


class GraphNode(NamedTuple):
    """A node as files have it."""

    name: str
    op: str
    device: str
    inputs: list[str]
    attributes: Callable[[], str]  # makes their text, which may be dear: a line for each


def inside(function: str, node: GraphNode) -> GraphNode:
    """A node of a function, in a scope of the function's name. Its inputs are `node:output:0`, or the function's."""
    inputs = [_input_inside(function, input_name) for input_name in node.inputs]
    return node._replace(name=f"{function}/{node.name}", inputs=inputs)


class NodeInputs:
    """The inputs of one node, while they are read."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._chars = 0

    def add(self, name: str) -> None:
        """Takes another one. Raises GraphTooLarge."""
        self.names.append(name[:MAX_NAME])
        self._chars += len(self.names[-1])
        if len(self.names) > MAX_INPUTS_OF_NODE or self._chars > MAX_INPUT_CHARS:
            limit = f"{MAX_INPUTS_OF_NODE:,} inputs, or {MAX_INPUT_CHARS:,} characters of these"
            raise GraphTooLarge(f"has a node with more than {limit}")


class NodeList:
    """Nodes in JSON: name, operation, device, inputs and attributes of each; null for attributes that are left out."""

    def __init__(self, most_bytes: int) -> None:
        """`most_bytes`: of memory while it is made."""
        self._most_bytes = most_bytes
        self._blocks: list[bytes] = []
        self._block: list[bytes] = []
        self._nodes = 0
        self._inputs = 0
        self._size_bytes = 0
        self._attribute_room = min(MAX_ATTRIBUTE_BYTES, most_bytes // _ATTRIBUTE_PART)

    def extend(self, nodes: Iterable[GraphNode]) -> None:
        """Takes further nodes. Raises GraphTooLarge."""
        for name, op, device, inputs, attributes in nodes:
            self._nodes += 1
            self._inputs += len(inputs)
            if self._nodes > MAX_NODES or self._inputs > MAX_INPUTS:
                raise GraphTooLarge(f"has more than {MAX_NODES:,} nodes or {MAX_INPUTS:,} inputs")
            texts = name[:MAX_NAME], op[:MAX_NAME], device[:MAX_NAME], [input_name[:MAX_NAME] for input_name in inputs]
            row = msgspec.json.encode(texts)
            if not row.isascii():  # one character would make all of them wider when they are read
                row = json.dumps(texts, separators=(",", ":")).encode()
            self._size_bytes += len(row) + 1
            self._must_fit()
            self._block.append(row[:-1] + b"," + self._attributes(attributes) + b"]")
            if len(self._block) == _BLOCK_NODES:
                self._blocks.append(b",".join(self._block))
                self._block.clear()

    def _attributes(self, attributes: Callable[[], str]) -> bytes:
        """Their text in JSON; null once there is no room for more."""
        if self._attribute_room > 0:
            text = json.dumps(attributes()).encode()
            self._attribute_room -= len(text)
            if self._attribute_room > 0:
                return text
        return b"null"

    def json(self) -> bytes:
        """All of them."""
        return (
            b'{"nodes":[' + b",".join([*self._blocks, b",".join(self._block)] if self._block else self._blocks) + b"]}"
        )

    def _must_fit(self) -> None:
        what = f"is a model graph of more than {self._nodes - 1:,} nodes with {self._inputs:,} inputs"
        if self._size_bytes * _KEPT_COPIES > self._most_bytes:
            limit = f"more than there is room for in {self._most_bytes / 1e6:,.0f} MB of memory"
            raise GraphTooLarge(f"{what}, {limit} (give more with --memory)")
        question_bytes = (
            self._nodes * _ASKED_NODE_BYTES + self._inputs * _ASKED_INPUT_BYTES + self._size_bytes * _ASKED_COPIES
        )
        if question_bytes > MAX_ASKED_BYTES:
            limit = f"a question about it would take more than {MAX_ASKED_BYTES / 1e6:,.0f} MB of memory"
            raise GraphTooLarge(f"{what}: {limit}")


def _input_inside(function: str, input_name: str) -> str:
    return f"^{function}/{input_name[1:]}" if input_name.startswith("^") else f"{function}/{input_name}"
