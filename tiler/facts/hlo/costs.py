"""Costs of instructions, by their shapes: FLOPs, and bytes that they read and write. As XLA counts for GPUs.

A fusion costs what its instructions do, each as often as its values are needed; it reads of its operands what they
need. Of an asynchronous pair the start has the cost. Of a call of a library that is no product nothing is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import DecodeError

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.hlo.elementwise import ELEMENTWISE, element_flops
from tilescope.tiler.facts.hlo.module import Computation, HloModule, Instruction
from tilescope.tiler.facts.hlo.products import is_library_product, product_flops
from tilescope.tiler.facts.hlo.shapes import ValueShape

# Sums of a million of these are exact.
_MOST: Final = 1 << 62

_HOST_MEMORY: Final = 5  # of a layout, on GPUs

# Not the least part of these is moved.
_FREE_NAMES: Final = """
    add-dependency after-all bitcast constant domain get-tuple-element opt-barrier parameter partition-id
    replica-id tuple all-gather-done all-reduce-done async-done async-update collective-permute-done copy-done
    recv-done send-done
"""
FREE_OPCODES: Final = frozenset(_FREE_NAMES.split())
_CALLS: Final = frozenset({"async-start", "call", "conditional", "while"})
_REDUCTIONS: Final = frozenset({"all-reduce", "all-reduce-start", "reduce-scatter"})
# Per element: indices are compared, and in the dimension that varies fastest branches diverge.
_CONCATENATED, _CONCATENATED_FAST = 6, 400
_MOST_ROOTS: Final = 64


@dataclass(frozen=True, slots=True)
class Cost:
    """Cost of running an instruction once. Bytes are those of the device's memory and of the host's together."""

    flops: int = 0
    read: int = 0
    written: int = 0
    host_read: int = 0  # of `read`, from the host's memory
    host_written: int = 0
    is_known: bool = True

    @property
    def bytes(self) -> int:
        """Both ways."""
        return self.read + self.written


class Costs:
    """Costs of a program's instructions. Those of computations are summed once."""

    def __init__(self, module: HloModule, *, is_gpu: bool = True) -> None:
        """Elsewhere than on GPUs an element that one instruction makes of others counts one FLOP."""
        self._module = module
        self._is_gpu = is_gpu
        self._computations: dict[int, Cost] = {}

    def of(self, instruction: Instruction, within: Computation) -> Cost:
        """Cost of an instruction of a computation."""
        operands = [within.instructions[operand].shape for operand in instruction.operands]
        for called in instruction.called:
            self._find(called)
        if instruction.is_fusion and instruction.called:
            return self._fusion(instruction, operands)
        if instruction.opcode in _CALLS:
            return _sum([self._computations[called] for called in instruction.called])
        if instruction.opcode == "custom-call" and not is_library_product(instruction):
            return Cost(is_known=False)
        read, written = _moved(instruction, operands)
        return Cost(
            min(_MOST, self._flops(instruction, operands)),
            min(_MOST, sum(size for size, _ in read)),
            min(_MOST, sum(size for size, _ in written)),
            min(_MOST, sum(size for size, is_host in read if is_host)),
            min(_MOST, sum(size for size, is_host in written if is_host)),
        )

    def _flops_of(self, instruction: Instruction, within: Computation) -> int:
        """The FLOPs of `of` alone: as a rule quicker."""
        if instruction.opcode == "parameter":
            return 0
        if instruction.is_fusion or instruction.opcode in _CALLS or instruction.opcode == "custom-call":
            return self.of(instruction, within).flops
        for called in instruction.called:
            self._find(called)
        operands = [within.instructions[operand].shape for operand in instruction.operands]
        return min(_MOST, self._flops(instruction, operands))

    def fused(self, instruction: Instruction) -> list[tuple[Instruction, int]]:
        """The instructions of a fusion that have FLOPs, with these, those with the most first."""
        if not instruction.is_fusion or not instruction.called:
            return []
        computation = self._module.computations[instruction.called[0]]
        needed = _needed(computation)
        with_flops = []
        for inner in computation.instructions.values():
            often = needed.get(inner.id, 0.0)
            flops = _times(self._flops_of(inner, computation), often) if often else 0
            if flops:
                with_flops.append((inner, flops))
        return sorted(with_flops, key=lambda pair: (-pair[1], pair[0].name))

    def _find(self, wanted: int) -> None:
        """Sums up the cost of a computation; those that it calls come first in the program."""
        if wanted in self._computations:
            return
        for number, computation in self._module.computations.items():
            if number not in self._computations:
                total = _sum([self.of(instruction, computation) for instruction in computation.instructions.values()])
                self._computations[number] = total
            if number == wanted:
                return

    def _region(self, instruction: Instruction) -> int:
        return self._computations[instruction.called[0]].flops if instruction.called else 0

    def _flops(self, instruction: Instruction, operands: Sequence[ValueShape]) -> int:
        elements = instruction.shape.elements
        if instruction.opcode in ELEMENTWISE:
            return elements * (element_flops(instruction) if self._is_gpu else instruction.opcode != "copy")
        product = product_flops(instruction, operands)
        if product is not None:
            return product
        first = operands[0].elements if operands else 0
        if instruction.opcode == "reduce":
            result = next(instruction.shape.leaves(), instruction.shape).elements
            return max(0, first - result) * self._region(instruction)
        if instruction.opcode in _REDUCTIONS:
            return elements * self._region(instruction)
        if instruction.opcode == "map":
            return elements * self._region(instruction)
        if instruction.opcode == "reduce-window":
            return elements * max(0, _window_size(instruction) - 1) * self._region(instruction)
        if instruction.opcode == "scatter" and len(operands) == 3:
            return operands[2].elements * self._region(instruction)
        if instruction.opcode == "sort":
            return first * max(0, (first - 1).bit_length())
        if instruction.opcode == "concatenate":
            minor = instruction.shape.layout.minor_to_major[:1] if instruction.shape.layout is not None else ()
            return elements * (_CONCATENATED_FAST if instruction.dimensions[:1] == minor else _CONCATENATED)
        return 0

    def _fusion(self, instruction: Instruction, operands: Sequence[ValueShape]) -> Cost:
        computation = self._module.computations[instruction.called[0]]
        needed = _needed(computation)
        flops, read, host_read = 0, 0, 0
        for inner in computation.instructions.values():
            often = needed.get(inner.id, 0.0)
            if inner.opcode == "parameter" and inner.parameter_number < len(operands):
                for leaf in operands[inner.parameter_number].leaves():
                    part = round(leaf.bytes * min(1.0, often))
                    read += part
                    host_read += part if _is_host(leaf) else 0
            elif often:
                flops += _times(self._flops_of(inner, computation), often)
        written, host_written = 0, 0
        root = computation.root_instruction
        results = [computation.instructions[part] for part in root.operands] if root.opcode == "tuple" else [root]
        for result in results:
            for leaf in result.shape.leaves():
                size = _update(result, computation) or leaf.bytes
                written += size
                host_written += size if _is_host(leaf) else 0
        flops, read, written, host_read, host_written = (
            min(_MOST, part) for part in (flops, read, written, host_read, host_written)
        )
        return Cost(flops, read, written, host_read, host_written)


