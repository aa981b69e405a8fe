"""The graphs of models that a run has in place of events."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.kept_with import KeptWith
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store.attachments import attachments_of, content

_NAME: Final = "graph/nodes"


@dataclass(frozen=True, slots=True)
class ModelNode:
    """An operation of a model. Scopes are the parts of its name."""

    name: str
    op: str
    device: str  # where somebody has placed it; "" nowhere
    inputs: Sequence[int]  # places of nodes in the graph

    @property
    def scope(self) -> str:
        """What lies before the last part of its name; "" the outermost."""
        return self.name.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class ModelGraph:
    """The nodes of one file."""

    file: str
    nodes: Sequence[ModelNode]


_KNOWN: KeptWith[QueryReader, list[ModelGraph]] = KeptWith()


def model_graphs(reader: QueryReader) -> list[ModelGraph]:
    """Those of a run, read once. Raises NotBuilt while it is indexed, DamagedStore."""
    found = _KNOWN.get(reader)
    if found is None:
        found = []
        for entry in attachments_of(reader.store):
            if entry.name.partition("~")[0] == _NAME:
                pieces = content(entry, partial(reader.store.attachment_chunk, entry.id))
                found.append(ModelGraph(entry.label, _nodes(b"".join(pieces))))
        _KNOWN[reader] = found
    return found


def has_model_graphs(reader: QueryReader) -> bool:
    """Whether a run has any, without reading them. Raises NotBuilt while it is indexed, DamagedStore."""
    return any(entry.name.partition("~")[0] == _NAME for entry in attachments_of(reader.store))


def _nodes(packed: bytes) -> list[ModelNode]:
    try:
        rows = json.loads(packed)["nodes"]
        places = {str(row[0]): place for place, row in enumerate(rows)}
        return [
            ModelNode(str(name), str(op), str(device), [at for one in inputs if (at := _source(one, places)) >= 0])
            for name, op, device, inputs in rows
        ]
    except (ValueError, TypeError, LookupError) as error:
        raise DamagedStore(f"a model graph that makes no sense: {error}") from error


def _source(one: str, places: dict[str, int]) -> int:
    """The node of an input such as `conv/Relu:1`, `^init` or, in a function, `conv:output:0`; -1: an argument."""
    name = one.removeprefix("^")
    found = places.get(name)
    while found is None and ":" in name:
        name = name.rpartition(":")[0]
        found = places.get(name)
    return -1 if found is None else found
