"""From the bytes of a graph to its nodes: name, operation, device and inputs of each, functions included."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from typing import Final

from google.protobuf import text_format
from google.protobuf.message import DecodeError

from tilescope.graph import graph_pb2 as pb
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.tf_graph.signature import Form

# Weights may be in it as constants. More than a message of protobuf may hold there is none.
MAX_GRAPH_BYTES: Final = 512 << 20
MAX_TEXT_BYTES: Final = 64 << 20  # text takes some twenty times as much memory
MAX_NODES: Final = 1_000_000
MAX_NAME: Final = 4096  # characters of a name, a device or an input
MAX_INPUTS: Final = 10_000_000

_HEAD_BYTES: Final = 12  # of a record: length and checksum; behind it another checksum
_TAIL_BYTES: Final = 4

Node = tuple[str, str, str, list[str]]  # name, operation, device, inputs


class GraphDamage(Exception):
    """The text says what is wrong."""


def nodes_of(source: ByteSource, form: Form) -> list[Node]:
    """All nodes. Raises GraphDamage."""
    if form is Form.EVENTS:
        return _checked(_of_graph(_last_graph(source)))
    limit = MAX_TEXT_BYTES if form is Form.TEXT else MAX_GRAPH_BYTES
    content = source.read(limit + 1)
    if len(content) > limit:
        raise GraphDamage(f"is a model graph of more than {limit:,} bytes")
    if source.problem is not None:
        raise GraphDamage(source.problem)
    if form is Form.TEXT:
        return _checked(_of_text(content))
    if form is Form.GRAPH:
        return _checked(_of_graph(content))
    try:
        model = pb.SavedModel.FromString(content)
    except DecodeError:
        raise GraphDamage("is cut short, or no SavedModel") from None
    return _checked(node for meta in model.meta_graphs for node in _nodes(meta.graph_def))


def _of_graph(content: bytes) -> Iterator[Node]:
    try:
        graph = pb.GraphDef.FromString(content)
    except DecodeError:
        raise GraphDamage("is cut short, or no GraphDef") from None
    yield from _nodes(graph)


def _nodes(graph: pb.GraphDef) -> Iterator[Node]:
    try:
        for node in graph.node:
            yield _node(pb.NodeDef.FromString(node))
        for one in graph.library.function:
            function = pb.FunctionDef.FromString(one)
            for node in function.node_def:
                yield _inside(function.signature.name, _node(pb.NodeDef.FromString(node)))
    except DecodeError:
        raise GraphDamage("has a node that makes no sense") from None


def _of_text(content: bytes) -> Iterator[Node]:
    try:
        graph = text_format.Parse(content.decode("utf-8-sig"), pb.TextGraph(), allow_unknown_field=True)
    except UnicodeDecodeError as error:
        raise GraphDamage(f"is not UTF-8 at byte {error.start:,}") from None
    except (text_format.ParseError, RecursionError) as error:
        raise GraphDamage(f"is no text of a GraphDef: {' '.join(str(error).split())[:200]}") from None
    yield from map(_node, graph.node)
    for function in graph.library.function:
        yield from (_inside(function.signature.name, _node(node)) for node in function.node_def)


def _node(of: pb.NodeDef) -> Node:
    return of.name, of.op, of.device, list(of.input)


def _inside(function: str, node: Node) -> Node:
    """A node of a function, in a scope of the function's name. Its inputs are `node:output:0`, or the function's."""
    name, op, device, inputs = node
    return f"{function}/{name}", op, device, [_input_inside(function, one) for one in inputs]


def _input_inside(function: str, one: str) -> str:
    return f"^{function}/{one[1:]}" if one.startswith("^") else f"{function}/{one}"


def _checked(nodes: Iterable[Node]) -> list[Node]:
    found: list[Node] = []
    inputs = 0
    for name, op, device, of in nodes:
        inputs += len(of)
        if len(found) == MAX_NODES or inputs > MAX_INPUTS:
            raise GraphDamage(f"has more than {MAX_NODES:,} nodes or {MAX_INPUTS:,} inputs")
        found.append((name[:MAX_NAME], op[:MAX_NAME], device[:MAX_NAME], [one[:MAX_NAME] for one in of]))
    return found


def _last_graph(source: ByteSource) -> bytes:
    """The graph that was written last: an event file may have several, with other records around."""
    found: bytes | None = None
    while True:
        head = source.read(_HEAD_BYTES)
        if len(head) < _HEAD_BYTES:
            break  # writers may be on their way, or have been ended
        (length,) = struct.unpack("<Q", head[:8])
        if length > MAX_GRAPH_BYTES:
            raise GraphDamage(f"has a record of {length:,} bytes, the limit is {MAX_GRAPH_BYTES:,}")
        record = source.read(length + _TAIL_BYTES)
        if len(record) < length + _TAIL_BYTES:
            break
        try:
            graph = pb.Event.FromString(record[:length]).graph_def
        except DecodeError:
            raise GraphDamage("has a record that is no event of TensorBoard") from None
        found = graph or found
    if found is None:
        raise GraphDamage("is an event file of TensorBoard without a graph")
    return found
