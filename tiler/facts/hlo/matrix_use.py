"""Used share of a matrix unit: multiplications that a product needs, of those that it does with its padding.

A matrix product or convolution multiplies each element of its result with each of the contracted dimensions. The
layout of the result rounds up the ones, those of the operands the others: where they differ, the operand that is
rounded up further counts, as both go through the unit together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Final

from google.protobuf.message import DecodeError

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.hlo.layouts import LayoutDimension, layout_dimensions, meanings
from tilescope.tiler.facts.hlo.module import Computation, HloModule, Instruction
from tilescope.tiler.facts.hlo.shapes import ValueShape

PRODUCTS: Final = ("dot", "convolution")
CONTRACTED: Final = "contracted"

# Of a product; no compiler has arrays of more.
_MOST_DIMENSIONS: Final = 64


@dataclass(frozen=True, slots=True)
class MatrixUse:
    """Multiplications of products, as many as they need and with padding: both are at least 1.

    `dimensions` are those of the product that loses most: of its result, and the contracted ones, unless these are not
    known. `more`: products beside it.
    """

    needed: int
    padded: int
    dimensions: tuple[LayoutDimension, ...]
    is_of_result_alone: bool = False
    more: int = 0

    @property
    def share(self) -> float:
        """Part of the multiplications that are needed: above 0, and 1 without padding."""
        return self.needed / self.padded

    @property
    def text(self) -> str:
        """Such as "batch 16 padded to 128 × feature 3 padded to 8"."""
        padded = [
            f"{dimension.meaning} {dimension.size:,} padded to {dimension.padded:,}".lstrip()
            for dimension in self.dimensions
            if dimension.padded != dimension.size
        ]
        text = " × ".join(padded) or "nothing is padded"
        if self.more:
            text += f", and {self.more:,} more product{'' if self.more == 1 else 's'}"
        return f"{text} (of the result alone)" if self.is_of_result_alone else text


def use_of_dimensions(
    dimensions: Sequence[LayoutDimension], repeats: int = 1, *, is_of_result_alone: bool = False
) -> MatrixUse | None:
    """Use by so many products of such dimensions; None: they multiply nothing, or there are more than 64 dimensions."""
    if len(dimensions) > _MOST_DIMENSIONS:
        return None
    needed = repeats * prod(dimension.size for dimension in dimensions)
    padded = repeats * prod(dimension.padded for dimension in dimensions)
    return MatrixUse(needed, padded, tuple(dimensions), is_of_result_alone) if needed else None


def use_of_result(shape: ValueShape, meanings: Mapping[int, str]) -> MatrixUse | None:
    """Use by a product of which no more than its result is known; None: that has no layout in tiles, or no elements."""
    return use_of_dimensions(layout_dimensions(shape, meanings), is_of_result_alone=True) if _has_tiles(shape) else None


def matrix_use(module: HloModule, within: Computation, instruction: Instruction) -> MatrixUse | None:
    """Use by an instruction, or by all products fused in it; None: it has none, or their layouts do not say."""
    uses: list[MatrixUse] = []
    waiting, seen = [(within, instruction)], set[int]()
    while waiting:
        computation, current = waiting.pop()
        if current.opcode in PRODUCTS:
            use = _product_use(module, computation, current)
            if use is None:
                return None
            uses.append(use)
        elif current.is_fusion:
            for called in set(current.called) - seen:
                seen.add(called)
                fused = module.computations[called]
                waiting += [(fused, inner) for inner in fused.instructions.values()]
    if not uses or (len(uses) > 1 and any(use.is_of_result_alone for use in uses)):
        return None
    return replace(
        max(uses, key=lambda use: use.padded - use.needed),
        needed=sum(use.needed for use in uses),
        padded=sum(use.padded for use in uses),
        more=len(uses) - 1,
    )


def _product_use(module: HloModule, within: Computation, instruction: Instruction) -> MatrixUse | None:
    of_result = use_of_result(instruction.shape, meanings(module, instruction))
    operands = [within.instructions.get(operand) for operand in instruction.operands]
    shapes = [operand.shape for operand in operands if operand is not None]
    if of_result is None or len(shapes) != 2 or len(operands) != 2:
        return of_result
    try:
        contracted, window = _contracted(instruction, *shapes)
    except (DecodeError, IndexError):
        return of_result
    dimensions = [*of_result.dimensions, *(dimension for dimension in contracted if dimension is not None)]
    return of_result if None in contracted else use_of_dimensions(dimensions, window)


def _contracted(
    instruction: Instruction, left: ValueShape, right: ValueShape
) -> tuple[list[LayoutDimension | None], int]:
    """Contracted dimensions, None where neither layout says; and the places of a window. Raises IndexError."""
    if instruction.opcode == "dot":
        dot = pb.DotDimensionNumbers.FromString(instruction.dimension_numbers)
        left_places = _checked(left, dot.lhs_contracting_dimensions)
        right_places = _checked(right, dot.rhs_contracting_dimensions)
        if len(left_places) != len(right_places):
            raise IndexError(f"{len(left_places)} dimensions with {len(right_places)}")
        pairs = zip(left_places, right_places, strict=True)
        return [_contracted_dimension((right, of_right), (left, of_left)) for of_left, of_right in pairs], 1
    numbers = pb.ConvolutionDimensionNumbers.FromString(instruction.dimension_numbers)
    feature, *window = _checked(right, [numbers.kernel_input_feature_dimension, *numbers.kernel_spatial_dimensions])
    (image_feature,) = _checked(left, [numbers.input_feature_dimension])
    contracted = _contracted_dimension((right, feature), (left, image_feature))
    return [contracted], prod(right.dimensions[place] for place in window)


def _checked(shape: ValueShape, places: Sequence[int]) -> Sequence[int]:
    """Places of dimensions. Raises IndexError if a shape has not all of them, or one comes twice."""
    if len(places) > _MOST_DIMENSIONS or len(set(places)) != len(places):
        raise IndexError(f"{len(places)} dimensions, not all different")
    if any(not 0 <= place < len(shape.dimensions) for place in places):
        raise IndexError(f"{len(shape.dimensions)} dimensions have no such place")
    return places


def _contracted_dimension(*sides: tuple[ValueShape, int]) -> LayoutDimension | None:
    """A dimension of operands, as the one has it that rounds it up further.

    Its size is that of the first one, the kernel: the image of a convolution in groups has the features of all groups.
    """
    shape, place = sides[0]
    size = shape.dimensions[place]
    alignments = [
        shape.alignments[place] for shape, place in sides if _has_tiles(shape) and shape.dimensions[place] == size
    ]
    dimensions = [LayoutDimension(size, alignment, CONTRACTED) for alignment in alignments]
    return max(dimensions, key=lambda dimension: dimension.padded, default=None)


def _has_tiles(shape: ValueShape) -> bool:
    """True if its layout says how each dimension is padded."""
    layout = shape.layout
    if layout is None or not layout.tiles:
        return False
    return sorted(layout.minor_to_major) == list(range(len(shape.dimensions)))
