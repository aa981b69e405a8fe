"""Events that have arguments with some values: chunks of arguments are gone through.

Words in arguments of JSON are looked for in shapes, of which few are alike but for numbers; only where it is up to
these, events are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.chunk import RowShapes
from tilescope.tiler.query import ArgumentReader, Interruptible, QueryReader
from tilescope.tiler.search.alike_events import ArgumentShape, WordMatch, words_to_look_for
from tilescope.tiler.search.argument_index import argument_index
from tilescope.tiler.search.arguments import has_arguments
from tilescope.tiler.search.language import Argument

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

_KEPT_STATES: Final = 65_536  # of shapes


class ArgumentTest:
    """Holds events against the arguments that a query names: all of these must be as it wants them."""

    def __init__(self, reader: QueryReader, arguments: Sequence[Argument]) -> None:
        self._reader = ArgumentReader(reader.store)
        self._index = argument_index(reader)
        self._arguments = arguments
        self._names = list(dict.fromkeys(argument.key for argument in arguments))
        self._is_of_words = all(argument.comparison == "~" for argument in arguments)
        self._letters = words_to_look_for(argument.value for argument in arguments)
        self._state = lru_cache(_KEPT_STATES)(self._state_of)

    def holds(self, track: Ints, ordinal: Ints) -> Interruptible[Mask]:
        """True for each of these events that has such arguments. Raises DamagedStore."""
        mask = np.zeros(len(track), np.bool_)
        order = np.lexsort((ordinal, track))
        borders = np.flatnonzero(np.diff(track[order])) + 1
        for which in np.split(order, borders) if len(order) else ():
            number, ordinals = int(track[which[0]]), ordinal[which]
            to_read = np.ones(len(which), np.bool_)
            if self._is_of_words and self._index.tables(number) is None:
                states = yield from self._states(number, ordinals)
                mask[which] = states == WordMatch.ALL
                to_read = states == WordMatch.SOME
            rows = which[to_read]
            for batch in self._reader.values(number, ordinal[rows], self._names):
                mask[rows[batch.which]] = has_arguments(batch, self._names, self._arguments)
                yield
        return mask

    def _states(self, track: int, ordinals: Ints) -> Interruptible[NDArray[np.int64]]:
        """States of events of a track, by their shapes."""
        states = np.full(len(ordinals), WordMatch.SOME, np.int64)
        start = 0
        while start < len(ordinals):
            chunk = self._reader.row_shapes(track, int(ordinals[start]))
            if chunk is None:
                break
            stop = int(np.searchsorted(ordinals, chunk.stop))
            states[start:stop] = self._states_of_chunk(chunk)[chunk.rows[ordinals[start:stop] - chunk.first]]
            start = stop
            yield
        return states

    def _states_of_chunk(self, chunk: RowShapes) -> NDArray[np.int64]:
        """States of its shapes; behind them that of events to be read, and of those without arguments."""
        states = [self._state(shape) for shape in chunk.shapes]
        return np.array([*states, WordMatch.SOME, WordMatch.NONE], np.int64)

    def _state_of(self, text: bytes) -> WordMatch:
        shape = ArgumentShape.from_shape(text)
        if not shape.is_clear:
            return WordMatch.SOME
        texts = shape.texts(self._letters)
        if texts is None:
            return WordMatch.NONE
        if texts.has_open_names:
            return WordMatch.SOME
        return min(texts.verdicts([argument.value]).get(argument.key, WordMatch.NONE) for argument in self._arguments)
