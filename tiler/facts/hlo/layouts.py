"""Layout of values in memory: meaning of each dimension, what it is rounded up to, and the padding."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from google.protobuf.message import DecodeError

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler.facts.hlo.module import HloModule, Instruction
from tilescope.tiler.facts.hlo.shapes import ArrayLayout, ValueShape, element_type

# "bf16[256,224,3]{2,0,1:T(8,128)(2,1)S(1)}"
_ARRAY: Final = re.compile(
    r"(?P<element>[a-z][a-z0-9]*)\[(?P<sizes>[0-9,]*)\](?:\{(?P<order>[0-9,]*)(?::(?P<more>[^}]*))?\})?"
)
_TILES: Final = re.compile(r"T((?:\([0-9,*]+\))+)")
_ELEMENT_BITS: Final = re.compile(r"E\(([0-9]{1,4})\)")
_LONGEST_TEXT: Final = 1 << 16
_MOST_DIMENSIONS: Final = 64
_MOST_DIGITS: Final = 13
_MOST_BITS: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class LayoutDimension:
    """One dimension of an array."""

    size: int
    alignment: int  # that memory rounds it up to; 1 none
    meaning: str = ""  # "batch", "feature" or "spatial" of a convolution

    @property
    def padded(self) -> int:
        """Its size in memory."""
        return -(-self.size // self.alignment) * self.alignment

    @property
    def text(self) -> str:
        """Such as "3 feature, rounded up to 128"."""
        size_and_meaning = f"{self.size:,} {self.meaning}".rstrip()
        return size_and_meaning if self.padded == self.size else f"{size_and_meaning}, rounded up to {self.padded:,}"


def shape_of_text(text: str) -> ValueShape | None:
    """The array that a text is about, or the tuple of its arrays; None: it is cut short, or makes no sense."""
    if len(text) > _LONGEST_TEXT or text.count("(") != text.count(")"):
        return None
    parsed_arrays = [_array(match) for match in _ARRAY.finditer(text)]
    arrays = [array for array in parsed_arrays if array is not None]
    if not arrays or len(arrays) != len(parsed_arrays):
        return None
    return arrays[0] if len(arrays) == 1 and not text.startswith("(") else ValueShape(13, parts=tuple(arrays))


def _array(match: re.Match[str]) -> ValueShape | None:
    kind = element_type(match["element"])
    sizes, order = _numbers(match["sizes"]), _numbers(match["order"] or "")
    if kind is None or sizes is None or order is None or sorted(order) != list(range(len(sizes))):
        return None
    more = match["more"] or ""
    tiles = _TILES.search(more)
    of_tiles = tuple(_numbers(tile, 0) or () for tile in re.findall(r"\(([0-9,*]+)\)", tiles[1])) if tiles else ()
    bits = _ELEMENT_BITS.search(more)
    shape = ValueShape(kind, sizes, (), ArrayLayout(order, of_tiles, int(bits[1]) if bits else 0))
    size = max(1, shape.element_bits)
    for dimension in shape.padded_dimensions:
        size *= max(1, dimension)
    return shape if size < _MOST_BITS else None


def _numbers(text: str, star: int | None = None) -> tuple[int, ...] | None:
    parts = text.split(",") if text else []
    if len(parts) > _MOST_DIMENSIONS or any(len(part) > _MOST_DIGITS for part in parts):
        return None
    try:
        return tuple(star if part == "*" and star is not None else int(part) for part in parts)
    except ValueError:
        return None


def padding(shape: ValueShape) -> float | None:
    """The part of the memory of a value that is padding; None: it takes none."""
    padded = shape.padded_bytes
    return 1 - shape.bytes / padded if padded else None


def layout_dimensions(shape: ValueShape, meanings: Mapping[int, str]) -> list[LayoutDimension]:
    """Dimensions of an array, from the one that varies slowest in memory to the one that varies fastest."""
    layout = shape.layout
    order = layout.minor_to_major if layout is not None else ()
    if sorted(order) != list(range(len(shape.dimensions))):
        order = tuple(reversed(range(len(shape.dimensions))))
    aligned = shape.alignments
    return [
        LayoutDimension(shape.dimensions[place], aligned[place], meanings.get(place, "")) for place in reversed(order)
    ]


def meanings(module: HloModule, instruction: Instruction) -> dict[int, str]:
    """Meanings of the dimensions of a value, if a convolution makes it."""
    if instruction.is_fusion and instruction.called:
        computation = module.computations[instruction.called[0]]
        same = [
            fused
            for fused in computation.instructions.values()
            if fused.opcode == "convolution" and fused.shape.dimensions == instruction.shape.dimensions
        ]
        return meanings(module, same[0]) if same else {}
    if not instruction.dimension_numbers or instruction.opcode not in ("convolution", "custom-call"):
        return {}
    try:
        numbers = pb.ConvolutionDimensionNumbers.FromString(instruction.dimension_numbers)
    except DecodeError:
        return {}
    if not numbers.output_spatial_dimensions:
        return {}
    return {
        **dict.fromkeys(numbers.output_spatial_dimensions, "spatial"),
        numbers.output_batch_dimension: "batch",
        numbers.output_feature_dimension: "feature",
    }
