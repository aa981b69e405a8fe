"""Reads the graph of a TensorFlow model: it has no events, and its nodes are kept for the tool that shows them."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.errors import DamagedTrace, TooLarge
from tilescope.tiler.readers.eventless import EventlessReader
from tilescope.tiler.readers.tf_graph.damage import GraphDamage, GraphTooLarge
from tilescope.tiler.readers.tf_graph.signature import form_of

ID: Final = "tf_graph"

# What it is kept as: JSON of nodes with name, operation, device, inputs and attributes.
ATTACHMENT: Final = "graph/nodes"

_HEAD_BYTES: Final = 64 << 10


class TfGraphReader(EventlessReader):
    """Reader of one graph."""

    ID = ID

    def _content(self) -> tuple[str, bytes]:
        # Protobuf takes time and memory, which no other format needs: it is loaded for graphs alone.
        from tilescope.tiler.readers.tf_graph.parsing import nodes_of

        path = self._source.path
        form = form_of(self._source.peek(_HEAD_BYTES))
        if form is None:
            raise DamagedTrace(path, "begins as no graph of a model")
        try:
            return ATTACHMENT, nodes_of(self._source, form, self._room.bytes)
        except GraphDamage as damage:
            what = self._source.problem or str(damage)
            raise DamagedTrace(path, what, advice="copy the original again") from None
        except GraphTooLarge as damage:
            raise TooLarge(path, str(damage)) from None
