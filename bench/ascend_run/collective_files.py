"""Communication of generation 1: costs, waits and links of each step, and of each operator in it."""

from __future__ import annotations

import json

import numpy as np

from bench.ascend_run.csv_text import csv_text
from bench.ascend_run.program import Program
from bench.ascend_run.schedule import Ints, RankTimes, link_bytes
from bench.ascend_run.shape import TICKS_PER_MS, AscendShape
from bench.ascend_run.step_files import reduce_name

Links = dict[tuple[int, int], tuple[int, int]]  # ticks and bytes by the rank that is read from and the reader
_Json = dict[str, dict[str, list[float]]]


def transport(shape: AscendShape, peer: int, rank: int) -> str:
    """Within a stage by SDMA, between them by RDMA."""
    return "SDMA" if shape.stage(peer) == shape.stage(rank) else "RDMA"


def step_links(sizes: Ints, times: RankTimes, rank: int, number: int, step: int) -> Links:
    """Links over which a communication reads in a step; `sizes`: those of the rank."""
    return {
        (peer, rank): (int(times.transit[step, number, peer]), int(sizes[number, peer]))
        for peer in np.flatnonzero(sizes[number]).tolist()
    }


def link_sums(parts: list[Links]) -> Links:
    sums: Links = {}
    for part in parts:
        for link, (ticks, size) in part.items():
            earlier = sums.get(link, (0, 0))
            sums[link] = earlier[0] + ticks, earlier[1] + size
    return sums


def communication(shape: AscendShape, program: Program, times: RankTimes, rank: int) -> str:
    """A row for each step, and one of their means."""
    header = ("step_num", "communication_cost", "wait_cost", "link_info", "communication_operator_cost")
    names = [reduce_name(program, place) for place in program.communications]
    numbers = range(len(names))
    sizes = link_bytes(shape, program, rank)
    links = [[step_links(sizes, times, rank, number, step) for step in range(shape.steps)] for number in numbers]
    waits = times.wait + times.linger
    rows = [
        _row(shape, str(step + 1), names, [[own[step]] for own in links], waits[step].tolist())
        for step in range(shape.steps)
    ]
    return csv_text(header, [*rows, _row(shape, "-", names, links, waits.sum(axis=0).tolist())])


def _row(shape: AscendShape, label: str, names: list[str], links: list[list[Links]], waits: list[int]) -> list[object]:
    """The means of some steps; `links` and `waits` by communication, those of all steps."""
    steps = len(links[0]) if links else 1
    operators = {
        name: [label, _cost(own) / steps / TICKS_PER_MS, wait / steps / TICKS_PER_MS, _json(shape, own, steps)]
        for name, own, wait in zip(names, links, waits, strict=True)
    }
    parts = [part for own in links for part in own]
    cost, wait = _cost(parts) / steps / TICKS_PER_MS, sum(waits) / steps / TICKS_PER_MS
    return [label, cost, wait, json.dumps(_json(shape, parts, steps)), json.dumps(operators)]


def _cost(parts: list[Links]) -> int:
    return sum(ticks for part in parts for ticks, _ in part.values())


def _json(shape: AscendShape, parts: list[Links], steps: int) -> _Json:
    """Time in ms, size in KB of 1,000 bytes, and KB a second: of several communications the sum, as in real files."""
    result: _Json = {}
    for (peer, rank), (ticks, size) in link_sums(parts).items():
        rates = [own[peer, rank] for own in parts if (peer, rank) in own]
        rate = sum(own_size * TICKS_PER_MS / own_ticks for own_ticks, own_size in rates)
        figures = [ticks / steps / TICKS_PER_MS, size / steps / 1000, rate / steps]
        result[f"{peer}-{rank}"] = {transport(shape, peer, rank): figures}
    return result
