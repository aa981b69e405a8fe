"""What a tool sees of a run: its store's reader, and the tracks that are done where it is still being indexed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import SLICE_KINDS, QueryReader
from tilescope.tiler.resolver import TickRange


class Scope:
    """For one question. `is_complete` turns False when tracks are left out because they are not built yet."""

    def __init__(self, reader: QueryReader) -> None:
        self.reader = reader
        self.is_complete = True
        self._done: dict[int, bool] = {}

    @property
    def manifest(self) -> dict[str, Any]:
        """As docs/api.md has it."""
        return self.reader.store.manifest()

    def within(self, span: TickRange) -> TickRange:
        """The part of a span that the run has; events that start at its last tick are in it."""
        stop = min(span.stop, self.reader.end + 1)
        return TickRange(min(span.start, stop), stop)

    def leaves(self, tracks: Sequence[int] | None, kinds: frozenset[str] = SLICE_KINDS) -> list[int]:
        """As `TrackTree.leaves`: the tracks that hold events, as far as they are done."""
        found = self.reader.tree.leaves(tracks, kinds)
        if not self.reader.store.is_growing:
            return found
        done = [track for track in found if self._is_done(track // TRACKS_PER_BLOCK)]
        self.is_complete = self.is_complete and len(done) == len(found)
        return done

    def _is_done(self, block: int) -> bool:
        if block not in self._done:
            self._done[block] = self.reader.store.shape(block) is not None
        return self._done[block]
