"""Shapes of arrays as HLO has them: as text, as a message, and how much room they take with their padding."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from bench.pod_run.wire import message, number, packed, text

_TYPES = {"f32": (11, 4), "bf16": (16, 2), "s32": (4, 4), "u32": (8, 4)}
_TUPLE, _TOKEN_TYPE = 13, 17


@dataclass(frozen=True, slots=True)
class ArrayShape:
    """An array; its two minor dimensions lie in tiles of 8 × 128, a single one in tiles of its own length."""

    type: str
    dims: tuple[int, ...]
    minor_to_major: tuple[int, ...]
    memory: int = 0  # 1: near the core

    @property
    def tile(self) -> tuple[int, ...]:
        return (8, 128) if len(self.dims) > 1 else (max(128, *self.dims),) if self.dims else (128,)

    @property
    def text(self) -> str:
        order = ",".join(map(str, self.minor_to_major))
        tiles = "T(" + ",".join(map(str, self.tile)) + ")" + ("(2,1)" if self.type == "bf16" else "")
        near = f"S({self.memory})" if self.memory else ""
        return f"{self.type}[{','.join(map(str, self.dims))}]{{{order}:{tiles}{near}}}"

    @property
    def message(self) -> bytes:
        tiles = [packed(1, list(self.tile))] + ([packed(1, [2, 1])] if self.type == "bf16" else [])
        layout = packed(1, list(self.minor_to_major)) + b"".join(message(6, tile) for tile in tiles)
        layout += number(8, self.memory) if self.memory else b""
        changing = text(6, bytes(len(self.dims))) if self.dims else b""
        return number(2, _TYPES[self.type][0]) + packed(3, list(self.dims)) + message(5, layout) + changing

    @property
    def unpadded_bytes(self) -> int:
        return math.prod(self.dims) * _TYPES[self.type][1]

    @property
    def padded_bytes(self) -> int:
        """Size in memory."""
        dims = list(self.dims)
        for place, size in zip(self.minor_to_major, reversed(self.tile), strict=False):
            dims[place] = -(-dims[place] // size) * size
        return (math.prod(dims) if dims else 1) * _TYPES[self.type][1]


@dataclass(frozen=True, slots=True)
class TupleShape:
    """Some shapes together; without any it is a token."""

    parts: tuple[AnyShape, ...] = ()

    @property
    def text(self) -> str:
        return "(" + ", ".join(part.text for part in self.parts) + ")" if self.parts else "token[]"

    @property
    def message(self) -> bytes:
        if not self.parts:
            return number(2, _TOKEN_TYPE)
        return number(2, _TUPLE) + b"".join(message(4, part.message) for part in self.parts)

    @property
    def padded_bytes(self) -> int:
        return sum(part.padded_bytes for part in self.parts)

    @property
    def unpadded_bytes(self) -> int:
        return sum(part.unpadded_bytes for part in self.parts)


AnyShape = ArrayShape | TupleShape
TOKEN: Final = TupleShape()
