"""Operators of PyTorch told apart by the shapes of their inputs, as the argument `Input Dims` of each call has them."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Final

import numpy as np

from tilescope.tiler.details.values import first_of
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.host_operations.event_ops import READ, Codes, EventOps, Ints
from tilescope.tiler.facts.host_operations.naming import HostOp, OpSource, pytorch_op
from tilescope.tiler.lookup.arguments import argument_decoder
from tilescope.tiler.query import ArgumentReader, QueryReader

_DIMENSIONS: Final = "Input Dims"
_KEY: Final = b'"Input Dims"'
_LISTS: Final = re.compile(rb'"Input Dims" ?: ?(\[[][0-9, -]*\])\s*[,}]')

# Operators with different shapes. Of real runs some hundred, of some ten characters each.
_MOST_OPERATORS: Final = 100_000
_MOST_CHARACTERS: Final = 1 << 25


class ShapedOps(EventOps):
    """Operations of which those of PyTorch have shapes. Raises UsageError where these are too many."""

    def __init__(self, reader: QueryReader) -> None:
        super().__init__(reader)
        self._run = reader
        self._raw = ArgumentReader(reader.store)
        self._characters = 0

    def _code(self, op: HostOp, name: int) -> int:
        return READ if op.source is OpSource.PYTORCH else super()._code(op, name)

    def _read(self, track: int, names: Ints, ordinals: Ints) -> Codes:
        if self._metadata(self._run.file_of(track)) is not None:  # of an XSpace
            return super()._read(track, names, ordinals)
        codes = np.empty(len(names), np.int32)
        codes_by_call: dict[tuple[int, bytes | str], int] = {}
        decode = argument_decoder(self._run.store, self._run.file_of(track))
        for row, (name, raw) in enumerate(zip(names.tolist(), self._raw.raw(track, ordinals.tolist()), strict=True)):
            lists = _LISTS.search(raw) if raw.count(b"{") <= _PLAIN else None
            shapes: bytes | str = b""
            if lists is not None:
                shapes = lists[1]
            elif _KEY in raw:
                value, is_there = first_of(decode(raw), _DIMENSIONS)
                shapes = json.dumps(value) if is_there else ""
            code = codes_by_call.get((name, shapes))
            if code is None:
                text = shapes.decode() if isinstance(shapes, bytes) else shapes
                code = codes_by_call[name, shapes] = self._shaped(name, text)
            codes[row] = code
        return codes

    def _shaped(self, name: int, shapes: str) -> int:
        event_name = self._run.names[name]
        op = pytorch_op(event_name.text, event_name.category)
        assert op is not None, "only names of operators are read"
        ops = len(self.ops)
        number = self._number(replace(op, shapes=shapes), name)
        self._characters += len(shapes) * (len(self.ops) - ops)
        if len(self.ops) > _MOST_OPERATORS or self._characters > _MOST_CHARACTERS:
            raise UsageError("operators are called with too many shapes to be told apart: ask for a shorter range")
        return number


_PLAIN: Final = 2  # braces of arguments without objects in them
