"""Instructions of programs with a loop: whatever is attributed to a kernel of a graph is what the kernel ran for."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import pytest

from tests.hlo_protos import computation, hlo_proto, instruction, schedule, shape
from tilescope.tiler.facts.hlo.parsing import parse_module
from tilescope.tiler.facts.operations.graph_attribution import Attribution, GraphKernel
from tilescope.tiler.facts.operations.graph_launches import ProgramLaunches, kernel_name
from tilescope.tiler.query import finish

F = shape("f32", 100)
OPCODES = ("add", "negate", "tanh", "multiply")

Instruction = tuple[str, str]  # opcode and name
Kernel = tuple[str, str]  # name, and the instruction that it runs


class RandomProgram:
    """A program that runs a loop, some instructions of which compute the same as others and share their kernels."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._count = 0
        self._owners: dict[str, str] = {}
        body, body_order, self.body = self._computation(2, rng.randrange(1, 4), loop=-1)
        size = rng.randrange(2, 9)
        main, order, self.main = self._computation(1, size, loop=rng.randrange(size))
        self.proto = hlo_proto("f", body, main, schedule=schedule({2: body_order, 1: order}))
        self._kernels = {name: self._named(opcode, name) for opcode, name in self._in_order()}

    def _computation(self, number: int, size: int, loop: int) -> tuple[bytes, list[int], list[Instruction]]:
        self._count += 1
        parameter = self._count
        parts, order, instructions = [instruction(parameter, f"p.{number}", "parameter", F)], [parameter], []
        for place in range(size):
            self._count += 1
            opcode = "dot" if self._rng.random() < 0.25 else self._rng.choice(OPCODES)
            opcode = "while" if place == loop else opcode
            called = [2] if opcode == "while" else []
            name = f"{opcode}.{self._count}"
            parts.append(instruction(self._count, name, opcode, F, parameter, called_computation_ids=called))
            order.append(self._count)
            instructions.append((opcode, name))
        return computation(number, f"c.{number}", *parts), order, instructions

    def _in_order(self) -> Iterator[Instruction]:
        for opcode, name in self.main:
            yield from self.body if opcode == "while" else [(opcode, name)]

    def _named(self, opcode: str, name: str) -> list[str]:
        """Names of the kernels of an instruction: of like ones that of the first."""
        if opcode == "dot":
            return ["gemm"] * self._rng.choice([1, 1, 2])
        return [kernel_name(self._owners.setdefault(opcode, name))]

    @property
    def names(self) -> set[str]:
        """Names of all kernels."""
        return {kernel for kernels in self._kernels.values() for kernel in kernels}

    def kernels(self, instructions: Sequence[Instruction], times: int) -> Iterator[Kernel]:
        """The kernels of instructions that follow each other; `times`: how often a loop runs."""
        for opcode, name in instructions:
            if opcode == "while":
                for _ in range(times):
                    yield from self.kernels(self.body, 0)
            else:
                yield from ((kernel, name) for kernel in self._kernels[name])


@pytest.mark.parametrize("seed", range(8))
def test_what_is_attributed_is_what_ran(seed: int) -> None:
    attributed = 0
    for number in range(300):
        rng = random.Random(1000 * seed + number)
        program = RandomProgram(rng)
        first = rng.randrange(len(program.main))
        graph = program.main[first : rng.randrange(first, len(program.main)) + 1]
        if rng.random() < 0.4:  # a graph of the loop
            graph = program.body
        apart = [name for _, name in program.main + program.body] if rng.random() < 0.3 else []
        ran = list(program.kernels(graph, rng.randrange(3)))
        launches = finish(ProgramLaunches.from_module(finish(parse_module(program.proto))))
        instructions = finish(launches.graph("command_buffer", apart))
        assert instructions is not None
        results = Attribution(instructions, program.names).attribute([GraphKernel(name, True) for name, _ in ran])
        for (_, name), result in zip(ran, results, strict=True):
            assert result is None or result.instruction == name, (ran, results, program.main, program.body)
            attributed += result is not None
    assert attributed > 50