def _times(flops: int, often: float) -> int:
    return flops if often == 1.0 else int(flops * often)


def _sum(costs: Sequence[Cost]) -> Cost:
    def total(name: str) -> int:
        return min(_MOST, sum(int(getattr(cost, name)) for cost in costs))

    return Cost(
        total("flops"),
        total("read"),
        total("written"),
        total("host_read"),
        total("host_written"),
        all(cost.is_known for cost in costs),
    )


def _is_host(shape: ValueShape) -> bool:
    return shape.layout is not None and shape.layout.memory_space == _HOST_MEMORY


def _moved(
    instruction: Instruction, operands: Sequence[ValueShape]
) -> tuple[list[tuple[int, bool]], list[tuple[int, bool]]]:
    """Reads and writes: sizes, and whether they are in the host's memory."""
    opcode, written = instruction.opcode, _sizes(instruction.shape)
    if opcode in FREE_OPCODES:
        return [], []
    if opcode in ("slice", "dynamic-slice"):
        source = _is_host(operands[0]) if operands else False
        return [(size, source) for size, _ in written], written
    if opcode == "dynamic-update-slice" and len(operands) > 1:
        update = _sizes(operands[1])
        return update, [(size, _is_host(instruction.shape)) for size, _ in update]
    if opcode == "gather" and len(operands) > 1:
        return [*written, *_sizes(operands[1])], written
    if opcode == "scatter" and len(operands) == 3:
        return [*_sizes(operands[1]), *_sizes(operands[2]), *_sizes(operands[2])], _sizes(operands[2])
    if opcode in ("copy-start", "all-gather-start", "collective-permute-start") and instruction.shape.is_tuple:
        written = (
            _sizes(instruction.shape.parts[0 if opcode == "copy-start" else 1])
            if len(instruction.shape.parts) > 1
            else []
        )
    if opcode == "custom-call" and instruction.shape.parts:
        written = _sizes(instruction.shape.parts[0])
    return [size for operand in operands for size in _sizes(operand)], written


