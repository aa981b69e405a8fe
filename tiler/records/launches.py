"""Chunks of launches: of slices of devices the slices of hosts that launched them. See docs/page-format.md."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import IntEnum
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import container
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.records.flow_ends import FlowEnds, whole_slices
from tilescope.tiler.records.record import Available, Record

Ints = NDArray[np.int64]

# A chunk has all launches of its slices. What is left of its last page of the file takes a tenth of what they do, of
# five million of bench/launch_run.py 0.2 MB beside 1.9; a chunk is read in a millisecond (2026-11-29).
LAUNCHES_OF_A_CHUNK: Final = 49152

_MAGIC: Final = b"TSLN"


LAUNCHES = Record(
    "l",
    "track event",
    "track {track}: launches from event {event} on",
    Available.AT_END,
    doc="what launched slices of a track on a device",
    proof="the flow ends, from which they are found anew; of those by correlation alone, that there are such slices, "
    "how many of them each track has, and the flow tiles of both",
)


class LaunchWay(IntEnum):
    """Evidence for a launch. Where there are several kinds of it, the least stands."""

    FLOW = 0  # a flow of the file leads from the launch to the slice of the device
    CORRELATION = 1  # both have one correlation


class StoredLaunches(Struct, frozen=True):
    """A chunk as it is stored, not compressed, and the launches on each track that has some, columns of shape (m,)."""

    event: int  # ordinal of the first slice
    data: bytes
    launching_track: Ints
    least: Ints  # ordinals of launches on that track lie between these two
    greatest: Ints


class Launches(Struct, frozen=True):
    """Pairs of one track, columns of shape (n,), each once.

    In the order (ordinal, partner's track, its ordinal). As they are stored, the partners are launches.
    """

    ordinal: Ints  # of the slice on this track
    partner_track: Ints
    partner_ordinal: Ints
    way: Ints  # LaunchWay

    def __len__(self) -> int:
        return len(self.ordinal)

    @classmethod
    def from_flow_ends(cls, ends: FlowEnds, is_on_device: NDArray[np.bool_]) -> Launches:
        """The launches among the file's flow ends of a device's track. `is_on_device`: of each track of the run."""
        is_launch = (ends.incoming == 1) & ~is_on_device[ends.partner_track]
        way = np.full(len(ends), LaunchWay.FLOW, np.int64)
        launches = cls(ends.ordinal, ends.partner_track, ends.partner_ordinal, way)
        if not is_launch.all():
            launches = launches.take(is_launch)
        if (launches.ordinal[1:] > launches.ordinal[:-1]).all():  # most slices have one launch
            return launches
        return launches.in_order().each_once()

    def seen_from(self, launching_track: int, work_track: int, first: int = 0, last: int = sys.maxsize) -> Launches:
        """Pairs of the slices `first` to `last` of a track that launches, from launches of work: it is the partner."""
        launch = self.partner_ordinal
        which = (self.partner_track == launching_track) & (launch >= first) & (launch <= last)
        launches = self.take(np.flatnonzero(which))
        track = np.full(len(launches), work_track, np.int64)
        return Launches(launches.partner_ordinal, track, launches.ordinal, launches.way)

    def of_slice(self, ordinal: int) -> Launches:
        """The pairs of a slice."""
        first, stop = np.searchsorted(self.ordinal, (ordinal, ordinal + 1))
        return self.take(slice(int(first), int(stop)))

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Launches:
        """Some of them."""
        return Launches(*(getattr(self, column)[which] for column in self.__struct_fields__))

    def in_order(self) -> Launches:
        """The pairs in stored order, wherever they stand."""
        order = np.argsort(self.ordinal, kind="stable")  # of few sorted runs it takes a tenth of the other
        ordinal = self.ordinal[order]
        if (ordinal[1:] == ordinal[:-1]).any():
            order = np.lexsort((self.way, self.partner_ordinal, self.partner_track, self.ordinal))
        return self.take(order)

    def each_once(self) -> Launches:
        """Pairs in stored order, of which each comes once."""
        is_first = np.ones(len(self), np.bool_)
        pairs = (self.ordinal, self.partner_track, self.partner_ordinal)
        is_first[1:] = np.any([np.diff(column) != 0 for column in pairs], axis=0)
        return self.take(is_first)

    def chunks(self) -> Iterator[Launches]:
        """Pairs in stored order, in chunks of whole slices."""
        return (self.take(part) for part in whole_slices(self.ordinal, LAUNCHES_OF_A_CHUNK))

    @classmethod
    def join(cls, parts: list[Launches]) -> Launches:
        """All of them, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in cls.__struct_fields__))

    def stored(self, track: int) -> StoredLaunches:
        """The chunk of this track that has these pairs."""
        code, tracks, before, *range_ = _native.partner_codes(self.partner_track, self.partner_ordinal)
        columns: dict[int, Ints] = {Col.LAUNCH_ORDINAL: self.ordinal, Col.LAUNCH_CODE: code, Col.LAUNCH_WAY: self.way}
        columns |= {Col.LAUNCHING_TRACK: tracks, Col.BEFORE_LAUNCH: before}
        return StoredLaunches(
            int(self.ordinal[0]), container.encode(_MAGIC, 0, len(self), track, columns), tracks, *range_
        )

    @classmethod
    def decode(cls, data: bytes, track: int) -> Launches:
        """The launches in a chunk of this track. Raises DamagedStore."""
        chunk = container.decode(data)
        if chunk.magic != _MAGIC or chunk.block != track:
            raise DamagedStore(f"a record is no chunk of launches of track {track}")
        ordinal, way, code = (chunk.ints(column) for column in (Col.LAUNCH_ORDINAL, Col.LAUNCH_WAY, Col.LAUNCH_CODE))
        if {len(ordinal), len(way), len(code)} != {chunk.n_tiles} or not chunk.n_tiles:
            raise DamagedStore(f"a chunk of launches of track {track} has columns of different lengths")
        try:
            partners = _native.decoded_partners(code, chunk.ints(Col.LAUNCHING_TRACK), chunk.ints(Col.BEFORE_LAUNCH))
        except ValueError as error:
            raise DamagedStore(f"a chunk of launches of track {track} is damaged: {error}") from error
        return cls(ordinal, *partners, way)


