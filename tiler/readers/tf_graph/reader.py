"""Reads the graph of a TensorFlow model: it has no events, and its nodes are kept for the tool that shows them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tilescope.tiler.columns import EventChunk, TraceSummary
from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers.attached import Attached
from tilescope.tiler.readers.room import Room
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.tf_graph.parsing import GraphDamage, nodes_of
from tilescope.tiler.readers.tf_graph.signature import form_of

ID: Final = "tf_graph"

# What it is kept as: JSON of nodes with name, operation, device and inputs.
ATTACHMENT: Final = "graph/nodes"

_HEAD_BYTES: Final = 64 << 10


class TfGraphReader:
    """A `Reader` of one graph."""

    def __init__(self, source: ByteSource, *, scratch_dir: Path | None = None, room: Room | None = None) -> None:
        self.size_bytes = source.size_bytes
        self._source = source
        self._room = room or Room()
        self._summary = TraceSummary(ID)

    def chunks(self) -> Iterator[EventChunk]:
        """None, but the graph is read. Raises DamagedTrace."""
        path = self._source.path
        form = form_of(self._source.peek(_HEAD_BYTES))
        if form is None:
            raise DamagedTrace(path, "begins as no graph of a model")
        try:
            nodes = nodes_of(self._source, form)
        except GraphDamage as damage:
            raise DamagedTrace(path, str(damage), advice="copy the original again") from None
        content = json.dumps({"nodes": nodes}, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
        attached = Attached(self._room)
        attached.add(ATTACHMENT, path.name, "application/json", len(content), lambda: iter([content]))
        self._summary.attachments = attached.found
        self._summary.warnings = [*attached.notes()]
        yield from ()

    def bytes_read(self) -> int:
        return self._source.bytes_read

    def summary(self) -> TraceSummary:
        return self._summary

    def summary_so_far(self) -> TraceSummary:
        return self._summary

    def close(self) -> None:
        self._source.close()
