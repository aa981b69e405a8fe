"""Memory of a graph in generation 1, as its compiler plans it: tensors and how long they live."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final

from bench.ascend_run.program import Operator, Program, Tensor

CAPACITY: Final = 32 << 30
STATIC: Final = 2 << 30
_GIB: Final = 1 << 30
_GRAPH: Final = 11


@dataclass(frozen=True, slots=True)
class PlannedTensor:
    """An output; it lives from the operator that makes it to the last one that reads it, both included."""

    number: int
    source: int  # place of the operator
    tensor: Tensor
    life: str
    first: int
    last: int  # of those that stay: the number of operators, as files have it

    @property
    def name(self) -> str:
        return f"tensor_{self.number}"


def planned_tensors(program: Program) -> list[PlannedTensor]:
    """Activations live until the backward operator of their layer; weights' gradients until the end."""
    operators = program.operators
    count = len(operators)
    planned: list[PlannedTensor] = []
    for place, operator in enumerate(operators):
        for tensor in operator.outputs:
            if operator.part == "forward":
                life, last = "LifeLongNone", program.layer_ends[operator.layer]
            elif operator.kind == "BiasAddGrad":
                life, last = "LifeLongGraphEnd", count
            elif operator.kind == "AssignAdd":
                life, last = "LifeLongGraphAll", count
            else:
                life, last = "LifeLongNone", min(place + 1, count - 1)
            first = 0 if life == "LifeLongGraphAll" else place
            planned.append(PlannedTensor(len(planned), place, tensor, life, first, last))
    return planned


def memory_curve(program: Program, planned: list[PlannedTensor]) -> list[int]:
    """Bytes in use while each operator runs."""
    count = len(program.operators)
    changes = [0] * (count + 2)
    for tensor in planned:
        changes[tensor.first] += tensor.tensor.size_bytes
        changes[min(tensor.last + 1, count)] -= tensor.tensor.size_bytes
    curve, used = [], STATIC
    for change in changes[:count]:
        used += change
        curve.append(used)
    return curve


def memory_details(program: Program) -> str:
    """Graphs by number, sizes in GiB."""
    planned = planned_tensors(program)
    curve = memory_curve(program, planned)
    previous, nodes = STATIC, {}
    for place, operator in enumerate(program.operators):
        nodes[operator.name] = _node(operator, place, planned, curve[place] - previous)
        previous = curve[place]
    first, last = program.order["forward"][0], program.order["backward"][-1]
    graph = {
        "graph_id": _GRAPH,
        "static_mem": STATIC / _GIB,
        "nodes": nodes,
        "fp_start": first,
        "bp_end": last,
        "lines": [used / _GIB for used in curve],
        "breakdowns": [],
    }
    return json.dumps({str(_GRAPH): graph})


def memory_summary(program: Program) -> str:
    planned = planned_tensors(program)
    summary = {
        "capacity": CAPACITY / _GIB,
        "allocations": len(planned) + 1,
        "deallocations": len(planned) + 1,
        "peak_mem": max(memory_curve(program, planned)) / _GIB,
        "static_mem": STATIC / _GIB,
        "breakdowns": [],
    }
    return json.dumps(summary)


def _node(operator: Operator, place: int, planned: list[PlannedTensor], change: int) -> dict[str, object]:
    own = [tensor for tensor in planned if tensor.source == place]
    return {
        "name": operator.name,
        "fullname": operator.full_name,
        "node_id": place,
        "allocations": len(own),
        "size": sum(tensor.tensor.size_bytes for tensor in own) / _GIB,
        "allocated": change / _GIB,
        "inputs": [],
        "outputs": [
            {
                "tensor_name": tensor.name,
                "tensor_id": tensor.number,
                "size": tensor.tensor.size_bytes / _GIB,
                "type": "output",
                "shape": list(tensor.tensor.shape),
                "format": "DEFAULT",
                "data_type": tensor.tensor.dtype,
                "life_long": tensor.life,
                "life_start": tensor.first,
                "life_end": tensor.last,
            }
            for tensor in own
        ],
    }
