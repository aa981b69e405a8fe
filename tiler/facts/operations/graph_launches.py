"""The instructions of a program that launch something when a graph of it runs, in the order in which they do.

A graph is a command buffer of XLA, which is recorded from instructions that run one after the other: those of a
computation that a `call` runs, or, of newer programs, some of those of the entry computation.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tilescope.tiler.facts.hlo import Computation, HloModule, Instruction
from tilescope.tiler.facts.hlo.costs import FREE_OPCODES
from tilescope.tiler.query import Interruptible

_CONTROL: Final = frozenset({"async-start", "call", "conditional", "while"})
# Kernels of these may be those of libraries, with names that are not of instructions.
_LIBRARY: Final = frozenset({"cholesky", "convolution", "custom-call", "dot", "fft", "sort", "triangular-solve"})
_COLLECTIVE: Final = re.compile(r"(?:all-|collective-|reduce-scatter|ragged-all)")

_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_$]")


def kernel_name(instruction: str) -> str:
    """The name of the kernel that XLA makes for an instruction, unless it uses that of a like one."""
    return _NOT_IN_NAMES.sub("_", instruction)


@dataclass(frozen=True, slots=True)
class LaunchingInstruction:
    """An instruction that launches something."""

    name: str
    kernel: str  # the name of its kernel
    likeness: Hashable  # instructions of one may share a kernel: the first of them gives it its name
    may_use_library: bool
    is_control: bool  # runs others, any number of times
    is_apart: bool  # the trace has it outside of graphs


@dataclass(frozen=True, slots=True)
class GraphLaunches:
    """Instructions that may be in a graph, and how it is bounded."""

    order: Sequence[LaunchingInstruction]
    is_ordered: bool  # they run in this order; else the program does not say in which
    is_whole: bool  # all of them are in the graph; else some that follow each other in the order
    owners: Mapping[str, Sequence[str]]  # instructions anywhere in the program by the name of their kernel
    # Of instructions in other computations, which the graph may run too, names of kernels by likeness.
    elsewhere: Mapping[Hashable, Sequence[str]] = field(default_factory=dict)


class ProgramLaunches:
    """Looks them up for the graphs of one program."""

    def __init__(
        self,
        module: HloModule,
        likeness: Mapping[int, int],
        owners: Mapping[str, Sequence[str]],
        launching: Collection[int],
    ) -> None:
        """`likeness`: of each computation a number, which those of the same instructions share.

        `launching`: computations whose instructions have kernels.
        """
        self._module = module
        self._likeness = likeness
        self._owners = owners
        self._launching = launching

    @classmethod
    def from_module(cls, module: HloModule) -> Interruptible[ProgramLaunches]:
        """Launches of a program."""
        numbers: dict[Hashable, int] = {}
        likeness: dict[int, int] = {}
        fused: set[int] = set()
        for computation in module.computations.values():  # callees come first
            place = {key: position for position, key in enumerate(computation.instructions)}
            parts: list[Hashable] = [place[computation.root]]
            for position, instruction in enumerate(computation.instructions.values()):
                operands = tuple(place[operand] for operand in instruction.operands)
                parts.append((*_form(instruction, likeness), operands))
                if instruction.opcode not in _CONTROL:
                    fused.update(instruction.called)
                if position % _AT_ONCE == 0:
                    yield
            likeness[computation.id] = numbers.setdefault(tuple(parts), len(numbers))
        owners: dict[str, list[str]] = {}
        launching: set[int] = set()
        for computation in module.computations.values():
            if computation.id in fused or computation.is_fusion:
                continue
            launching.add(computation.id)
            for instruction in computation.instructions.values():
                if instruction.opcode not in FREE_OPCODES:
                    owners.setdefault(kernel_name(instruction.name), []).append(instruction.name)
            yield
        return cls(module, likeness, owners, launching)

    def graph(self, name: str, apart: Collection[str]) -> Interruptible[GraphLaunches | None]:
        """The instructions of a graph; None: an instruction has its name, which is no graph.

        `apart`: instructions that run outside of graphs.
        """
        if name not in self._module.within:
            return (yield from self._launches(self._module.entry_computation, apart, is_whole=False))
        instruction = self._module.within[name][1]
        if instruction.opcode != "call" or not instruction.called:
            return None
        called = self._module.computations[instruction.called[0]]
        return (yield from self._launches(called, apart, is_whole=True))

    def _launches(
        self, computation: Computation | None, apart: Collection[str], *, is_whole: bool
    ) -> Interruptible[GraphLaunches]:
        order = []
        schedule = None if computation is None else self._module.schedule.get(computation.id)
        if computation is not None:
            for place, number in enumerate(computation.instructions if schedule is None else schedule):
                if place % _AT_ONCE == 0:
                    yield
                instruction = computation.instructions[number]
                if instruction.opcode in FREE_OPCODES:
                    continue
                launch = LaunchingInstruction(
                    instruction.name,
                    kernel_name(instruction.name),
                    self._likeness_of(computation, instruction),
                    _may_use_library(instruction),
                    instruction.opcode in _CONTROL,
                    instruction.name in apart,
                )
                order.append(launch)
        is_alone = is_whole and not any(launch.is_control for launch in order)
        elsewhere = {} if is_alone else (yield from self._elsewhere(computation, order))
        return GraphLaunches(order, schedule is not None, is_whole, self._owners, elsewhere)

    def _elsewhere(
        self, computation: Computation | None, order: Sequence[LaunchingInstruction]
    ) -> Interruptible[Mapping[Hashable, Sequence[str]]]:
        """The kernels of instructions of other computations that are like those of an order, by likeness."""
        kernels: dict[Hashable, list[str]] = {}
        likenesses = {launch.likeness for launch in order}
        for other in self._module.computations.values():
            if other.id not in self._launching or (computation is not None and other.id == computation.id):
                continue
            for place, instruction in enumerate(other.instructions.values()):
                if place % _AT_ONCE == 0:
                    yield
                if instruction.opcode not in FREE_OPCODES:
                    likeness = self._likeness_of(other, instruction)
                    if likeness in likenesses:
                        kernels.setdefault(likeness, []).append(kernel_name(instruction.name))
        return kernels

    def _likeness_of(self, computation: Computation, instruction: Instruction) -> Hashable:
        operands = tuple(computation.instructions[operand].shape for operand in instruction.operands)
        return _form(instruction, self._likeness), operands


_AT_ONCE: Final = 512


def _form(instruction: Instruction, likeness: Mapping[int, int]) -> tuple[Hashable, ...]:
    """An instruction without its name and operands: alike for all that compute the same."""
    return (
        instruction.opcode,
        instruction.shape,
        tuple(likeness[called] for called in instruction.called),
        instruction.fusion_kind,
        instruction.custom_call_target,
        instruction.dimensions,
        instruction.parameter_number,
        instruction.tuple_index,
        instruction.window,
        instruction.dimension_numbers,
    )


def _may_use_library(instruction: Instruction) -> bool:
    is_custom = instruction.is_fusion and instruction.fusion_kind == "kCustom"
    return is_custom or instruction.opcode in _LIBRARY or _COLLECTIVE.match(instruction.opcode) is not None
