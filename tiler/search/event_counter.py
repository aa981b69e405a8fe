"""Counts events that have some words in their arguments, argument by argument: exact.

What events have that are alike but for numbers is known of each part of a track; only where it is up to numbers, or a
window ends within a part, the arguments themselves are read.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.query import ArgumentReader, Interruptible, QueryReader
from tilescope.tiler.search.alike_events import WordMatch, may_contain, words_to_look_for
from tilescope.tiler.search.argument_index import ArgumentIndex, ArgumentPart, OwnTrack
from tilescope.tiler.search.arguments import has_arguments, holds
from tilescope.tiler.search.language import Argument

Ints = NDArray[np.int64]

_AT_ONCE: Final = 512  # events that are decoded between two steps, or shapes looked at

_NONE, _CLEAR, _OPEN, _UNREADABLE = range(4)  # what is known of a shape: no word, all counted, up to numbers, to decode


class WordStates:
    """States of shapes: what each says of some words. Worked out once for a question."""

    def __init__(self, index: ArgumentIndex, words: Sequence[str]) -> None:
        self.index = index
        self.words = words
        self._letters = words_to_look_for(words)
        self._states = np.zeros(0, np.uint8)
        self._names: dict[int, dict[str, WordMatch]] = {}

    def states(self, shapes: Ints) -> Interruptible[NDArray[np.uint8]]:
        """The state of each of these."""
        while len(self._states) <= shapes.max(initial=-1):
            count = len(self._states)
            more = [self._state(number) for number in range(count, min(len(self.index.shapes), count + _AT_ONCE))]
            self._states = np.concatenate([self._states, np.array(more, np.uint8)])
            yield
        return self._states[shapes]

    def names(self, shape: int) -> dict[str, WordMatch]:
        """The arguments of a shape in which the words are, or may be."""
        return self._names.get(shape, {})

    def _state(self, number: int) -> int:
        shape = self.index.shapes[number]
        texts = shape.texts(self._letters)
        if not shape.is_clear:
            return _UNREADABLE
        if texts is None:
            return _NONE
        verdicts = texts.verdicts(self.words)
        if not verdicts:
            return _NONE
        if texts.has_open_names:
            return _UNREADABLE
        self._names[number] = verdicts
        return _CLEAR if all(verdict is WordMatch.ALL for verdict in verdicts.values()) else _OPEN


class EventCounter:
    """Counts events by argument."""

    def __init__(self, reader: QueryReader, word_states: WordStates) -> None:
        self._index = word_states.index
        self._words = word_states.words
        self._word_states = word_states
        self._arguments = ArgumentReader(reader.store)
        self._pattern = may_contain(max(word_states.words, key=len))
        self._named: dict[int, bool] = {}  # by the identity of names of stats, which their tables keep
        self._counts: Counter[str] = Counter()
        self._events = np.zeros(0, np.int64)  # by shape, of those that need not be read

    def add(self, counts: Mapping[str, int]) -> None:
        """Adds what is counted elsewhere."""
        self._counts.update(counts)

    def take(self) -> dict[str, int]:
        """Counts of all that was added, without zeros."""
        for shape in np.flatnonzero(self._events).tolist():
            for name in self._word_states.names(shape):
                self._counts[name] += int(self._events[shape])
        return {name: count for name, count in self._counts.items() if count}

    def add_parts(
        self,
        track: int,
        parts: Sequence[ArgumentPart],
        spans: Sequence[tuple[int, int]],
        own: OwnTrack | None = None,
    ) -> Interruptible[None]:
        """Adds the events of a track; of one of an XSpace what they have themselves."""
        if len(self._events) < len(self._index.shapes):
            self._events = np.append(self._events, np.zeros(len(self._index.shapes) - len(self._events), np.int64))
        for number, (part, span) in enumerate(itertools.product(parts, spans)):
            if number % _AT_ONCE == _AT_ONCE - 1:
                yield
            first, stop = max(span[0], part.first), min(span[1], part.stop)
            if first >= stop:
                continue
            if part.shapes is None:
                yield from self.add_unknown(track, first, stop, own)
                continue
            states = yield from self._word_states.states(part.shapes)
            if not states.any():
                continue
            if (first, stop) == (part.first, part.stop) and states.max() == _CLEAR:
                self._events[part.shapes] += part.counts
            elif (states == _UNREADABLE).any():
                yield from self.add_unknown(track, first, stop, own)
            else:
                shapes = part.shapes[states > _NONE].tolist()
                in_shapes = {name for shape in shapes for name in self._word_states.names(shape)}
                yield from self.add_read(track, first, stop, in_shapes)

    def add_unknown(self, track: int, first: int, stop: int, own: OwnTrack | None) -> Interruptible[None]:
        """Adds events [first, stop), of which it is not known which shapes they have."""
        if own is None:
            yield from self.add_decoded(track, first, stop)
        elif self._pattern is None or self._may_name(own, self._pattern):
            yield from self.add_read(track, first, stop, own.names)
        else:
            for ordinals in self._arguments.matching(track, first, stop, self._pattern):
                yield from self._add_values(track, ordinals, own.names)
                yield

    def _may_name(self, own: OwnTrack, pattern: re.Pattern[bytes]) -> bool:
        """True if the name of a stat, which a reference may say, may have the words."""
        names = own.stat_names
        if id(names) not in self._named:
            texts = (name.encode("utf-8", "surrogatepass").lower() for name in names.values())
            self._named[id(names)] = any(map(pattern.search, texts))
        return self._named[id(names)]

    def add_decoded(self, track: int, first: int, stop: int) -> Interruptible[None]:
        """Adds events [first, stop), whose arguments are decoded one by one."""
        for number, pairs in enumerate(self._arguments.decoded(track, range(first, stop))):
            by_name: dict[str, list[object]] = {}
            for name, value in pairs:
                if isinstance(value, str | list):
                    by_name.setdefault(name, []).append(value)
            for name, values in by_name.items():
                self._counts[name] += all(
                    any(holds(Argument(name, "~", word), value) for value in values) for word in self._words
                )
            if number % _AT_ONCE == 0:
                yield

    def add_read(self, track: int, first: int, stop: int, names: Collection[str]) -> Interruptible[None]:
        """Adds what events [first, stop) have under these names."""
        yield from self._add_values(track, np.arange(first, stop), names)

    def _add_values(self, track: int, ordinals: Ints, names: Collection[str]) -> Interruptible[None]:
        columns = sorted(names)
        for batch in self._arguments.values(track, ordinals, columns):
            for name in columns:
                wanted = [Argument(name, "~", word) for word in self._words]
                self._counts[name] += int(has_arguments(batch, columns, wanted).sum())
            yield
