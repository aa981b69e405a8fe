"""How arguments of toys are stored: keys as numbers, values as text. The tables of a file have the keys."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details import ArgsCodec, Arguments, PageOf


class Keys:
    """The keys of a file, as its tables."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def encode(self, pairs: str) -> bytes:
        """Arguments such as batch=7,lr=0.5."""
        parts = (pair.partition("=") for pair in pairs.split(",") if pair)
        numbers = [(self._numbers.setdefault(key, len(self._numbers)), value) for key, _, value in parts]
        return json.dumps(numbers).encode()

    def head(self, _names: NDArray[np.int32]) -> bytes:
        """All of them, in the order of their numbers."""
        return json.dumps(list(self._numbers)).encode()

    def pages(self) -> Iterator[bytes]:
        """None: they are few."""
        return iter(())


def _tables(head: bytes, _page: PageOf) -> list[str]:
    keys: list[str] = json.loads(head)
    return keys


def _decode(raw: bytes, keys: list[str]) -> Arguments:
    return [(keys[key], int(value) if value.isdigit() else value) for key, value in json.loads(raw)]


CODEC = ArgsCodec(id="toy", decode=_decode, tables=_tables)
