"""Bytes that a value takes, estimated: arrays by their buffers, long containers by a sample of their members."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from itertools import islice
from typing import Any, Final

import msgspec
import numpy as np

_SAMPLE: Final = 16  # members of a container that are measured
_OBJECT_BYTES: Final = 40  # of a member of an array of Python objects: an integer beyond 64 bits
_NOTHING: Final = (bool, Enum, type)
_SCALARS: Final = (int, float, str, bytes, bytearray)
_PLAIN: Final = frozenset(_SCALARS)
_CONTAINERS: Final = (list, tuple, set, frozenset)


def estimated_bytes(value: object) -> int:
    """The size of a value with all that it alone consists of: numbers, texts, arrays, containers and plain records.

    What is met twice counts once. Other objects have their own size, or say it as `size_bytes`.
    """
    return _Estimate().size(value)


class _Estimate:
    """The estimate of one value: which objects have been met."""

    def __init__(self) -> None:
        self._first: dict[int, tuple[int, int]] = {}  # by id: the number of the object, and its size
        self._again: list[tuple[int, int]] = []  # the same of objects each time that they were met again

    def size(self, value: object) -> int:
        """Bytes of a value and of all in it that has not been met."""
        if value is None:
            return 0
        met = self._first.get(id(value))
        if met is not None:
            self._again.append(met)
            return 0
        number = len(self._first)
        if type(value) in _PLAIN:  # the most: asked by its own type, which is quicker than by what it descends from
            size = sys.getsizeof(value)
        elif isinstance(value, _NOTHING):
            return 0
        else:
            self._first[id(value)] = number, 0
            size = self._whole_size(value)
        self._first[id(value)] = number, size
        return size

    def _whole_size(self, value: object) -> int:
        if isinstance(value, np.ndarray):
            return value.nbytes + (_OBJECT_BYTES * value.size if value.dtype == object else 0)
        own = sys.getsizeof(value, 0)
        if isinstance(value, _SCALARS):
            return own
        if isinstance(value, dict):
            return own + self._sampled(value.keys()) + self._sampled(value.values())
        if isinstance(value, _CONTAINERS):
            return own + self._sampled(value)
        size: Any = getattr(value, "size_bytes", None)
        if isinstance(size, int):
            return size
        if is_dataclass(value):
            kind: Any = type(value)
            members = {name: getattr(value, name) for name in _field_names(kind)}
            members |= getattr(value, "__dict__", {})  # what it has worked out of itself, too
            return own + sum(map(self.size, members.values()))
        if isinstance(value, msgspec.Struct):
            return own + sum(self.size(getattr(value, name)) for name in value.__struct_fields__)
        return own

    def _sampled(self, members: Collection[object]) -> int:
        """The size of members: of many a sample is measured, evenly spaced, as if all were like these.

        What members of the sample share is one part of their size, which does not grow with their number.
        """
        count = len(members)
        if count <= _SAMPLE:
            return sum(map(self.size, members))
        begin, again = len(self._first), len(self._again)
        size = sum(map(self.size, _evenly_spaced(members)))
        repeated = sum(part for number, part in self._again[again:] if number >= begin)
        shared = min(repeated // (_SAMPLE - 1), size)
        return shared + (size - shared) * count // _SAMPLE


@cache
def _field_names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _evenly_spaced(members: Collection[object]) -> Iterator[object]:
    """The first and the last member, and `_SAMPLE` - 2 between them."""
    rest, passed = iter(members), 0
    for k in range(_SAMPLE):
        place = k * (len(members) - 1) // (_SAMPLE - 1)
        yield next(islice(rest, place - passed, None))
        passed = place + 1