def _sizes(shape: ValueShape) -> list[tuple[int, bool]]:
    return [(leaf.bytes, _is_host(leaf)) for leaf in shape.leaves()]


def _window_size(instruction: Instruction) -> int:
    try:
        size = 1
        for dimension in pb.Window.FromString(instruction.window).dimensions:
            size = min(_MOST, size * max(0, dimension.size))
    except DecodeError:
        return 0
    return size


def _update(instruction: Instruction, within: Computation) -> int:
    """Bytes that are written where a value is updated in place; 0: it is not."""
    while instruction.opcode == "bitcast" and instruction.operands:
        instruction = within.instructions[instruction.operands[0]]
    if instruction.opcode != "dynamic-update-slice" or len(instruction.operands) < 2:
        return 0
    return within.instructions[instruction.operands[1]].shape.bytes


def _needed(computation: Computation) -> dict[int, float]:
    """Runs of each instruction of a fusion: 1 for all of its value once.

    Uses of a value at the same places count once, however many they are; a value that is needed at its own places and
    at others, by a user that looks at it in another order, is made twice.
    """
    needed: dict[int, float] = {computation.root: 1.0}
    by_root: dict[int, dict[int, float]] = {computation.root: {computation.root: 1.0}}
    for instruction in reversed(computation.instructions.values()):
        roots = by_root.pop(instruction.id, None)
        if not roots:
            continue
        often = needed[instruction.id] = sum(roots.values())
        is_through = instruction.opcode in ELEMENTWISE or instruction.opcode in (
            "tuple",
            "get-tuple-element",
            "bitcast",
        )
        for place, number in enumerate(instruction.operands):
            uses = by_root.setdefault(number, {})
            if is_through:
                for root, share in roots.items():
                    if len(uses) < _MOST_ROOTS:
                        uses[root] = max(share, uses.get(root, 0.0))
            elif len(uses) < _MOST_ROOTS:
                uses[instruction.id] = often * _part(instruction, place, computation.instructions[number].shape)
    return needed


def _part(instruction: Instruction, place: int, operand: ValueShape) -> float:
    """Part of an operand that is read."""
    elements = operand.elements
    if instruction.opcode in ("slice", "dynamic-slice", "gather") and place == 0:
        return min(1.0, instruction.shape.elements / elements) if elements else 0.0
    if instruction.opcode == "dynamic-update-slice" and place == 0:
        return 0.0
    return 1.0
