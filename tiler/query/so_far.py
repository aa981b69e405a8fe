"""A store that grows as one question sees it: what is not there yet, or may still change, cannot be read unnoticed.

An answer is complete if nothing of that was read for it, whichever tool gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, Final

from tilescope.tiler.errors import NotBuilt, StoredLast, StoreError
from tilescope.tiler.query.store import GrowingQueryStore
from tilescope.tiler.query.tracks import TrackTree
from tilescope.tiler.records.steps import TrackSteps
from tilescope.tiler.schema import SETTLED_LAST, TRACK_FIGURES

# Of what a store returns where nothing is stored: in a store that grows it may be stored later.
_MAY_COME: Final = frozenset({"page", "names", "attachments"})


class StoreSoFar:
    """Answers as the store does. `is_short` once something was asked for that is not there yet, or not final.

    A block that is not done when the question begins is not done for it.
    """

    is_growing = True

    def __init__(self, store: GrowingQueryStore) -> None:
        manifest = store.manifest()
        self.is_short = not manifest["names"]["count"]  # the trace is still being read
        self._store = store
        self._layout = _layout_of(manifest)
        blocks = 0 if self.is_short else int(manifest["blocks"])
        self._done = frozenset(block for block in range(blocks) if store.shape(block) is not None)
        self._is_built = len(self._done) == blocks

    @property
    def has_moved(self) -> bool:
        """Whether the run is laid out otherwise by now than when the question began: what was read may not agree."""
        try:
            return _layout_of(self._store.manifest()) != self._layout
        except StoreError:
            return True

    def fall_short(self) -> None:
        """Something is not there yet, or not final, that the answer depends on."""
        self.is_short = True

    def manifest(self) -> dict[str, Any]:
        """As `QueryStore.manifest`; what is known last raises StoredLast when it is read."""
        return _ManifestSoFar(self._store.manifest(), self.fall_short)

    def tree(self, tree: TrackTree) -> TrackTree:
        """The track tree, with the figures that tracks of blocks that are done will have; others are told apart."""
        tracks = list(tree.tracks)
        built: dict[int, dict[str, Any]] = {}
        for block in self._done:
            built.update(self._store.track_facts(block))
        for number, track in built.items():
            tracks[number] = track
        merged = TrackTree(tree.groups, tracks)
        for number, track in enumerate(tracks):
            if number not in built:
                tracks[number] = _TrackSoFar(track, self.fall_short)
        return merged

    def shape(self, block: int) -> bytes | None:
        """As `QueryStore.shape`."""
        if block not in self._done:
            self.fall_short()
            return None
        return self._store.shape(block)

    def steps(self) -> Iterator[tuple[int, TrackSteps]]:
        """As `QueryStore.steps`: those of the blocks that are done."""
        self.is_short = self.is_short or not self._is_built
        return self._store.steps()

    def __getattr__(self, name: str) -> Any:
        of = getattr(self._store, name)
        if not callable(of):
            return of

        @wraps(of)
        def asked(*args: Any, **more: Any) -> Any:
            try:
                found = of(*args, **more)
            except NotBuilt:
                self.fall_short()
                raise
            if found is None and name in _MAY_COME:
                self.fall_short()
            return found

        return asked


class _ManifestSoFar(dict[str, Any]):
    def __init__(self, manifest: dict[str, Any], on_read: Callable[[], None]) -> None:
        super().__init__(manifest)
        self._on_read = on_read

    def __getitem__(self, name: str) -> Any:
        if name in SETTLED_LAST:
            self._on_read()
            raise StoredLast(f"the run is still being indexed: its {name} are not known yet")
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in SETTLED_LAST else super().get(name, default)


class _TrackSoFar(dict[str, Any]):
    """A track that is not built yet. Its figures are of what has been read; one that there is none of is NotBuilt."""

    def __init__(self, track: dict[str, Any], on_read: Callable[[], None]) -> None:
        super().__init__(track)
        self._on_read = on_read

    def __getitem__(self, name: str) -> Any:
        if name in TRACK_FIGURES:
            self._on_read()
            if name not in self:
                raise NotBuilt(f"track {self['id']} is not built yet")
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        return self[name] if name in TRACK_FIGURES else super().get(name, default)


def _layout_of(manifest: dict[str, Any]) -> tuple[object, ...]:
    return manifest["revision"], manifest["end"], manifest["tracks"]
