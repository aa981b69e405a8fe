"""What a tool sees of a run: its store's reader, and the tracks that are done where it is still being indexed.

Of other builds that a question names, it sees the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import SLICE_KINDS, QueryReader
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.references import BuildRef, HostRef


class Scope:
    """For one question. `others` are the readers of the builds that it names."""

    def __init__(self, reader: QueryReader, others: Mapping[BuildRef, QueryReader] | None = None) -> None:
        self.reader = reader
        self._others = {name: Scope(other) for name, other in (others or {}).items()}
        self._is_complete = True
        self._done: dict[int, bool] = {}

    @property
    def is_complete(self) -> bool:
        """False once tracks were left out, here or of another build, because they are not built yet."""
        return self._is_complete and all(other.is_complete for other in self._others.values())

    def of(self, build: BuildRef) -> Scope:
        """The same for another build that the question names."""
        return self._others[build]

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
        self._is_complete = self._is_complete and len(done) == len(found)
        return done

    def tracks_of(self, host: HostRef) -> list[int]:
        """All tracks of a host, rollups included."""
        return self.reader.tree.of_host(host)

    def _is_done(self, block: int) -> bool:
        if block not in self._done:
            self._done[block] = self.reader.store.shape(block) is not None
        return self._done[block]
