"""Bytes that a value takes, estimated: arrays by their buffers, long containers by a sample of their members."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from enum import Enum
from itertools import islice
from typing import Any, Final

import msgspec
import numpy as np

_SAMPLE: Final = 16  # members of a container that are measured
_OBJECT_BYTES: Final = 40  # of a member of an array of Python objects: an integer beyond 64 bits


def estimated_bytes(value: object) -> int:
    """The size of a value with all that it alone consists of: numbers, texts, arrays, containers and plain records.

    What is met twice counts once. Other objects have their own size, or say it as `size_bytes`.
    """
    return _size(value, set())


def _size(value: object, seen: set[int]) -> int:
    if value is None or isinstance(value, bool | Enum | type) or id(value) in seen:
        return 0
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return value.nbytes + (_OBJECT_BYTES * value.size if value.dtype == object else 0)
    own = sys.getsizeof(value, 0)
    if isinstance(value, int | float | str | bytes | bytearray):
        return own
    if isinstance(value, dict):
        return own + _sampled(value.keys(), len(value), seen) + _sampled(value.values(), len(value), seen)
    if isinstance(value, list | tuple | set | frozenset):
        return own + _sampled(value, len(value), seen)
    size: Any = getattr(value, "size_bytes", None)
    if isinstance(size, int):
        return size
    if is_dataclass(value):
        return own + sum(_size(getattr(value, field.name), seen) for field in fields(value))
    if isinstance(value, msgspec.Struct):
        return own + sum(_size(getattr(value, name), seen) for name in value.__struct_fields__)
    return own


def _sampled(members: Iterable[object], count: int, seen: set[int]) -> int:
    """The size of some members, evenly spaced, as if all were like them."""
    if count <= _SAMPLE:
        return sum(_size(member, seen) for member in members)
    step = count // _SAMPLE
    sample = list(islice(members, 0, step * _SAMPLE, step))
    return sum(_size(member, seen) for member in sample) * count // len(sample)
