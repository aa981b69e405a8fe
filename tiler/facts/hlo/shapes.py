"""Shapes of values in a program, and how many bytes they take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Final

TUPLE: Final = 13
# Of the pointers that a tuple is made of.
POINTER_BYTES: Final = 8

# Name and bits of each element type. Tuples, opaque values, tokens and buffers have no elements.
_TYPES: Final = {
    1: ("pred", 8),
    2: ("s8", 8),
    3: ("s16", 16),
    4: ("s32", 32),
    5: ("s64", 64),
    6: ("u8", 8),
    7: ("u16", 16),
    8: ("u32", 32),
    9: ("u64", 64),
    10: ("f16", 16),
    11: ("f32", 32),
    12: ("f64", 64),
    13: ("tuple", 0),
    14: ("opaque", 0),
    15: ("c64", 64),
    16: ("bf16", 16),
    17: ("token", 0),
    18: ("c128", 128),
    19: ("f8e5m2", 8),
    20: ("f8e4m3fn", 8),
    21: ("s4", 4),
    22: ("u4", 4),
    23: ("f8e4m3b11fnuz", 8),
    24: ("f8e5m2fnuz", 8),
    25: ("f8e4m3fnuz", 8),
    26: ("s2", 2),
    27: ("u2", 2),
    28: ("f8e4m3", 8),
    29: ("f8e3m4", 8),
    30: ("s1", 1),
    31: ("u1", 1),
    32: ("f4e2m1fn", 4),
    33: ("f8e8m0fnu", 8),
    34: ("buffer", 0),
}

_BY_NAME: Final = {name: number for number, (name, _) in _TYPES.items()}


def element_type(name: str) -> int | None:
    """The number of an element type; None: there is none of that name."""
    return _BY_NAME.get(name)


@dataclass(frozen=True, slots=True)
class ArrayLayout:
    """Layout of the elements of an array in memory."""

    minor_to_major: tuple[int, ...] = ()
    tiles: tuple[tuple[int, ...], ...] = ()
    element_bits: int = 0  # 0: those of the type
    memory_space: int = 0  # 0: the device's main one
    tail_padding: int = 0  # elements that the whole is a multiple of; 0 and 1: of no number

    @property
    def text(self) -> str:
        """As programs have it: "{1,0:T(8,128)S(1)}"."""
        tiles = "".join(f"({','.join('*' if size < 0 else str(size) for size in tile)})" for tile in self.tiles)
        more = [
            f"T{tiles}" if tiles else "",
            f"L({self.tail_padding})" if self.tail_padding > 1 else "",
            f"E({self.element_bits})" if self.element_bits else "",
            f"S({self.memory_space})" if self.memory_space else "",
        ]
        after = "".join(more)
        return f"{{{','.join(map(str, self.minor_to_major))}{':' + after if after else ''}}}"


@dataclass(frozen=True, slots=True)
class ValueShape:
    """Shape of an array, or of a tuple of shapes. No dimension is negative."""

    element_type: int = 0
    dimensions: tuple[int, ...] = ()
    parts: tuple[ValueShape, ...] = ()  # of a tuple
    layout: ArrayLayout | None = None
    _texts: list[str] = field(default_factory=list, init=False, repr=False, compare=False)  # once it was asked for

    @property
    def is_tuple(self) -> bool:
        """True if it is a tuple of other shapes."""
        return self.element_type == TUPLE

    @property
    def element(self) -> str:
        """The name of the element type, such as "bf16"."""
        return _TYPES.get(self.element_type, (f"type {self.element_type}", 0))[0]

    @property
    def element_bits(self) -> int:
        """Bits of an element in memory: 4 of an s4 whose layout packs it, else those of its type."""
        if self.layout is not None and self.layout.element_bits:
            return self.layout.element_bits
        bits = _TYPES.get(self.element_type, ("", 0))[1]
        return bits if bits >= 8 or not bits else 8

    @property
    def elements(self) -> int:
        """Number of elements of an array; of a tuple all of its parts'."""
        return sum(part.elements for part in self.parts) if self.is_tuple else prod(self.dimensions)

    @property
    def bytes(self) -> int:
        """Without padding; of a tuple those of its parts, without its pointers."""
        if self.is_tuple:
            return sum(part.bytes for part in self.parts)
        return -(-prod(self.dimensions) * self.element_bits // 8)

    @property
    def padded_bytes(self) -> int:
        """With what the tiles of the layout add."""
        if self.is_tuple:
            return sum(part.padded_bytes for part in self.parts)
        return -(-prod(self.padded_dimensions) * self.element_bits // 8)

    @property
    def padded_dimensions(self) -> tuple[int, ...]:
        """Dimensions as they lie in memory: each rounded up to the size of its tile."""
        aligned = self.alignments
        return tuple(-(-size // by) * by for size, by in zip(self.dimensions, aligned, strict=True))

    @property
    def alignments(self) -> tuple[int, ...]:
        """Multiple to which each dimension is rounded up: the size of its tile, 1 where it has none."""
        alignments = [1] * len(self.dimensions)
        layout = self.layout
        if layout is None or not layout.tiles or len(layout.minor_to_major) != len(self.dimensions):
            return tuple(alignments)
        for size, dimension in zip(reversed(layout.tiles[0]), layout.minor_to_major, strict=False):
            if size > 0 and 0 <= dimension < len(alignments):
                alignments[dimension] = size
        return tuple(alignments)

    def leaves(self) -> Iterator[ValueShape]:
        """Its arrays."""
        if not self.is_tuple:
            yield self
        for part in self.parts:
            yield from part.leaves()

    def part_at(self, index: tuple[int, ...]) -> ValueShape | None:
        """The part of a tuple at a path; None: there is none."""
        part = self
        for place in index:
            if not 0 <= place < len(part.parts):
                return None
            part = part.parts[place]
        return part

    @property
    def text(self) -> str:
        """As programs have it: "bf16[8,128]{1,0:T(8,128)}"."""
        if not self._texts:
            self._texts.append(self._text())
        return self._texts[0]

    def _text(self) -> str:
        if self.is_tuple:
            return f"({', '.join(part.text for part in self.parts)})"
        layout = self.layout.text if self.layout is not None else ""
        if layout == "{}":
            layout = ""
        return f"{self.element}[{','.join(map(str, self.dimensions))}]{layout}"
