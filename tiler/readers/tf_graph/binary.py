"""Nodes of graphs in protobuf, one at a time: of a GraphDef, of all graphs of a SavedModel, of an event file's last."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from google.protobuf.message import DecodeError

from tilescope.graph import graph_pb2 as pb
from tilescope.tiler.details.wire import WireDamage
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.tf_graph import wire_stream
from tilescope.tiler.readers.tf_graph.attributes import HEAD_BYTES, Attributes, entries_text, entry_head
from tilescope.tiler.readers.tf_graph.damage import GraphDamage
from tilescope.tiler.readers.tf_graph.node_list import MAX_NAME, GraphNode, NodeInputs, NodeList, inside
from tilescope.tiler.readers.tf_graph.wire_stream import CutShort, WireStream

_HEAD_BYTES: Final = 12  # of a record: length and checksum; behind it another checksum
_TAIL_BYTES: Final = 4
_WHOLE_BYTES: Final = 1 << 16  # of a node that is parsed in one go; larger ones have constants

# Field numbers, as in graph.proto.
_NODE: Final = 1  # of a GraphDef
_LIBRARY: Final = 2
_FUNCTION: Final = 1  # of a library
_SIGNATURE: Final = 1  # of a function
_BODY: Final = 3
_META_GRAPH: Final = 2  # of a SavedModel
_GRAPH: Final = 2  # of a MetaGraph
_EVENT_GRAPH: Final = 4
_ATTRIBUTE: Final = 5  # of a node


def graph_nodes(source: ByteSource) -> Iterator[GraphNode]:
    """Nodes of a GraphDef. Raises GraphDamage, GraphTooLarge."""
    try:
        yield from _graph(WireStream(source), None)
    except (CutShort, WireDamage):
        raise GraphDamage("is cut short, or no GraphDef") from None


def saved_model_nodes(source: ByteSource) -> Iterator[GraphNode]:
    """Nodes of all graphs of a SavedModel. Raises GraphDamage, GraphTooLarge."""
    stream = WireStream(source)
    try:
        for number, length in stream.fields():
            if number == _META_GRAPH:
                for part, size in stream.fields(stream.place + length):
                    if part == _GRAPH:
                        yield from _graph(stream, stream.place + size)
    except (CutShort, WireDamage):
        raise GraphDamage("is cut short, or no SavedModel") from None


def last_graph(source: ByteSource, new_list: Callable[[], NodeList]) -> NodeList:
    """The graph that was written last: an event file may have several, with other records around.

    Raises GraphDamage, GraphTooLarge.
    """
    last: NodeList | None = None
    stream = WireStream(source)
    try:
        while not stream.is_over:
            (length,) = struct.unpack("<Q", stream.payload(_HEAD_BYTES)[:8])
            if length > wire_stream.MAX_BYTES:
                raise GraphDamage(f"has a record of {length:,} bytes, the limit is {wire_stream.MAX_BYTES:,}")
            nodes: NodeList | None = None
            for number, size in stream.fields(stream.place + length):
                if number == _EVENT_GRAPH and size:
                    nodes = new_list()
                    nodes.extend(_graph(stream, stream.place + size))
            stream.payload(_TAIL_BYTES)
            last = nodes or last
    except CutShort:
        pass  # writers may be on their way, or have been ended
    except WireDamage:
        raise GraphDamage("has a record that is no event of TensorBoard") from None
    if last is None:
        raise GraphDamage("is an event file of TensorBoard without a graph")
    return last


def _graph(stream: WireStream, end: int | None) -> Iterator[GraphNode]:
    for number, length in stream.fields(end):
        if number == _NODE:
            yield _node(stream, length)
        elif number == _LIBRARY:
            for part, size in stream.fields(stream.place + length):
                if part == _FUNCTION:
                    yield from _function(stream, stream.place + size)


def _function(stream: WireStream, end: int) -> Iterator[GraphNode]:
    name = ""
    for number, length in stream.fields(end):
        if number == _SIGNATURE:  # stands before the nodes, whoever writes it
            for part, size in stream.fields(stream.place + length):
                if part == 1:
                    name = _text(stream, size)
        elif number == _BODY:
            yield inside(name, _node(stream, length))


def _node(stream: WireStream, length: int) -> GraphNode:
    if length <= _WHOLE_BYTES:
        try:
            node = pb.NodeDef.FromString(stream.payload(length))
        except DecodeError:
            raise GraphDamage("has a node that makes no sense") from None
        return GraphNode(node.name, node.op, node.device, list(node.input), partial(entries_text, node.attr))
    texts = {1: "", 2: "", 4: ""}
    inputs, attributes = NodeInputs(), Attributes()
    for number, size in stream.fields(stream.place + length):
        if number in texts:
            texts[number] = _text(stream, size)
        elif number == 3:
            inputs.add(_text(stream, size))
        elif number == _ATTRIBUTE:
            attributes.add(*entry_head(stream.payload(min(size, HEAD_BYTES)), size))
    return GraphNode(texts[1], texts[2], texts[4], inputs.names, attributes.text)


def _text(stream: WireStream, length: int) -> str:
    """A text; of a very long one what is kept of it."""
    return stream.payload(min(length, 4 * MAX_NAME)).decode("utf-8", "replace")[:MAX_NAME]
