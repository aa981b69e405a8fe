"""Events that the rows of a table of kernels tell of, all at once, and how many rows and events have none."""

from __future__ import annotations

from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler.facts.kernel_rows import KernelRows
from tilescope.tiler.query import EVERYTHING, Interruptible, QueryReader, Reading
from tilescope.tiler.query.events import Events
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.records.cell_values import integers

Ints = NDArray[np.int64]

_NO_STREAM: Final = -1


class RowEvents(Struct, frozen=True):
    """The event of each row."""

    track: NDArray[np.int32]  # -1: none
    ordinal: Ints
    alike: int  # rows that others equal in start, stream and name: they have no event here
    named_otherwise: int  # rows whose stream has an event of their start, but of another name
    unplaced: int  # rows without a start, or with one outside of the run
    events: int  # on the tracks of such events
    events_without_row: int

    @property
    def joined(self) -> int:
        """Rows with an event."""
        return int(np.count_nonzero(self.track >= 0))

    def events_of(self, rows: Ints) -> list[str | None]:
        """The events of some rows, as answers have them."""
        pairs = zip(self.track[rows].tolist(), self.ordinal[rows].tolist(), strict=True)
        return [f"{track}.{ordinal}" if track >= 0 else None for track, ordinal in pairs]


_EVENTS: Final[KeyedRunCache[int, RowEvents]] = KeyedRunCache(
    "row_events", "Events of the rows of tables of kernels", lambda events: events.track.nbytes + events.ordinal.nbytes
)


def row_events(reader: QueryReader, table: KernelRows) -> Interruptible[RowEvents]:
    """The events of all rows of a table. Raises DamagedStore."""
    number = table.table.entry.id
    events = _EVENTS.get(reader, number)
    if events is None:
        events = _EVENTS.keep(reader, number, (yield from _Join(reader, table).run()))
    return events


class _Join:
    """Rows in groups of one start, stream and name, and the first event of each."""

    def __init__(self, reader: QueryReader, table: KernelRows) -> None:
        self._reader, self._table = reader, table

    def run(self) -> Interruptible[RowEvents]:
        """Reads all events of the tracks once."""
        table = self._table.table
        starts = yield from self._table.starts()
        rows = starts.rows
        codes, words = (yield from table.column(self._table.name)).coded()
        self._streams, stream_codes = np.unique((yield from self._row_streams()), return_inverse=True)
        self._word_codes = {word: code for code, word in enumerate(words)}
        self._n_words, self._n_streams = len(words) + 1, len(self._streams)
        self._ticks, tick = np.unique(starts.ticks, return_inverse=True)
        yield
        self._places, place = np.unique(tick * self._n_streams + stream_codes[rows], return_inverse=True)
        self._names, name = np.unique(tick * self._n_words + codes[rows] + 1, return_inverse=True)
        yield
        keys = name * self._n_streams + stream_codes[rows]
        self._keys, group, copies = np.unique(keys, return_inverse=True, return_counts=True)
        self._is_met = np.zeros(len(self._places), np.bool_)
        self._track = np.full(len(self._keys), -1, np.int32)
        self._ordinal = np.zeros(len(self._keys), np.int64)
        events = without_row = 0
        for track, stream in self._table.streams().items():
            plan = self._reader.plan(track, EVERYTHING)
            for part in Reading(self._reader).events_and_outliers(plan, plan.leaf_runs):
                events += len(part)
                without_row += len(part) - self._join(part, stream)
                yield
        is_single, is_joined = copies[group] == 1, self._track[group] >= 0
        chosen = is_single & is_joined
        tracks, ordinals = np.full(len(table), -1, np.int32), np.zeros(len(table), np.int64)
        tracks[rows[chosen]] = self._track[group[chosen]]
        ordinals[rows[chosen]] = self._ordinal[group[chosen]]
        alike = int(np.count_nonzero(~is_single))
        otherwise = int(np.count_nonzero(is_single & ~is_joined & self._is_met[place]))
        return RowEvents(tracks, ordinals, alike, otherwise, len(table) - len(rows), events, without_row)

    def _join(self, events: Events, stream: int | None) -> int:
        """Joins events of a track; the number of those with a row: of their stream, or of none."""
        tick, words = _find(self._ticks, events.start), self._words(events.name)
        name = np.where((tick < 0) | (words < 0), -1, _find(self._names, tick * self._n_words + words + 1))
        if stream is None:
            groups = [self._only_group(name)]
        else:
            codes = _find(self._streams, np.array([stream, _NO_STREAM])).tolist()
            if codes[0] >= 0:
                places = _find(self._places, tick * self._n_streams + codes[0])
                self._is_met[places[(tick >= 0) & (places >= 0)]] = True
            groups = [_find(self._keys, name * self._n_streams + code) for code in codes if code >= 0]
        has_row = np.zeros(len(events), np.bool_)
        for group in groups:
            group[name < 0] = -1
            has_row |= group >= 0
            joined = np.flatnonzero(group >= 0)
            free = joined[self._track[group[joined]] < 0][::-1]  # the first event stays
            self._track[group[free]] = events.track
            self._ordinal[group[free]] = events.ordinal[free]
        return int(np.count_nonzero(has_row))

    def _only_group(self, name: Ints) -> Ints:
        """The groups of a start and a name, whatever their stream; -1 where there are several."""
        first, stop = (np.searchsorted(self._keys, (name + more) * self._n_streams) for more in (0, 1))
        return np.where(stop - first == 1, first, -1)

    def _words(self, names: Ints) -> Ints:
        """Codes of the names of events among those of rows; -1: no row has it."""
        ids, places = np.unique(names, return_inverse=True)
        texts = self._reader.names.by_id(ids.tolist())
        return np.array([self._word_codes.get(texts[number].text, -1) for number in ids.tolist()], np.int64)[places]

    def _row_streams(self) -> Interruptible[Ints]:
        """The stream of each row; a cell that is no number of a stream says none."""
        table, streams = self._table.table, [np.zeros(0, np.int64)]
        if not self._table.stream:
            return np.full(len(table), _NO_STREAM)
        for (column,) in table.chunks([self._table.stream]):
            numbers, are_whole = integers(column.chunk(0))
            streams.append(np.where(are_whole & (numbers >= 0), numbers, _NO_STREAM))
            yield
        return np.concatenate(streams)


def _find(values: Ints, wanted: Ints) -> Ints:
    """The places of values in ascending ones; -1: it is not there."""
    if not len(values):
        return np.full(len(wanted), -1, np.int64)
    places = np.minimum(np.searchsorted(values, wanted), len(values) - 1)
    return np.where(values[places] == wanted, places, -1)
