"""Parallel strategy of generation 1: the stages' devices, and how operators are cut among them."""

from __future__ import annotations

import json

from bench.ascend_run.program import Operator, Program
from bench.ascend_run.shape import AscendShape


def shards(shape: AscendShape, operator: Operator) -> list[list[int]]:
    """Pieces of each input by dimension: batches are cut, weights are not."""
    return [
        [shape.width if number == 0 and place == 0 else 1 for place in range(len(tensor.shape))]
        for number, tensor in enumerate(operator.inputs)
    ]


def parallel_strategy(shape: AscendShape, program: Program, rank: int) -> str:
    """As protobuf writes JSON: 64-bit integers are strings."""
    stages = [range(stage * shape.width, (stage + 1) * shape.width) for stage in range(shape.stages)]
    config = {
        "parallelType": "semi_auto_parallel",
        "rankId": rank,
        "stageId": shape.stage(rank),
        "stageDevices": [{"dim": [{"size": str(device)} for device in devices]} for devices in stages],
    }
    nodes = [
        {
            "name": str(place + 1),
            "opType": operator.kind,
            "scope": operator.scope,
            "fullName": operator.full_name,
            "attribute": [{"name": "gen_strategy", "value": {"strVal": str(shards(shape, operator))}}],
        }
        for place, operator in enumerate(program.operators)
    ]
    return json.dumps({"config": config, "graph": {"node": nodes}}, separators=(",", ":"))
