"""When a device works, and on what: piece by piece, so that memory does not grow with the run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.devices import WorkTrack
from tilescope.tiler.facts.work import Work
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.pages.leaf_parts import leaf_parts
from tilescope.tiler.pages.leaf_spans import LeafSpans
from tilescope.tiler.query import QueryReader, Steps
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# Events that are looked at together: some 10 ms, some megabytes.
_EVENTS_AT_ONCE: Final = 200_000

# Pages between which whoever asks may stop: about 1 ms each.
_PAGES_AT_ONCE: Final = 16

_KEPT_PAGES: Final = 16  # small tracks of a block share pages

NOTHING: Final = Windows.from_spans([], [])


@dataclass(frozen=True, slots=True)
class WorkSpans:
    """When what runs."""

    computation: Windows = NOTHING
    communication: Windows = NOTHING
    copies: Windows = NOTHING

    @property
    def any(self) -> Windows:
        """When anything runs."""
        return self.computation.joined(self.communication, self.copies)

    def joined(self, other: WorkSpans) -> WorkSpans:
        """That of both together."""
        return WorkSpans(
            self.computation.joined(other.computation),
            self.communication.joined(other.communication),
            self.copies.joined(other.copies),
        )


@dataclass(frozen=True, slots=True)
class Piece:
    """What happens in some windows, track by track."""

    windows: Windows
    of: Sequence[WorkSpans]


class Busy:
    """Reads when some tracks of a device are busy."""

    def __init__(self, reader: QueryReader, tracks: Sequence[WorkTrack]) -> None:
        """Raises NotBuilt for a track that is not there yet, DamagedStore."""
        self._leaves = [_Leaves(reader, track) for track in tracks]
        self._page = lru_cache(_KEPT_PAGES)(reader.page_content)

    def pieces(self, windows: Windows) -> Iterator[Piece | None]:
        """Pieces that make up the windows, by time; None where whoever asks may stop. Raises DamagedStore."""
        for part in self.parts(windows):
            found = []
            for of in self._leaves:
                spans = LeafSpans(of.kinds)
                for _ in self._read(of, of.meet(part), part, spans):
                    yield None
                found.append(_work_spans(spans.take()))
            yield Piece(part, found)

    def ticks(self, windows: Windows) -> int:
        """In how many ticks of the windows any track works. Raises DamagedStore."""
        if len(self._leaves) > 1:
            found = [piece for piece in self.pieces(windows) if piece is not None]
            return sum(piece.of[0].any.joined(*(other.any for other in piece.of[1:])).ticks for piece in found)
        total = 0
        for of in self._leaves:
            for part in self.parts(windows):
                spans = LeafSpans(of.kinds)
                for _ in self._read(of, of.meet(part), part, spans):
                    pass
                total += spans.take_ticks()
        return total

    def extent(self, span: TickRange) -> Steps[Windows]:
        """From the start of the first work in a span to the end of the last; nothing where there is none."""
        found = []
        for of in self._leaves:
            within = np.flatnonzero((of.start < span.stop) & (of.stop > span.start)).tolist()
            first = yield from self._first_work(of, within, span)
            if len(first):
                last = yield from self._first_work(of, within[::-1], span)
                found.append((first.start, last.stop))
        if not found:
            return NOTHING
        return Windows.single(min(start for start, _ in found), max(stop for _, stop in found))

    def _first_work(self, of: _Leaves, order: Sequence[int], span: TickRange) -> Steps[Windows]:
        """The work in the first leaf that has any: what reaches into other leaves is there as well."""
        for number, at in enumerate(order):
            leaf = slice(at, at + 1)
            spans = LeafSpans(of.kinds)
            windows = Windows.from_spans(of.start[leaf], of.stop[leaf]).clipped(*span)
            for _ in self._read(of, of.tiles[leaf], windows, spans):
                pass
            work = NOTHING.joined(*spans.take()[1:])
            if len(work):
                return work
            if number % _PAGES_AT_ONCE == 0:
                yield
        return NOTHING

    def _read(self, of: _Leaves, tiles: Ints, windows: Windows, spans: LeafSpans) -> Iterator[None]:
        if not len(tiles):
            return
        parts = leaf_parts(of.shape, np.sort(tiles), windows)
        page = of.tiles_of_block.page_starts_of(parts[0])
        for number, of_page in enumerate(np.split(parts, np.flatnonzero(np.diff(page)) + 1, axis=1)):
            first = int(of.tiles_of_block.page_starts_of(of_page[0, :1])[0])
            content = self._page(of.tiles_of_block.page_key(first))
            names = None if of.rename is None else of.rename(content, of.shape, first, of_page[0])
            spans.add(content, of.shape, first, of_page, names)
            if number % _PAGES_AT_ONCE == _PAGES_AT_ONCE - 1:
                yield

    def parts(self, windows: Windows) -> Iterator[Windows]:
        """The windows, cut so that in each part not too many events start; none where nothing can be is left out."""
        start = np.concatenate([of.start for of in self._leaves]) if self._leaves else np.zeros(0, np.int64)
        events = np.concatenate([of.events for of in self._leaves]) if self._leaves else start
        seen = windows.meet(start, start + 1) | ((start >= windows.start) & (start < windows.stop))
        start, events = start[seen], events[seen]
        order = np.argsort(start, kind="stable")
        number = np.cumsum(events[order]) // _EVENTS_AT_ONCE
        borders = start[order][np.flatnonzero(np.diff(number, prepend=0))]
        at = windows.start
        for border in [*np.unique(borders).tolist(), windows.stop]:
            part = windows.clipped(at, border)
            at = max(at, border)
            if len(part):
                yield part


class _Leaves:
    """The leaves of a track, by time."""

    def __init__(self, reader: QueryReader, of: WorkTrack) -> None:
        self.kinds = of.kinds
        outliers = reader.outliers
        has_outliers = outliers is not None and outliers.ordinals(of.track) is not None
        self.rename = outliers.rename() if outliers and has_outliers else None
        self.tiles_of_block = reader.tiles(of.track // TRACKS_PER_BLOCK)
        self.shape = self.tiles_of_block.shape
        self.tiles = self.shape.leaves(of.track % TRACKS_PER_BLOCK)
        shift = 2 * self.shape.level[self.tiles] + 8
        self.start = self.shape.index[self.tiles] << shift
        self.stop = (self.shape.index[self.tiles] + 1) << shift
        self.events = self.shape.events[self.tiles]

    def meet(self, windows: Windows) -> Ints:
        """Those that have a tick in a window."""
        return self.tiles[windows.meet(self.start, self.stop)]


def _work_spans(kinds: Sequence[Windows]) -> WorkSpans:
    """Of one track: an operation that runs others is computation where none of them runs."""
    computation, communication, copies = (kinds[kind] for kind in (Work.COMPUTATION, Work.COMMUNICATION, Work.COPY))
    control = kinds[Work.CONTROL]
    if len(control):
        computation = computation.joined(control.without(computation.joined(communication, copies)))
    return WorkSpans(computation, communication, copies)