def launch_chunks(ends: FlowEnds, is_on_device: NDArray[np.bool_]) -> Iterator[Launches]:
    """The launches of a device's track in chunks, from all its flow ends in stored order: many millions, maybe."""
    pending: list[Launches] = []
    for part in whole_slices(ends.ordinal, LAUNCHES_OF_A_CHUNK):
        launches = Launches.from_flow_ends(ends.take(part), is_on_device)
        if pending and sum(map(len, pending)) + len(launches) > LAUNCHES_OF_A_CHUNK:
            yield Launches.join(pending)
            pending = []
        if len(launches):
            pending.append(launches)
    if pending:
        yield Launches.join(pending)


def merged_chunks(first: Iterator[Launches], second: Iterator[Launches]) -> Iterator[Launches]:
    """The launches of two sources of a track, each in chunks of whole slices in stored order, in such chunks.

    In memory are a chunk of each, and what is left of those before.
    """
    sources = (first, second)
    heads = [next(source, None) for source in sources]
    pending: list[Launches] = []
    while stops := [int(head.ordinal[-1]) for head in heads if head is not None]:
        for k, head in enumerate(heads):
            if head is None:
                continue
            size = int(np.searchsorted(head.ordinal, min(stops), side="right"))  # of slices of which both have all
            pending.append(head.take(slice(0, size)))
            heads[k] = head.take(slice(size, None)) if size < len(head) else next(sources[k], None)
        *whole, last = Launches.join(pending).in_order().chunks()
        yield from whole
        pending = [last]
    yield from pending
