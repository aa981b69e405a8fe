"""Schedule of a synthetic run: the times of each operation on each core."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.pod_run.program import ITERATIONS, Program
from bench.pod_run.shape import QUANTUM_PS, PodShape

Ints = NDArray[np.int64]

FIRST_STEP_PS: Final = 30_000_000_000
_LEAD_PS: Final = 150_000_000  # of a step, until its first operation
_LOOP_PS: Final = (
    100_000_000 // QUANTUM_PS * QUANTUM_PS
)  # the loop by itself, before its first iteration and after its last
_SLOWLY: Final = 7  # times as long


@dataclass(frozen=True, slots=True)
class CoreStep:
    """A step on a core, on the device's clock: ps since the first host began to record."""

    begin: int
    end: int
    start: Ints  # of each operation in the order of the program
    duration: Ints

    @property
    def length(self) -> int:
        return self.end - self.begin


@dataclass(frozen=True, slots=True)
class Schedule:
    """`steps[step][core]`; `began`: when each host began to record."""

    steps: list[list[CoreStep]]
    began: list[int]

    @property
    def end(self) -> int:
        return max(core.end for core in self.steps[-1])


def schedule(shape: PodShape, program: Program) -> Schedule:
    """All cores wait for each other in the collectives; each begins its next step some time after the last."""
    rng = np.random.default_rng(shape.seed)
    ready = [FIRST_STEP_PS + int(late) * QUANTUM_PS for late in rng.integers(0, 30_000, shape.cores)]
    steps, waits = [], _waits(program)
    for _ in range(shape.steps):
        works = [_Work.drawn(shape, program, core, rng) for core in range(shape.cores)]
        begin = list(ready)
        times = [start + _LEAD_PS for start in begin]
        for place, end in _meetings(program):
            times = [work.run_until(end, now) for work, now in zip(works, times, strict=True)]
            if place is not None and place in waits:
                times = [
                    work.receive(place, now, _arrival(waits[place], core, works, rng))
                    for core, (work, now) in enumerate(zip(works, times, strict=True))
                ]
            elif place is not None:
                met = max(times) + int(rng.integers(400_000, 480_000)) * QUANTUM_PS
                times = [work.meet(place, now, met) for work, now in zip(works, times, strict=True)]
        ends = [now + int(rng.integers(20_000, 60_000)) * QUANTUM_PS for now in times]
        steps.append(
            [
                CoreStep(*columns)
                for columns in zip(begin, ends, (w.start for w in works), (w.duration for w in works), strict=True)
            ]
        )
        ready = [end + int(rng.integers(80, 4000)) * QUANTUM_PS for end in ends]
    return Schedule(steps, [_began(shape, host, steps[0]) for host in range(shape.hosts)])


def _began(shape: PodShape, host: int, first: list[CoreStep]) -> int:
    """Some time after the others; of the host that is late, shortly before its second step."""
    own = first[host * shape.chips : (host + 1) * shape.chips]
    late = min(core.end for core in own) - 5_000_000_000
    return late // 1000 * 1000 if host == shape.late_host else host * 250_000_000  # captures tell it in ns


@dataclass(frozen=True, slots=True)
class _Wait:
    """Wait of a core that receives: the place of the send, by core the one that sends, and the least time of the
    transfer.
    """

    sent: int
    sources: dict[int, int]
    least_ps: int


def _waits(program: Program) -> dict[int, _Wait]:
    """By the place at which cores wait."""
    waits = {}
    for place, instruction in enumerate(program.instructions):
        if instruction.opcode == "recv-done" and instruction.pairs:
            sent = next(
                other
                for other in program.instructions
                if other.opcode == "send" and other.channel == instruction.channel
            )
            sources = {destination: source for source, destination in instruction.pairs}
            least = 25_000_000 + sent.read * 30 // QUANTUM_PS * QUANTUM_PS
            waits[program.order.index(place)] = _Wait(
                program.order.index(program.names[sent.name]), sources, least // QUANTUM_PS * QUANTUM_PS
            )
    return waits


def _arrival(wait: _Wait, core: int, works: list[_Work], rng: np.random.Generator) -> int:
    late = int(rng.integers(0, 8000)) * QUANTUM_PS
    return int(works[wait.sources[core]].start[wait.sent]) + wait.least_ps + late


def _meetings(program: Program) -> Iterator[tuple[int | None, int]]:
    """Places in the order at which cores wait for others, and at last its end."""
    for place in sorted([*_waits(program), *(program.order.index(collective) for collective in program.collectives)]):
        yield place, place
    yield None, len(program.order)


class _Work:
    """Work of a core in a step: durations are drawn at first, starts follow piece by piece."""

    def __init__(self, duration: Ints, advance: Ints) -> None:
        self.duration = duration
        self.start = np.zeros(len(duration), np.int64)
        self._advance = advance  # from the start of an operation to that of the next
        self._next = 0

    @classmethod
    def drawn(cls, shape: PodShape, program: Program, core: int, rng: np.random.Generator) -> _Work:
        order = np.array(program.order)
        typical = np.array([instruction.typical_ps for instruction in program.instructions], np.float64)
        if core == shape.slow_core:
            is_fusion = np.array([instruction.category.endswith("fusion") for instruction in program.instructions])
            typical = np.where(is_fusion, typical * 1.12, typical)
        if shape.host_of(core) == shape.fed_slowly:
            typical[program.names["infeed.1"]] *= _SLOWLY
        taken = typical[order] * rng.uniform(0.96, 1.04, len(order)) / QUANTUM_PS
        duration = np.maximum(1, taken.astype(np.int64)) * QUANTUM_PS
        gap = rng.integers(1, 4, len(order)) * QUANTUM_PS
        loop = program.order.index(program.loop)
        body = slice(loop + 1, loop + 1 + len(program.body) * ITERATIONS)
        duration[loop] = 2 * _LOOP_PS + int((duration + gap)[body].sum())
        advance = duration + gap
        advance[loop] = _LOOP_PS
        advance[body.stop - 1] += _LOOP_PS + gap[loop]
        return cls(duration, advance)

    def run_until(self, end: int, now: int) -> int:
        """Runs the operations before place `end`, from tick `now` on; when the next one may begin."""
        piece = slice(self._next, end)
        ends = now + np.cumsum(self._advance[piece])
        self.start[piece] = ends - self._advance[piece]
        self._next = end
        return int(ends[-1]) if len(ends) else now

    def receive(self, place: int, now: int, arrival: int) -> int:
        """Waits for what another core has sent, until `arrival`; not long if it is there already."""
        end = max(now + QUANTUM_PS, arrival)
        self.start[place], self.duration[place] = now, end - now
        self._next = place + 1
        return end + QUANTUM_PS

    def meet(self, place: int, now: int, met: int) -> int:
        """Waits for the other cores until `met`."""
        self.start[place], self.duration[place] = now, met - now
        self._next = place + 1
        return met + QUANTUM_PS
