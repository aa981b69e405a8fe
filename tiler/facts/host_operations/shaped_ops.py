"""Operators of PyTorch told apart by the shapes of their inputs, as the argument `Input Dims` of each call has them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

import numpy as np

from tilescope.tiler.details import Arguments
from tilescope.tiler.details.values import first_of
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.host_operations.event_ops import READ, Codes, EventOps, Ints
from tilescope.tiler.facts.host_operations.naming import HostOp, OpSource, pytorch_op
from tilescope.tiler.lookup.arguments import argument_decoder
from tilescope.tiler.query import TextsOfSome

_DIMENSIONS: Final = "Input Dims"
_KEY: Final = b'"Input Dims"'
_LISTS: Final = re.compile(rb'"Input Dims" ?: ?(\[[][0-9, -]*\])\s*[,}]')

# Operators with different shapes. Of real runs some hundred, of some ten characters each.
_MOST_OPERATORS: Final = 100_000
_MOST_CHARACTERS: Final = 1 << 25


class ShapedOps(EventOps):
    """Operations of which those of PyTorch have shapes. Raises UsageError where these are too many."""

    @property
    def is_full(self) -> bool:
        """True where no more shapes have room."""
        return len(self.ops) > _MOST_OPERATORS or self._characters > _MOST_CHARACTERS

    def _code(self, op: HostOp, name: int) -> int:
        return READ if op.source is OpSource.PYTORCH else super()._code(op, name)

    def _read(self, track: int, names: Ints, ordinals: Ints) -> Codes:
        file = self._reader.file_of(track)
        if self._metadata(file) is not None:  # of an XSpace
            return super()._read(track, names, ordinals)
        shapes: list[bytes] = []
        decode = argument_decoder(self._reader.store, file)
        for texts in self._arguments.texts(track, ordinals):
            shapes += _shapes(texts, decode)
        shapes += [b""] * (len(names) - len(shapes))  # events without arguments
        codes: dict[tuple[int, bytes], int] = {}
        calls = list(zip(names.tolist(), shapes, strict=True))
        for call in dict.fromkeys(calls):  # in the order in which they are met
            codes[call] = self._shaped(call[0], call[1].decode())
        return np.array([codes[call] for call in calls], np.int32)

    def _shaped(self, name: int, shapes: str) -> int:
        event_name = self._reader.names[name]
        op = pytorch_op(event_name.text, event_name.category)
        assert op is not None, "only names of operators are read"
        number = self._number(replace(op, shapes=shapes), name)
        if self.is_full:
            raise UsageError("operators are called with too many shapes to be told apart: ask for a shorter range")
        return number


def _shapes(texts: TextsOfSome, decode: Callable[[bytes], Arguments]) -> Iterator[bytes]:
    """Shapes of the inputs of each call; empty: none are recorded."""
    text = texts.text.data
    is_plain = (texts.counts(_BRACE) <= _PLAIN).tolist()
    for begin, end, plain in zip(texts.begin.tolist(), texts.end.tolist(), is_plain, strict=True):
        lists = _LISTS.search(text, begin, end) if plain else None
        if lists is not None:
            yield lists[1]
        elif _KEY in (raw := bytes(text[begin:end])):
            value, is_there = first_of(decode(raw), _DIMENSIONS)
            yield json.dumps(value).encode() if is_there else b""
        else:
            yield b""


_BRACE: Final = ord("{")
_PLAIN: Final = 2  # braces of arguments without objects in them
