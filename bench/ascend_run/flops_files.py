"""FLOPs of generation 1: by operator, scope and model; of AI cores, as run."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Final

from bench.ascend_run.operator_files import kernel_places
from bench.ascend_run.program import Program
from bench.ascend_run.schedule import RankTimes
from bench.ascend_run.shape import TICKS_PER_MS

# What a cycle of all cores computes: 16³ products and sums each.
CORES: Final = 32
MEGAHERTZ: Final = 1_000
PEAK: Final = MEGAHERTZ * 1_000_000 * CORES * 4096 * 2  # FLOPs a second
VECTOR_PEAK: Final = PEAK // 64


def flops(program: Program) -> tuple[int, int]:
    """FLOPs of a step: of the cube and of the vector units."""
    kernels = [program.operators[place] for place in kernel_places(program)]
    return sum(kernel.cube_flops for kernel in kernels), sum(kernel.vector_flops for kernel in kernels)


def operator_flops(program: Program, times: RankTimes) -> str:
    lines = [
        "full_kernel_name, MFLOPs(10^6 cube), GFLOPS(10^9 cube), FLOPS utilization(cube), "
        "MFLOPs(10^6 vector), GFLOPS(10^9 vector), FLOPS utilization(vec)"
    ]
    for place in kernel_places(program):
        operator = program.operators[place]
        milliseconds = int(times.duration[:, place].sum()) / len(times.begin) / TICKS_PER_MS
        figures: list[float] = []
        for count, peak in ((operator.cube_flops, PEAK), (operator.vector_flops, VECTOR_PEAK)):
            mega = count / 1e6
            rate = mega / milliseconds
            figures += [mega, round(rate, 3), round(rate * 1e9 / peak * 100, 3)]
        lines.append(", ".join([operator.full_name, *map(str, figures)]))
    return "\n".join(lines) + "\n"


def flops_summary(program: Program, times: RankTimes) -> str:
    """Sums of a step; the rate is that of its forward and backward part."""
    total = sum(flops(program)) / 1e6
    milliseconds = int((times.backward - times.forward).sum()) / len(times.begin) / TICKS_PER_MS
    rate = total / milliseconds
    figures = {
        "FLOPs": total,
        "FLOPS": round(rate, 3),
        "FLOPS_Utilization": round(rate * 1e9 / PEAK * 100, 3),
    }
    return json.dumps(figures)


def scope_flops(program: Program) -> Counter[tuple[str, str]]:
    """FLOPs by scope and the one around it, as files name them: with the first scope behind them."""
    links = Counter[tuple[str, str]]()
    for place in kernel_places(program):
        operator = program.operators[place]
        top, *scopes = operator.scope.split("/")
        count = operator.cube_flops + operator.vector_flops
        names = ["Total", top, *(f"{scope}({top})" for scope in scopes)]
        for source, target in pairwise(names):
            links[source, target] += count
    return links


def flops_scopes(program: Program) -> str:
    """Nodes and links of a Sankey diagram, in MFLOPs."""
    links = scope_flops(program)
    names = dict.fromkeys(name for link in links for name in link)
    depth = max(operator.scope.count("/") + 1 for operator in program.operators)
    content = {
        "data": {
            "nodes": [{"name": name} for name in names],
            "links": [
                {"source": source, "target": target, "value": count / 1e6} for (source, target), count in links.items()
            ],
        },
        "max_scope_num": depth,
    }
    return json.dumps(content)
