"""The graph of a TensorFlow model: its nodes by scope, and which of them a TPU can run."""

from tilescope.tiler.facts.model_graph.model_graph import ModelGraph, ModelNode, model_graphs
from tilescope.tiler.facts.model_graph.placement import Placement, placement

__all__ = ["ModelGraph", "ModelNode", "Placement", "model_graphs", "placement"]
