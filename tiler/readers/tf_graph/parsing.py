"""From the bytes of a graph to its nodes: name, operation, device, inputs and attributes of each, functions too."""

from __future__ import annotations

from functools import partial

from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.tf_graph.binary import graph_nodes, last_graph, saved_model_nodes
from tilescope.tiler.readers.tf_graph.damage import GraphDamage
from tilescope.tiler.readers.tf_graph.node_list import NodeList
from tilescope.tiler.readers.tf_graph.signature import Form
from tilescope.tiler.readers.tf_graph.text import text_nodes


def nodes_of(source: ByteSource, form: Form, memory_bytes: int) -> bytes:
    """JSON of all nodes, which takes at most so much memory to make. Raises GraphDamage, GraphTooLarge."""
    new_list = partial(NodeList, memory_bytes)
    if form is Form.EVENTS:
        nodes = last_graph(source, new_list)
    else:
        read = {Form.GRAPH: graph_nodes, Form.SAVED_MODEL: saved_model_nodes, Form.TEXT: text_nodes}[form]
        nodes = new_list()
        nodes.extend(read(source))
    if source.problem is not None:
        raise GraphDamage(source.problem)
    return nodes.json()
