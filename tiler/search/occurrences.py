"""Counts of events that have arguments with some words in them, argument by argument: exact, in any windows.

What events have that are alike but for numbers is known of each chunk of arguments; only where it is up to numbers,
or a window ends within a chunk, the arguments themselves are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import ArgumentReader, Interruptible, QueryReader, Reading
from tilescope.tiler.search.alike_events import Verdict, words_to_look_for
from tilescope.tiler.search.argument_index import ArgumentIndex, argument_index
from tilescope.tiler.search.arguments import has_arguments, holds
from tilescope.tiler.search.language import Argument
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]

_AT_ONCE: Final = 512  # events that are decoded between two steps

_NONE, _CLEAR, _OPEN, _UNREADABLE = range(4)  # what is known of a shape: no word, all counted, up to numbers, to decode


class _Words:
    """States of shapes: what each says of some words. Worked out once for a question."""

    def __init__(self, index: ArgumentIndex, words: Sequence[str]) -> None:
        self._index = index
        self._words = words
        self._letters = words_to_look_for(words)
        self._states = np.zeros(0, np.uint8)
        self._names: dict[int, dict[str, Verdict]] = {}

    def states(self, shapes: Ints) -> NDArray[np.uint8]:
        """The state of each of these."""
        count = len(self._states)
        if count < len(self._index.shapes):
            more = [self._state(number) for number in range(count, len(self._index.shapes))]
            self._states = np.concatenate([self._states, np.array(more, np.uint8)])
        return self._states[shapes]

    def names(self, shape: int) -> dict[str, Verdict]:
        """The arguments of a shape in which the words are, or may be."""
        return self._names.get(shape, {})

    def _state(self, number: int) -> int:
        shape = self._index.shapes[number]
        texts = shape.texts(self._letters)
        if not shape.is_clear:
            return _UNREADABLE
        if texts is None:
            return _NONE
        verdicts = texts.verdicts(self._words)
        if not verdicts:
            return _NONE
        if texts.has_open_names:
            return _UNREADABLE
        self._names[number] = verdicts
        return _CLEAR if all(verdict is Verdict.ALL for verdict in verdicts.values()) else _OPEN


def occurrences(
    reader: QueryReader, words: Sequence[str], tracks: Sequence[int], windows_of: WindowsOf
) -> Interruptible[dict[str, int]]:
    """By argument, how many events that start in the windows have it with all of these words. Raises DamagedStore."""
    index = argument_index(reader)
    word_states = _Words(index, words)
    arguments = ArgumentReader(reader.store)
    counts: Counter[str] = Counter()
    events_by_shape = np.zeros(0, np.int64)
    for track in tracks:
        parts = yield from index.parts(track)
        if len(events_by_shape) < len(index.shapes):
            events_by_shape = np.append(events_by_shape, np.zeros(len(index.shapes) - len(events_by_shape), np.int64))
        spans = _spans(reader, track, windows_of(track))
        for part in parts:
            for first, stop in spans:
                first, stop = max(first, part.first), min(stop, part.stop)
                if first >= stop:
                    continue
                states = None if part.shapes is None else word_states.states(part.shapes)
                if states is not None and not states.any():
                    continue
                is_all = part.is_whole and (first, stop) == (part.first, part.stop)
                if states is not None and part.shapes is not None and is_all and states.max() == _CLEAR:
                    events_by_shape[part.shapes] += part.counts
                    continue
                ordinals = np.arange(first, stop)
                if states is None or part.shapes is None or (states == _UNREADABLE).any():
                    counts.update((yield from _decoded(arguments, track, ordinals, words)))
                else:
                    names = {
                        name for shape in part.shapes[states > _NONE].tolist() for name in word_states.names(shape)
                    }
                    counts.update((yield from _read(arguments, track, ordinals, sorted(names), words)))
        yield
    for shape in np.flatnonzero(events_by_shape).tolist():
        for name in word_states.names(shape):
            counts[name] += int(events_by_shape[shape])
    return {name: count for name, count in counts.items() if count}


def _decoded(
    arguments: ArgumentReader, track: int, ordinals: Ints, words: Sequence[str]
) -> Interruptible[dict[str, int]]:
    """The same of some events, whose arguments are decoded one by one."""
    counts: Counter[str] = Counter()
    for number, pairs in enumerate(arguments.decoded(track, ordinals.tolist())):
        by_name: dict[str, list[object]] = {}
        for name, value in pairs:
            if isinstance(value, str | list):
                by_name.setdefault(name, []).append(value)
        for name, values in by_name.items():
            counts[name] += all(any(holds(Argument(name, "~", word), value) for value in values) for word in words)
        if number % _AT_ONCE == 0:
            yield
    return counts


def _read(
    arguments: ArgumentReader, track: int, ordinals: Ints, names: Sequence[str], words: Sequence[str]
) -> Interruptible[dict[str, int]]:
    """The same, of some arguments."""
    counts: Counter[str] = Counter()
    for batch in arguments.values(track, ordinals, names):
        for name in names:
            wanted = [Argument(name, "~", word) for word in words]
            counts[name] += int(has_arguments(batch, names, wanted).sum())
        yield
    return counts


def _spans(reader: QueryReader, track: int, windows: Windows) -> list[tuple[int, int]]:
    """The ordinals [first, stop) of the events of a track that start in each window."""
    events = reader.tree.tracks[track].events
    reading = Reading(reader)
    return [
        (_rank(reader, reading, track, start), events if stop > reader.end else _rank(reader, reading, track, stop))
        for start, stop in zip(windows.starts.tolist(), windows.stops.tolist(), strict=True)
    ]


def _rank(reader: QueryReader, reading: Reading, track: int, tick: int) -> int:
    """Number of events of a track that start before a tick."""
    if tick <= 0:
        return 0
    block, slot = divmod(track, TRACKS_PER_BLOCK)
    shape = reader.tiles(block).shape
    leaves = shape.leaves(slot)
    begins = shape.index[leaves] << (2 * shape.level[leaves] + 8)
    before = int(np.searchsorted(begins, tick))  # leaves that begin before the tick
    if not before:
        return 0
    whole = int(shape.events[leaves[: before - 1]].sum())
    plan = reader.plan(track, Windows.single(min(tick - 1, TICK_LIMIT - 1), tick))
    starts: Iterator[Ints] = (leaf.start for leaf in reading.starts(plan))
    in_last = [int((start < tick).sum()) for start in starts]
    return whole + sum(in_last) if in_last else int(shape.events[leaves[:before]].sum())
