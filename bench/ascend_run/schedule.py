"""Schedule of a synthetic training: when each rank does what, in ticks since its timeline began."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.ascend_run.program import Part, Program
from bench.ascend_run.shape import AscendShape

Ints = NDArray[np.int64]

RECORD: Final = 4  # ticks: what tells the others that a rank is done
SEND: Final = 300
_LOCAL_BYTES_PER_TICK: Final = 2_600
_HCCS_BYTES_PER_TICK: Final = 400
_RDMA_BYTES_PER_TICK: Final = 240
_SLOW_LINK: Final = 4  # times as long
_SLOW_RANK: Final = 1.35
_DEQUEUE: Final = 100
_FED_SLOWLY: Final = 9_000
_STARVED: Final = 90_000  # ticks that data come late


@dataclass(frozen=True, slots=True)
class RankTimes:
    """Times of a rank; the axes are steps, operators or communications of its program, and ranks that it reads from."""

    begin: Ints  # of each step
    host_begin: Ints  # of each step for the host, which also sees what is before the first forward operator
    request: Ints  # when the device asks for the step's data, which `GetNext` takes as soon as they are there
    forward: Ints  # when its forward part begins
    backward: Ints  # when its backward part ends
    end: Ints
    start: Ints  # (steps, operators)
    duration: Ints
    wait: Ints  # (steps, communications): until all ranks are there
    linger: Ints  # until the slowest rank is done
    transit: Ints  # (steps, communications, ranks); of its own number: a copy on the chip

    @property
    def host_length(self) -> Ints:
        return self.end - self.host_begin


def link_bytes(shape: AscendShape, program: Program, rank: int) -> Ints:
    """Bytes that a rank reads in each communication from each rank, its own number included."""
    sizes = np.zeros((len(program.communications), shape.ranks), np.int64)
    for number, place in enumerate(program.communications):
        operator = program.operators[place]
        size = operator.inputs[0].size_bytes
        if operator.kind == "AllReduce":
            sizes[number, list(shape.group(rank))] = size // shape.width
        elif operator.kind == "Receive":
            sizes[number, _source(shape, operator.part, rank)] = size
    return sizes


def _source(shape: AscendShape, part: Part, rank: int) -> int:
    """The rank that sends what another receives: of the stage before, or behind it when gradients come back."""
    return rank - shape.width if part == "forward" else rank + shape.width


def schedule(shape: AscendShape, programs: list[Program]) -> list[RankTimes]:
    """The times of all ranks, by rank."""
    rng = np.random.default_rng(shape.seed)
    ranks = [_Rank(shape, programs[shape.stage(rank)], rank, rng) for rank in range(shape.ranks)]
    for step in range(shape.steps):
        for rank in ranks:
            rank.begin_step(step)
        for stage in range(shape.stages):
            for rank in ranks[stage * shape.width : (stage + 1) * shape.width]:
                rank.forward(step, ranks)
        for stage in reversed(range(shape.stages)):
            group = ranks[stage * shape.width : (stage + 1) * shape.width]
            for rank in group:
                rank.backward(step, ranks)
            _reduce(step, group)
        for rank in ranks:
            rank.end_step(step)
    return [rank.times for rank in ranks]


def _reduce(step: int, group: list[_Rank]) -> None:
    """All ranks of a stage wait for each other, in the order of its all-reduces."""
    ready = [rank.ready(step) for rank in group]
    longest = [rank.longest(step) for rank in group]
    rows: list[list[tuple[int, int, int, int]]] = [[] for _ in group]  # start, end, wait, linger
    free = 0
    for moments, transit in zip(zip(*ready, strict=True), zip(*longest, strict=True), strict=True):
        begin = [max(free, moment) for moment in moments]
        met = max(begin)
        end = met + max(transit) + RECORD
        for row, start, own in zip(rows, begin, transit, strict=True):
            row.append((start, end, met - start, end - RECORD - met - own))
        free = end + RECORD
    for rank, row in zip(group, rows, strict=True):
        rank.communicate(step, rank.reduces, np.array(row))


class _Rank:
    """Fills the times of a rank."""

    def __init__(self, shape: AscendShape, program: Program, rank: int, rng: np.random.Generator) -> None:
        self._shape, self._program, self._rank = shape, program, rank
        steps, operators = shape.steps, len(program.operators)
        typical = np.array([operator.typical for operator in program.operators], np.float64)
        slow = _SLOW_RANK if rank == shape.slow_rank else 1.0
        kernels = np.array([operator.is_kernel for operator in program.operators])
        typical = np.where(kernels, typical * slow, typical)
        duration = (typical * rng.uniform(0.97, 1.03, (steps, operators))).astype(np.int64)
        pause = rng.integers(2, 30, (steps, operators))
        pause[:, np.arange(operators) % shape.pause_every != 0] = 0
        self._beside = np.array([operator.beside for operator in program.operators])
        self._advance = np.where(self._beside, 0, duration + pause)
        sizes = link_bytes(shape, program, rank)
        blank = np.zeros(steps, np.int64)
        waits = np.zeros((steps, len(sizes)), np.int64)
        self.times = RankTimes(
            begin=blank,
            host_begin=blank.copy(),
            request=blank.copy(),
            forward=blank.copy(),
            backward=blank.copy(),
            end=blank.copy(),
            start=np.zeros((steps, operators), np.int64),
            duration=duration,
            wait=waits,
            linger=waits.copy(),
            transit=(sizes * self._ticks_per_byte() * rng.uniform(0.98, 1.02, (steps, *sizes.shape))).astype(np.int64),
        )
        self._late = rng.integers(20, 9_000, steps)
        self._lead = rng.integers(40, 120, (steps, 3))
        self._numbers = {place: number for number, place in enumerate(program.communications)}
        self.reduces = program.places("AllReduce")
        self._longest = self.times.transit.max(axis=2)  # of each communication
        self._now = 0

    def _ticks_per_byte(self) -> NDArray[np.float64]:
        """By the rank that is read from."""
        rates = np.full(self._shape.ranks, 1 / _RDMA_BYTES_PER_TICK)
        rates[list(self._shape.group(self._rank))] = 1 / _HCCS_BYTES_PER_TICK
        rates[self._rank] = 1 / _LOCAL_BYTES_PER_TICK
        if self._rank == self._shape.slow_reader and self._shape.slow_peer is not None:
            rates[self._shape.slow_peer] *= _SLOW_LINK
        return rates

    def begin_step(self, step: int) -> None:
        """Waits for data."""
        times = self.times
        begin = self._now if step else int(self._late[0])
        (place,) = self._program.order["data"]
        request = begin + int(self._lead[step, 0])
        late = _STARVED if step == self._shape.starved_step else 0
        late += _FED_SLOWLY if self._rank == self._shape.fed_slowly else 0
        times.request[step], times.start[step, place] = request, request + late + _DEQUEUE
        self._now = int(times.start[step, place] + times.duration[step, place] + self._lead[step, 1])
        times.forward[step] = self._now
        # A step trace lets the first step begin with its first operator: nothing is known of what was before.
        times.begin[step] = begin if step else self._now
        times.host_begin[step] = begin if step else self._now - int(self._lead[step, 1])

    def forward(self, step: int, ranks: list[_Rank]) -> None:
        first, *places = self._program.order["forward"]
        self._run(step, (first,))
        self._receive(step, "forward", ranks)
        self._run(step, tuple(places))
        self._send(step, "forward")

    def backward(self, step: int, ranks: list[_Rank]) -> None:
        self._receive(step, "backward", ranks)
        self._run(step, self._program.order["backward"])
        last = self._program.order["backward"][-1]
        self.times.backward[step] = self.times.start[step, last] + self.times.duration[step, last]
        self._send(step, "backward")

    def end_step(self, step: int) -> None:
        """Waits for the last all-reduce, and updates the weights."""
        times = self.times
        last = self.reduces[-1]
        self._now = max(self._now, int(times.start[step, last] + times.duration[step, last])) + RECORD
        self._run(step, self._program.order["update"])
        self._now += int(self._lead[step, 2])
        times.end[step] = self._now

    def ready(self, step: int) -> list[int]:
        """Times from which each all-reduce has its gradients: behind the operator that made them."""
        made = np.array(self.reduces) - 1
        ends: list[int] = (self.times.start[step, made] + self.times.duration[step, made] + RECORD).tolist()
        return ends

    def longest(self, step: int) -> list[int]:
        """The time of the slowest transfer in each all-reduce."""
        times: list[int] = self._longest[step, [self._numbers[place] for place in self.reduces]].tolist()
        return times

    def communicate(self, step: int, places: list[int], rows: Ints) -> None:
        """Puts down start, end, wait and linger of communications, a row each."""
        numbers = [self._numbers[place] for place in places]
        times = self.times
        times.start[step, places], times.duration[step, places] = rows[:, 0], rows[:, 1] - rows[:, 0]
        times.wait[step, numbers], times.linger[step, numbers] = rows[:, 2], rows[:, 3]

    def _run(self, step: int, places: tuple[int, ...]) -> None:
        """Runs operators one after the other."""
        chosen = list(places)
        ends = self._now + np.cumsum(self._advance[step, chosen])
        # No two begin at the same moment: flows are told apart by it.
        self.times.start[step, chosen] = ends - self._advance[step, chosen] + self._beside[chosen]
        self._now = int(ends[-1])

    def _receive(self, step: int, part: Part, ranks: list[_Rank]) -> None:
        for place in self._program.places("Receive", part):
            source = ranks[_source(self._shape, part, self._rank)]
            (sent,) = source._program.places("Send", part)
            wait = max(0, int(source.times.start[step, sent]) - self._now)
            end = self._now + wait + int(self._longest[step, self._numbers[place]]) + RECORD
            self.communicate(step, [place], np.array([[self._now, end, wait, 0]]))
            self._now = end + RECORD

    def _send(self, step: int, part: Part) -> None:
        for place in self._program.places("Send", part):
            row = [self._now, self._now + SEND, SEND - RECORD, 0]
            self.communicate(step, [place], np.array([row]))
            self._now += SEND + RECORD
