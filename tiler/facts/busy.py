"""Times at which a device works, by kind of work: piece by piece, so that memory does not grow with the run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, reduce
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import WorkTrack
from tilescope.tiler.facts.track_leaves import NO_SLICES, TrackLeaves
from tilescope.tiler.facts.work import Work
from tilescope.tiler.pages.leaf_spans import LeafPages, LeafSpans
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.store.two_threads import worked_aside
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Events that are looked at together: some 10 ms, some megabytes.
_EVENTS_AT_ONCE: Final = 200_000

# Pages between which whoever asks may stop: about 1 ms each.
_PAGES_AT_ONCE: Final = 16

_KEPT_PAGES: Final = 16  # small tracks of a block share pages

NOTHING: Final = Windows.from_spans([], [])


# Kinds of the fields of `WorkSpans`, in their order.
FIELDS: Final = (
    *(Work.COMPUTATION, Work.COMMUNICATION, Work.TO_DEVICE, Work.TO_HOST),
    *(Work.COPY, Work.INFEED, Work.OUTFEED),
)


@dataclass(frozen=True, slots=True)
class WorkSpans:
    """Windows of each kind of work. Copies of a direction are told apart where somebody asks for it.

    In the order in which they hide each other: where two run, the time is that of the first.
    """

    computation: Windows = NOTHING
    communication: Windows = NOTHING
    to_device: Windows = NOTHING
    to_host: Windows = NOTHING
    copies: Windows = NOTHING
    infeed: Windows = NOTHING
    outfeed: Windows = NOTHING

    @property
    def kinds(self) -> Sequence[Windows]:
        """All fields in turn."""
        return [getattr(self, name) for name in WorkSpans.__slots__]

    @property
    def any(self) -> Windows:
        """Windows in which anything runs."""
        return NOTHING.joined(*self.kinds)

    def joined(self, other: WorkSpans) -> WorkSpans:
        """That of both together."""
        return WorkSpans(*(mine.joined(theirs) for mine, theirs in zip(self.kinds, other.kinds, strict=True)))


@dataclass(frozen=True, slots=True)
class Piece:
    """Work in some windows, track by track."""

    windows: Windows
    of: Sequence[WorkSpans]

    @property
    def work(self) -> WorkSpans:
        """That of all tracks together."""
        return reduce(WorkSpans.joined, self.of, WorkSpans())


@dataclass(frozen=True, slots=True)
class UnsortedPiece:
    """Pages in some windows, track by track, of whose slices nothing has been read: which any thread may do."""

    windows: Windows
    tracks: Sequence[tuple[NDArray[np.uint8], LeafPages]]  # with the kind of each name

    def kinds(self) -> list[Sequence[Windows]]:
        """Windows of each kind, of each track. Raises DamagedStore."""
        return [LeafSpans(kinds).windows(pages) for kinds, pages in self.tracks]

    def sorted(self) -> Piece:
        """The work of each track. Raises DamagedStore."""
        return Piece(self.windows, list(map(_work_spans, self.kinds())))


class Busy:
    """Reads when some tracks of a device are busy."""

    def __init__(
        self, reader: QueryReader, tracks: Sequence[WorkTrack], left_out: Mapping[int, Ints] = NO_SLICES
    ) -> None:
        """`left_out`: slices that do not count, ordinals by track.

        Raises NotBuilt for a track that is not there yet, DamagedStore.
        """
        self._reader = reader
        self._leaves = [TrackLeaves(reader, track, left_out) for track in tracks]
        self._page = lru_cache(_KEPT_PAGES)(reader.slice_content)

    def pieces(self, windows: Windows) -> Iterator[Piece | None]:
        """Pieces that make up the windows, by time; None where whoever asks may stop. Raises DamagedStore."""
        return worked_aside(self.unsorted_pieces(windows), UnsortedPiece.sorted)

    def kind_pieces(self, windows: Windows) -> Iterator[tuple[Windows, Sequence[Sequence[Windows]]] | None]:
        """As `pieces`: windows, and when slices of each kind run, track by track. Kinds may be of any sort."""
        return worked_aside(self.unsorted_pieces(windows), lambda piece: (piece.windows, piece.kinds()))

    def unsorted_pieces(self, windows: Windows) -> Iterator[UnsortedPiece | None]:
        """As `pieces`, before spans are put into order: which another thread may do while the next piece is read."""
        for part in self.parts(windows):
            wanted = [leaves.parts(leaves.meet(part), part) for leaves in self._leaves]
            keys = list(dict.fromkeys(key for parts in wanted for key in parts.pages))
            contents = dict(zip(keys, (yield from self._reader.slice_contents(keys)), strict=True))
            tracks = []
            for leaves, parts in zip(self._leaves, wanted, strict=True):
                tracks.append((leaves.kinds, leaves.pages(parts, contents.__getitem__)))
                yield None
            yield UnsortedPiece(part, tracks)

    def ticks(self, windows: Windows) -> int:
        """Number of ticks of the windows in which any track works. Raises DamagedStore."""
        if len(self._leaves) > 1:
            pieces = [piece for piece in self.pieces(windows) if piece is not None]
            return sum(piece.of[0].any.joined(*(other.any for other in piece.of[1:])).ticks for piece in pieces)
        total = 0
        for leaves in self._leaves:
            for part in self.parts(windows):
                total += self._spans(leaves, leaves.meet(part), part).take_ticks()
        return total

    def extent(self, span: TickRange) -> Interruptible[Windows]:
        """From the start of the first work in a span to the end of the last; nothing where there is none."""
        within = [(leaves.start < span.stop) & (leaves.stop > span.start) for leaves in self._leaves]
        start, stop = span.stop, span.start
        for leaves, are_within in zip(self._leaves, within, strict=True):  # what is no earlier than others is not read
            places = np.flatnonzero(are_within & (leaves.start < start)).tolist()
            first = yield from self._first_work(leaves, places, span)
            if len(first):
                start = min(start, first.start)
        if start == span.stop:
            return NOTHING
        for leaves, are_within in zip(self._leaves, within, strict=True):
            places = np.flatnonzero(are_within & (leaves.stop > stop)).tolist()
            last = yield from self._first_work(leaves, places[::-1], span)
            if len(last):
                stop = max(stop, last.stop)
        return Windows.single(start, stop)

    def _first_work(self, leaves: TrackLeaves, order: Sequence[int], span: TickRange) -> Interruptible[Windows]:
        """The work in the first leaf that has any: what reaches into other leaves is there as well."""
        for number, index in enumerate(order):
            leaf = slice(index, index + 1)
            windows = Windows.from_spans(leaves.start[leaf], leaves.stop[leaf]).clipped(*span)
            work = NOTHING.joined(*self._spans(leaves, leaves.tiles[leaf], windows).take()[1:])
            if len(work):
                return work
            if number % _PAGES_AT_ONCE == 0:
                yield
        return NOTHING

    def _spans(self, leaves: TrackLeaves, tiles: Ints, windows: Windows) -> LeafSpans:
        spans = LeafSpans(leaves.kinds)
        for page in leaves.pages(leaves.parts(tiles, windows), self._page):
            spans.add(*page)
        return spans

    def parts(self, windows: Windows) -> Iterator[Windows]:
        """The windows, cut so that in each part not too many events start; none where nothing can be is left out."""
        start = np.concatenate([leaves.start for leaves in self._leaves]) if self._leaves else np.zeros(0, np.int64)
        events = np.concatenate([leaves.events for leaves in self._leaves]) if self._leaves else start
        seen = windows.meet(start, start + 1) | ((start >= windows.start) & (start < windows.stop))
        start, events = start[seen], events[seen]
        order = np.argsort(start, kind="stable")
        number = np.cumsum(events[order]) // _EVENTS_AT_ONCE
        borders = start[order][np.flatnonzero(np.diff(number, prepend=0))]
        border_before = windows.start
        for border in [*np.unique(borders).tolist(), windows.stop]:
            part = windows.clipped(border_before, border)
            border_before = max(border_before, border)
            if len(part):
                yield part


def _work_spans(kinds: Sequence[Windows]) -> WorkSpans:
    """Work of one track: an operation that runs others is computation where none of them runs."""
    work = WorkSpans(*(kinds[kind] for kind in FIELDS))
    control = kinds[Work.CONTROL]
    return replace(work, computation=work.computation.joined(control.without(work.any))) if len(control) else work
