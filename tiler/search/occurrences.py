"""Counts of events that have arguments with some words in them, argument by argument: exact, in any windows."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import Interruptible, QueryReader, Reading
from tilescope.tiler.search.argument_index import OwnTrack, argument_index
from tilescope.tiler.search.event_counter import EventCounter, WordStates
from tilescope.tiler.search.shared_counts import SharedCounts, shared_counts
from tilescope.tiler.search.shared_texts import file_texts
from tilescope.tiler.ticks import TICK_LIMIT
from tilescope.tiler.windows import Windows, WindowsOf

Ints = NDArray[np.int64]


def occurrences(
    reader: QueryReader, words: Sequence[str], tracks: Sequence[int], windows_of: WindowsOf
) -> Interruptible[dict[str, int]]:
    """By argument, how many events that start in the windows have it with all of these words. Raises DamagedStore."""
    index = argument_index(reader)
    word_states = WordStates(index, words)
    counter = EventCounter(reader, word_states)
    by_file: dict[int, list[_OwnWindows]] = {}
    for track in tracks:
        tables = index.tables(track)
        if tables is None:
            parts = index.parts(track)
            if parts:
                yield from counter.add_parts(track, parts, _spans(reader, track, windows_of(track)))
        elif (own := index.own(track, tables)) is not None:
            spans = _spans(reader, track, windows_of(track))
            if own.is_readable:
                by_file.setdefault(reader.file_of(track), []).append(_OwnWindows(track, own, spans))
            else:  # of some events it is not known what they have themselves
                for span in spans:
                    yield from counter.add_decoded(track, *span)
        yield
    for file, own_windows in by_file.items():
        tables = reader.event_metadata(file)
        if tables is not None:
            texts = yield from file_texts(reader, file, tables)
            having = yield from texts.with_words(words)
            yield from _add_file(counter, reader, word_states, having, tables, own_windows, windows_of)
    return counter.take()


class _OwnWindows(Struct, frozen=True):
    """A track of an XSpace, what its events have themselves, and ordinals [first, stop) of those in each window."""

    track: int
    own: OwnTrack
    spans: Sequence[tuple[int, int]]

    def numbered(self, reader: QueryReader) -> tuple[Ints, Ints] | None:
        """Entries of metadata and how many events have them, if the windows have all of the track's."""
        events = sum(stop - first for first, stop in self.spans)
        return self.own.numbered if events == reader.tree.tracks[self.track].events else None


def _add_file(
    counter: EventCounter,
    reader: QueryReader,
    word_states: WordStates,
    having: Mapping[str, Ints],
    tables: XStatTables,
    tracks: Sequence[_OwnWindows],
    windows_of: WindowsOf,
) -> Interruptible[None]:
    """Adds tracks of a file: what events have themselves, and what they share."""
    by_plane: dict[int, list[_OwnWindows]] = {}
    for own_windows in tracks:
        by_plane.setdefault(own_windows.own.plane, []).append(own_windows)
    # An event does not share what it has itself.
    hidden: dict[int, set[str]] = {}
    for plane, of_plane in by_plane.items():
        names = having.keys() & _own_names(of_plane)
        is_used = _names_in(tables, plane) >= 0 if names else np.zeros(0, np.bool_)
        hidden[plane] = {name for name in names if is_used[having[name]].any()}
        yield
    unclear = set().union(*hidden.values())
    of_file = {argument: entries for argument, entries in having.items() if argument not in unclear}
    if of_file:
        name = tables.name[tables.first].astype(np.int64)
        numbers = [own_windows.track for own_windows in tracks]
        shared = yield from shared_counts(reader, of_file, name, None, numbers, windows_of)
        counter.add(shared.counts)
        unclear |= shared.unclear
    for plane, of_plane in by_plane.items():
        to_read = set(hidden[plane])
        of_names = {argument: having[argument] for argument in unclear - to_read}
        if of_names:
            shared = yield from _plane_counts(reader, of_names, tables, plane, of_plane, windows_of)
            counter.add(shared.counts)
            to_read |= shared.unclear
        yield from _add_own(counter, reader, word_states, of_plane, to_read)


def _own_names(tracks: Sequence[_OwnWindows]) -> frozenset[str]:
    return frozenset[str]().union(*(own_windows.own.names for own_windows in tracks))


def _names_in(tables: XStatTables, plane: int) -> Ints:
    """By entry of metadata its name, -1 where no event of the plane has it."""
    numbers = tables.used_in(plane)
    names = np.full(len(tables.first), -1, np.int64)
    names[tables.place[numbers]] = tables.name[numbers]
    return names


def _plane_counts(
    reader: QueryReader,
    having: Mapping[str, Ints],
    tables: XStatTables,
    plane: int,
    tracks: Sequence[_OwnWindows],
    windows_of: WindowsOf,
) -> Interruptible[SharedCounts]:
    """Counts of events of a plane by what they share."""
    parts = [own_windows.numbered(reader) for own_windows in tracks]
    whole = [part for part in parts if part is not None]
    numbered = None
    if len(whole) == len(parts):
        entries, events = (np.concatenate(columns) for columns in zip(*whole, strict=True))
        numbered = entries, events
    own_tracks = [own_windows.track for own_windows in tracks]
    return (yield from shared_counts(reader, having, _names_in(tables, plane), numbered, own_tracks, windows_of))


def _add_own(
    counter: EventCounter,
    reader: QueryReader,
    word_states: WordStates,
    tracks: Sequence[_OwnWindows],
    to_read: Collection[str],
) -> Interruptible[None]:
    """Adds what events of a plane have themselves, and under some names what they share, too: these are read."""
    own = EventCounter(reader, word_states)
    for own_windows in tracks:
        yield from own.add_parts(own_windows.track, own_windows.own.parts, own_windows.spans, own_windows.own)
    counter.add({name: count for name, count in own.take().items() if name not in to_read})
    for own_windows in tracks if to_read else ():
        for first, stop in own_windows.spans:
            yield from counter.add_read(own_windows.track, first, stop, to_read)


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
