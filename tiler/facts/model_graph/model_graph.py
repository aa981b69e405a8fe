"""The graphs of models that a run has in place of events."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.caches import OwnerCache
from tilescope.tiler.details.stepwise_json import json_items
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.store.attachments import AttachmentEntry, attachments_of, whole_content

_NAME: Final = "graph/nodes"

_MAX_BYTES: Final = 160 << 20  # what is indexed has fewer, and no wide characters
_MAX_WIDE_BYTES: Final = 32 << 20
_AT_ONCE: Final = 20_000  # nodes and inputs between two turns


@dataclass(frozen=True, slots=True)
class ModelNode:
    """An operation of a model. Scopes are the parts of its name."""

    name: str
    op: str
    device: str  # where somebody has placed it; "" nowhere
    inputs: Sequence[int]  # places of nodes in the graph
    attributes: str | None = ""  # a line for each: "strides: [1, 2, 2, 1]"; None: they were left out

    @property
    def scope(self) -> str:
        """Part of its name before the last slash; "" the outermost."""
        return self.name.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class ModelGraph:
    """The nodes of one file."""

    file: str
    nodes: Sequence[ModelNode]


_GRAPHS: Final = OwnerCache[QueryReader, list[ModelGraph]]("model_graphs", "Graphs of models")


def model_graphs(reader: QueryReader) -> Interruptible[list[ModelGraph]]:
    """Graphs of a run, of which the first is read. Raises NotBuilt while it is indexed, DamagedStore."""
    graphs = _GRAPHS.get(reader)
    if graphs is None:
        graphs = []
        for entry in attachments_of(reader.store):
            if entry.name.partition("~")[0] == _NAME:
                nodes = () if graphs else (yield from _nodes(reader, entry))
                graphs.append(ModelGraph(entry.label, nodes))
        _GRAPHS.keep(reader, graphs)
    return graphs


def has_model_graphs(reader: QueryReader) -> bool:
    """True if a run has any, without reading them. Raises NotBuilt while it is indexed, DamagedStore."""
    return any(entry.name.partition("~")[0] == _NAME for entry in attachments_of(reader.store))


def _nodes(reader: QueryReader, entry: AttachmentEntry) -> Interruptible[list[ModelNode]]:
    """The nodes of one graph: its JSON is gone through twice, so that names of inputs need not be kept."""
    if entry.size_bytes > _MAX_BYTES:
        raise DamagedStore(f"the model graph {entry.label!r} has {entry.size_bytes:,} bytes: index it again")
    try:
        data = yield from whole_content(reader.store, entry)
        text = data.tobytes().decode("ascii" if entry.size_bytes > _MAX_WIDE_BYTES else "utf-8")
        del data
        names: list[str] = []
        places: dict[str, int] = {}
        work = 0
        for place, (name, _, _, inputs, *_) in enumerate(json_items(text, "nodes")):
            work += 1 + len(inputs)
            if work >= _AT_ONCE:
                work = 0
                yield
            names.append(str(name))
            places[names[-1]] = place
        kept: dict[str, str] = {}  # few operations and devices, and many attributes that are alike
        nodes: list[ModelNode] = []
        for place, (_, op, device, inputs, *more) in enumerate(json_items(text, "nodes")):
            work += 1 + len(inputs)
            if work >= _AT_ONCE:
                work = 0
                yield
            sources = array("i", [source for input_name in inputs if (source := _source(input_name, places)) >= 0])
            lines = more[0] if more else None  # older stores have none
            op, device, attributes = (kept.setdefault(str(part), str(part)) for part in (op, device, lines))
            nodes.append(ModelNode(names[place], op, device, sources or (), None if lines is None else attributes))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        raise DamagedStore(f"a model graph that makes no sense: {error}") from error
    return nodes


def _source(input_name: str, places: dict[str, int]) -> int:
    """The node of an input such as `conv/Relu:1`, `^init` or, in a function, `conv:output:0`; -1: an argument."""
    name = input_name.removeprefix("^")
    place = places.get(name)
    while place is None and ":" in name:
        name = name.rpartition(":")[0]
        place = places.get(name)
    return -1 if place is None else place
