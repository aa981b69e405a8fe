"""Counts of events that have arguments with some words in them, argument by argument: exact, in any windows.

What events have that are alike but for numbers is known of each chunk of arguments; only where it is up to numbers,
or a window ends within a chunk, the arguments themselves are read.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import ArgumentReader, Interruptible, QueryReader, Reading
from tilescope.tiler.search.alike_events import WordMatch, words_to_look_for
from tilescope.tiler.search.argument_index import ArgumentIndex, ArgumentPart, argument_index
from tilescope.tiler.search.arguments import has_arguments, holds
from tilescope.tiler.search.language import Argument
from tilescope.tiler.search.shared_texts import file_texts, shared_counts
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]

_AT_ONCE: Final = 512  # events that are decoded between two steps, or shapes looked at

_NONE, _CLEAR, _OPEN, _UNREADABLE = range(4)  # what is known of a shape: no word, all counted, up to numbers, to decode


class _Words:
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


def occurrences(
    reader: QueryReader, words: Sequence[str], tracks: Sequence[int], windows_of: WindowsOf
) -> Interruptible[dict[str, int]]:
    """By argument, how many events that start in the windows have it with all of these words. Raises DamagedStore."""
    index = argument_index(reader)
    word_states = _Words(index, words)
    counter = _Counter(reader, word_states)
    by_plane: dict[tuple[int, int], list[int]] = {}
    with_words: dict[int, dict[str, NDArray[np.bool_]]] = {}  # by file, metadata by argument
    for track in tracks:
        parts = yield from index.parts(track)
        spans = _spans(reader, track, windows_of(track)) if parts else []
        if not parts or index.tables(track) is None:
            yield from counter.add_parts(track, parts, spans)
        elif all(part.shapes is not None for part in parts):
            by_plane.setdefault((reader.file_of(track), parts[0].plane), []).append(track)
        else:  # of some events it is not known what they have themselves
            for span in spans:
                yield from counter.add_decoded(track, *span)
        yield
    for (file, plane), alike in by_plane.items():
        if file not in with_words and (tables := reader.event_metadata(file)) is not None:
            texts = yield from file_texts(reader, file, tables)
            with_words[file] = yield from texts.with_words(words)
        counts = yield from _plane_counts(reader, word_states, with_words[file], file, plane, alike, windows_of)
        counter.add(counts)
    return counter.take()


def _plane_counts(
    reader: QueryReader,
    word_states: _Words,
    with_words: Mapping[str, NDArray[np.bool_]],
    file: int,
    plane: int,
    tracks: Sequence[int],
    windows_of: WindowsOf,
) -> Interruptible[dict[str, int]]:
    """The same of tracks of a plane of an XSpace: what events have themselves, and what they share."""
    tables = reader.event_metadata(file)
    if tables is None:
        return {}
    numbers = np.flatnonzero((tables.plane == plane) & (tables.name >= 0))
    names = tables.name[numbers].astype(np.int64)
    shared, to_read = yield from shared_counts(reader, with_words, numbers, names, tracks, windows_of)
    own, rest = _Counter(reader, word_states), _Counter(reader, word_states)
    for track in tracks:
        parts = yield from word_states.index.parts(track)
        for part in parts:  # an event does not share what it has itself
            to_read |= part.own.intersection(shared)
        yield from own.add_parts(track, parts, _spans(reader, track, windows_of(track)))
    for name, count in (*shared.items(), *own.take().items()):
        if name not in to_read:
            rest.add({name: count})
    for track in tracks if to_read else ():
        for first, stop in _spans(reader, track, windows_of(track)):
            yield from rest.add_read(track, first, stop, to_read)
    return rest.take()


class _Counter:
    """Counts events by argument."""

    def __init__(self, reader: QueryReader, word_states: _Words) -> None:
        self._index = word_states.index
        self._words = word_states.words
        self._word_states = word_states
        self._arguments = ArgumentReader(reader.store)
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
        self, track: int, parts: Sequence[ArgumentPart], spans: Sequence[tuple[int, int]]
    ) -> Interruptible[None]:
        """Adds the events of a track. Of an XSpace they are counted by what they do not share."""
        if len(self._events) < len(self._index.shapes):
            self._events = np.append(self._events, np.zeros(len(self._index.shapes) - len(self._events), np.int64))
        for number, (part, span) in enumerate(itertools.product(parts, spans)):
            if number % _AT_ONCE == _AT_ONCE - 1:
                yield
            first, stop = max(span[0], part.first), min(span[1], part.stop)
            if first >= stop:
                continue
            if part.shapes is None:
                yield from self.add_decoded(track, first, stop)
                continue
            states = yield from self._word_states.states(part.shapes)
            if not states.any():
                continue
            if part.is_whole and (first, stop) == (part.first, part.stop) and states.max() == _CLEAR:
                self._events[part.shapes] += part.counts
            elif (states == _UNREADABLE).any():
                yield from self.add_decoded(track, first, stop)
            else:
                shapes = part.shapes[states > _NONE].tolist()
                names = {name for shape in shapes for name in self._word_states.names(shape)}
                yield from self.add_read(track, first, stop, names)

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
        columns = sorted(names)
        for batch in self._arguments.values(track, np.arange(first, stop), columns):
            for name in columns:
                wanted = [Argument(name, "~", word) for word in self._words]
                self._counts[name] += int(has_arguments(batch, columns, wanted).sum())
            yield


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
