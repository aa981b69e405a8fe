"""Chunks of launches: the slices of hosts that launched slices of devices, seen from both. See docs/page-format.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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

# A chunk has all launches of its slices. With 8,192, what is left of a page of the file took half as much as they do.
LAUNCHES_OF_A_CHUNK: Final = 32768

_MAGIC: Final = b"TSLN"


LAUNCHES = Record(
    "l",
    "track event",
    "track {track}: launches from event {event} on",
    Available.AT_END,
    doc="what launched slices of a track on a device, and what its slices launched on devices",
    proof="the flow ends, from which they are found anew; of those by correlation alone, that both tracks name the "
    "same pairs, and how many",
)


class LaunchWay(IntEnum):
    """Evidence for a launch. Where there are several kinds of it, the least stands."""

    FLOW = 0  # a flow of the file leads from the launch to the slice of the device
    CORRELATION = 1  # both have one correlation


class Launches(Struct, frozen=True):
    """Pairs of one track, columns of shape (n,), each once.

    In the order (ordinal, partner's track, its ordinal, incoming).
    """

    ordinal: Ints  # of the slice on this track
    partner_track: Ints
    partner_ordinal: Ints
    way: Ints  # LaunchWay
    incoming: Ints  # 1: the partner launched the slice, 0: the slice launched the partner

    def __len__(self) -> int:
        return len(self.ordinal)

    @classmethod
    def from_flow_ends(cls, ends: FlowEnds, is_on_device: NDArray[np.bool_], track: int) -> Launches:
        """The launches among the file's flow ends of a track. `is_on_device`: of each track of the run."""
        of_device = bool(is_on_device[track])
        is_launch = (ends.incoming == int(of_device)) & (is_on_device[ends.partner_track] != of_device)
        way = np.full(len(ends), LaunchWay.FLOW, np.int64)
        launches = cls(ends.ordinal, ends.partner_track, ends.partner_ordinal, way, ends.incoming)
        if not is_launch.all():
            launches = launches.take(is_launch)
        if (launches.ordinal[1:] > launches.ordinal[:-1]).all():  # most slices have one launch
            return launches
        return launches.in_order().each_once()

    def take(self, which: Ints | NDArray[np.bool_] | slice) -> Launches:
        """Some of them."""
        return Launches(*(getattr(self, column)[which] for column in self.__struct_fields__))

    def in_order(self) -> Launches:
        """The pairs in stored order, wherever they stand."""
        order = np.argsort(self.ordinal, kind="stable")  # of few sorted runs it takes a tenth of the other
        ordinal = self.ordinal[order]
        if (ordinal[1:] == ordinal[:-1]).any():
            order = np.lexsort((self.way, self.incoming, self.partner_ordinal, self.partner_track, self.ordinal))
        return self.take(order)

    def each_once(self) -> Launches:
        """Pairs in stored order, of which each comes once."""
        is_first = np.ones(len(self), np.bool_)
        pairs = (self.ordinal, self.partner_track, self.partner_ordinal, self.incoming)
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

    def encode(self, track: int) -> bytes:
        """A column container, not compressed."""
        columns: dict[int, Ints] = {int(column): getattr(self, name) for name, column in _COLUMNS.items()}
        steps, before = _native.partner_steps(self.partner_track, self.partner_ordinal)
        columns |= {int(Col.LAUNCH_PARTNER_STEP): steps, int(Col.LAUNCH_BEFORE_PARTNERS): before}
        return container.encode(_MAGIC, 0, len(self), track, columns)

    @classmethod
    def decode(cls, data: bytes, track: int) -> Launches:
        """The launches in a chunk of this track. Raises DamagedStore."""
        chunk = container.decode(data)
        if chunk.magic != _MAGIC or chunk.block != track:
            raise DamagedStore(f"a record is no chunk of launches of track {track}")
        columns = {name: chunk.ints(column) for name, column in _COLUMNS.items()}
        steps, before = chunk.ints(Col.LAUNCH_PARTNER_STEP), chunk.ints(Col.LAUNCH_BEFORE_PARTNERS)
        lengths = {len(steps), *map(len, columns.values())}
        if lengths != {chunk.n_tiles} or not chunk.n_tiles:
            raise DamagedStore(f"a chunk of launches of track {track} has columns of different lengths")
        try:
            columns["partner_ordinal"] = _native.partner_ordinals(columns["partner_track"], steps, before)
        except ValueError as error:
            raise DamagedStore(f"a chunk of launches of track {track} is damaged: {error}") from error
        return cls(**columns)


def launch_chunks(ends: FlowEnds, is_on_device: NDArray[np.bool_], track: int) -> Iterator[Launches]:
    """The launches of a track in chunks, from all its flow ends in stored order: there may be many millions of them."""
    pending: list[Launches] = []
    for part in whole_slices(ends.ordinal, LAUNCHES_OF_A_CHUNK):
        launches = Launches.from_flow_ends(ends.take(part), is_on_device, track)
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


# Ordinals of partners are stored as steps.
_COLUMNS: Final[Mapping[str, Col]] = {
    "ordinal": Col.LAUNCH_ORDINAL,
    "partner_track": Col.LAUNCH_PARTNER_TRACK,
    "way": Col.LAUNCH_WAY,
    "incoming": Col.LAUNCH_INCOMING,
}
