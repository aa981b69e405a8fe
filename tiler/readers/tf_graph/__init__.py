"""Graphs of TensorFlow models: GraphDefs and SavedModels, as text too, and event files that hold one."""

from typing import Final

from tilescope.tiler.details import json_args
from tilescope.tiler.readers.format import Format
from tilescope.tiler.readers.tf_graph.reader import ID, TfGraphReader
from tilescope.tiler.readers.tf_graph.signature import looks_like_graph

TF_GRAPH: Final = Format(
    id=ID,
    title="graphs of TensorFlow models",
    looks_like=looks_like_graph,
    open=TfGraphReader,
    args=json_args.CODEC,
    suffixes=(),
    endings=(".pb", ".pbtxt"),
)

__all__ = ["TF_GRAPH"]
