"""Operations that run on a matrix unit, and how much of it they use."""

from __future__ import annotations

from collections.abc import Mapping

from tilescope.tiler.facts.hlo.layouts import shape_of_text
from tilescope.tiler.facts.hlo.matrix_use import MatrixUse, use_of_result
from tilescope.tiler.facts.operations import Instructions, Operation
from tilescope.tiler.facts.operations.program_instructions import InstructionFacts
from tilescope.tiler.facts.step_times.parts import StepPart, part_of_category
from tilescope.tiler.query import Interruptible, QueryReader


def is_product(operation: Operation) -> bool:
    """True of convolutions and matrix products, and of what is fused with them: work of a matrix unit."""
    return part_of_category(operation.metadata.category) is StepPart.HIGH_FLOPS


def operation_matrix_use(operation: Operation, facts: InstructionFacts) -> MatrixUse | None:
    """Use by an operation: as its program says, or else as its result does; None: it is no product, or neither does."""
    return facts.matrix_use or _use_of_result(operation, facts.meanings)


def read_matrix_use(reader: QueryReader, operation: Operation) -> Interruptible[MatrixUse | None]:
    """The same, for which the program is read only where the result has a layout in tiles: on GPUs none has."""
    if _use_of_result(operation, {}) is None:
        return None
    return operation_matrix_use(operation, (yield from Instructions(reader, is_gpu=False).facts(operation)))


def _use_of_result(operation: Operation, meanings: Mapping[int, str]) -> MatrixUse | None:
    shape = shape_of_text(operation.metadata.shape) if is_product(operation) else None
    return None if shape is None or shape.is_tuple else use_of_result(shape, meanings)
