"""Preparation of training data by mindspore.dataset, as the profiler of MindSpore's first generation records it."""

from tilescope.tiler.facts.ascend.data_preparation.pipeline import DataOperation, DataPipeline, bottlenecks
from tilescope.tiler.facts.ascend.data_preparation.preparation import (
    OFTEN_EMPTY_PERCENT,
    DataPreparation,
    DataStage,
    data_preparations,
    has_data_preparation,
)
from tilescope.tiler.facts.ascend.data_preparation.queues import StepQueue

__all__ = [
    "OFTEN_EMPTY_PERCENT",
    "DataOperation",
    "DataPipeline",
    "DataPreparation",
    "DataStage",
    "StepQueue",
    "bottlenecks",
    "data_preparations",
    "has_data_preparation",
]
