"""Preparation of training data by mindspore.dataset, as the profiler of MindSpore's first generation records it."""

from tilescope.tiler.facts.ascend.data_preparation.nodes import NODE_TIMES, DataNode, data_nodes
from tilescope.tiler.facts.ascend.data_preparation.pipeline import DataOperation, DataPipeline, bottlenecks
from tilescope.tiler.facts.ascend.data_preparation.preparation import (
    OFTEN_EMPTY_PERCENT,
    DataPreparation,
    DataStage,
    data_preparations,
    has_data_preparation,
    lacks_data_preparation,
    preparations_left_out,
)
from tilescope.tiler.facts.ascend.data_preparation.queues import StepQueue

__all__ = [
    "NODE_TIMES",
    "OFTEN_EMPTY_PERCENT",
    "DataNode",
    "DataOperation",
    "DataPipeline",
    "DataPreparation",
    "DataStage",
    "StepQueue",
    "bottlenecks",
    "data_nodes",
    "data_preparations",
    "has_data_preparation",
    "lacks_data_preparation",
    "preparations_left_out",
]
