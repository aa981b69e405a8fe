"""FLOPs of products of matrices and of convolutions: two for each product that is summed up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from google.protobuf.message import DecodeError

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.hlo.module import Instruction
from tilescope.tiler.facts.hlo.shapes import ValueShape

_MOST_POSITIONS: Final = 1 << 16  # of a window, that are looked at one by one
_GEMMS: Final = ("__cublas$gemm", "__cublas$lt$matmul")
_CONVOLUTION: Final = "__cudnn$conv"


def product_flops(instruction: Instruction, operands: Sequence[ValueShape]) -> int | None:
    """FLOPs of a dot, a convolution, or a call of a library for one; None: it is none, or makes no sense."""
    result = instruction.shape.parts[0] if instruction.shape.parts else instruction.shape  # others are scratch memory
    if len(operands) < 2:
        return None
    left, right = operands[0], operands[1]
    try:
        if instruction.opcode == "dot":
            return _dot(
                pb.DotDimensionNumbers.FromString(instruction.dimension_numbers).lhs_contracting_dimensions,
                left,
                result,
            )
        if instruction.opcode == "convolution":
            return _convolution(instruction, left, right, result)
        target = instruction.custom_call_target
        if target.startswith(_GEMMS):
            return _dot(_contracting(instruction.backend_config), left, result)
        if target.startswith(f"{_CONVOLUTION}BackwardInput"):
            return _convolution(instruction, result, right, left)
        if target.startswith(f"{_CONVOLUTION}BackwardFilter"):
            return _convolution(instruction, left, result, right)
        if target.startswith(_CONVOLUTION):
            return _convolution(instruction, left, right, result)
    except (DecodeError, IndexError, ValueError, msgspec.MsgspecError):
        return None
    return None


def is_library_product(instruction: Instruction) -> bool:
    """True if it calls a library for a product, and has scratch memory beside its value."""
    return instruction.custom_call_target.startswith((*_GEMMS, _CONVOLUTION))


def _dot(contracting: Sequence[int], left: ValueShape, result: ValueShape) -> int:
    flops = 2 * result.elements
    for dimension in contracting:
        flops *= _size_at(left, dimension)
    return flops


def _contracting(backend_config: bytes) -> list[int]:
    backend: Any = msgspec.json.decode(backend_config)
    config = backend.get("gemm_backend_config", backend)
    return [int(dimension) for dimension in config["dot_dimension_numbers"]["lhs_contracting_dimensions"]]


def _convolution(instruction: Instruction, image: ValueShape, kernel: ValueShape, result: ValueShape) -> int:
    numbers = pb.ConvolutionDimensionNumbers.FromString(instruction.dimension_numbers)
    window = pb.Window.FromString(instruction.window).dimensions
    flops = (
        2 * _size_at(image, numbers.input_batch_dimension) * _size_at(kernel, numbers.kernel_output_feature_dimension)
    )
    flops *= _size_at(kernel, numbers.kernel_input_feature_dimension)
    spatial = numbers.input_spatial_dimensions, numbers.kernel_spatial_dimensions, numbers.output_spatial_dimensions
    if not len(window) == len(spatial[0]) == len(spatial[1]) == len(spatial[2]):
        raise ValueError("a convolution whose dimensions differ")
    for along, *dimensions in zip(window, *spatial, strict=True):
        sizes = [
            _size_at(shape, dimension) for shape, dimension in zip((image, kernel, result), dimensions, strict=True)
        ]
        flops *= _positions(along, *sizes)
    return flops // max(1, instruction.batch_groups)


def _positions(along: pb.WindowDimension, image: int, kernel: int, result: int) -> int:
    """Number of times that a place of the kernel falls on one of the image, and not on padding or between places."""
    base, stride, step = max(1, along.base_dilation), max(1, along.stride), max(1, along.window_dilation)
    if along.padding_low == along.padding_high == 0 and base == 1:
        return kernel * result
    if kernel > _MOST_POSITIONS:
        return kernel * result
    reach = (image - 1) * base + 1
    return sum(_on_image(place * step - along.padding_low, stride, base, reach, result) for place in range(kernel))


def _on_image(first: int, stride: int, base: int, reach: int, count: int) -> int:
    """Number of first, first + stride … (`count` of them) in [0, reach) that are multiples of `base`."""
    begin = (stride - 1 - first) // stride if first < 0 else 0
    stop = min(count, -(-(reach - first) // stride)) if reach > first else 0
    if base == 1:
        return max(0, stop - begin)
    if stride % base == 0:
        return max(0, stop - begin) if first % base == 0 else 0
    return sum((first + k * stride) % base == 0 for k in range(begin, min(stop, begin + _MOST_POSITIONS)))


def _size_at(shape: ValueShape, dimension: int) -> int:
    if not 0 <= dimension < len(shape.dimensions):
        raise IndexError(dimension)
    return shape.dimensions[dimension]
