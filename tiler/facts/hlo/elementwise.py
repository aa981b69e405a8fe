"""Instructions that make each element of their value of those at the same place, and what an element costs.

XLA counts what it measured on a GPU, where an instruction that takes three times as long has three times as many FLOPs:
an addition of two numbers of 32 bits counts 3, a power 925. These are its figures, so that rates can be compared.
"""

from __future__ import annotations

from typing import Final

from tilescope.tiler.facts.hlo.module import Instruction

_ELEMENTWISE: Final = """
    abs add and atan2 bitcast-convert cbrt ceil clamp compare complex convert copy cosine count-leading-zeros
    divide erf exponential exponential-minus-one floor imag is-finite log log-plus-one logistic maximum minimum
    multiply negate not or popcnt power real reduce-precision remainder round-nearest-afz round-nearest-even rsqrt
    select shift-left shift-right-arithmetic shift-right-logical sign sine sqrt stochastic-convert subtract tan
    tanh xor
"""
ELEMENTWISE: Final = frozenset(_ELEMENTWISE.split())

_USUAL: Final = 3

# By the type of the elements, where it is not the usual.
_COSTS: Final[dict[str, dict[str, int]]] = {
    "add": {"f64": 97},
    "atan2": {"f16": 482, "f32": 486, "f64": 3747, "c64": 5353},
    "cbrt": {"f16": 925, "f32": 867, "f64": 6339},
    "copy": {},
    "cosine": {"f16": 691, "f32": 662, "f64": 1717},
    "divide": {
        "s8": 370,
        "s16": 367,
        "s32": 306,
        "s64": 918,
        "u8": 306,
        "u16": 302,
        "u32": 115,
        "u64": 838,
        "f64": 2016,
        "c64": 687,
    },
    "exponential": {"f16": 108, "f32": 86, "f64": 1652, "c64": 1360},
    "exponential-minus-one": {"f16": 396, "f32": 381, "f64": 1900, "c64": 1400},
    "log": {"f16": 266, "f32": 244, "f64": 608, "c64": 950},
    "log-plus-one": {"f16": 284, "f32": 262, "f64": 2073, "c64": 842},
    "logistic": {"f16": 226, "f32": 176, "f64": 2412},
    "multiply": {"f64": 97},
    "power": {
        "s8": 392,
        "s16": 396,
        "s64": 601,
        "u8": 388,
        "u16": 399,
        "u64": 604,
        "f16": 975,
        "f32": 925,
        "f64": 5511,
        "c64": 3351,
    },
    "rsqrt": {"f16": 97, "f32": 75, "f64": 698, "c64": 2383},
    "sine": {"f32": 662, "f64": 1789},
    "sqrt": {"f16": 97, "f32": 75, "f64": 986, "c64": 3193},
    "subtract": {"f64": 97},
    "tanh": {"f16": 212, "f32": 190, "f64": 1609},
}


def element_flops(instruction: Instruction) -> int:
    """FLOPs for an element of its value."""
    return (
        0 if instruction.opcode == "copy" else _COSTS.get(instruction.opcode, {}).get(instruction.shape.element, _USUAL)
    )
