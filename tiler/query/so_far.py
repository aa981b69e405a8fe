"""A store that grows as one question sees it: what is not there yet, or may still change, cannot be read unnoticed.

An answer is complete if nothing of that was read for it, whichever tool gives it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

import msgspec
from msgspec import UNSET

from tilescope.tiler.errors import NotBuilt, StoredLast, StoreError
from tilescope.tiler.lookup.manifest import run_manifest
from tilescope.tiler.lookup.tracks import built_tracks
from tilescope.tiler.query.tracks import TrackTree
from tilescope.tiler.records.attachments import ATTACHMENTS
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.steps import STEPS
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.schema import SETTLED_LAST, TRACK_FIGURES, RunManifest, TreeTrack
from tilescope.tiler.store.store import Entry, NumberedRecord, Store

# Records that a store that grows may have later where it has none yet.
_MAY_COME: Final = frozenset({PAGE, NAMES, ATTACHMENTS})


class StoreSoFar:
    """Answers as the store does. `is_incomplete` once something was asked for that is not there yet, or not final.

    A block that is not done when the question begins is not done for it.
    """

    is_growing = True
    fetch = None

    def __init__(self, store: Store) -> None:
        self._run_manifest = run_manifest(store)
        self.is_incomplete = not self._run_manifest.names.count  # the trace is still being read
        self._store = store
        blocks = 0 if self.is_incomplete else self._run_manifest.blocks
        self._done = frozenset(block for block in range(blocks) if store.get(SHAPE, block) is not None)
        self._is_built = len(self._done) == blocks

    @property
    def has_moved(self) -> bool:
        """True if the run is laid out otherwise by now than when the question began: what was read may not agree."""
        try:
            return _layout_of(run_manifest(self._store)) != _layout_of(self._run_manifest)
        except StoreError:
            return True

    def mark_incomplete(self) -> None:
        """Notes that the answer depends on something that is not there yet, or not final."""
        self.is_incomplete = True

    def manifest(self) -> dict[str, Any]:
        """As `Store.manifest`; a figure that is known last raises StoredLast when it is read."""
        return _ManifestSoFar(self._store.manifest(), self.mark_incomplete)

    def run_manifest(self) -> RunManifest:
        """The same, decoded: as it was when the question began."""
        return _RunManifestSoFar(**_fields(self._run_manifest), on_read=self.mark_incomplete)

    def tree(self, tree: TrackTree) -> TrackTree:
        """The track tree, with the figures that tracks of blocks that are done will have; others are told apart."""
        tracks = list(tree.tracks)
        built: dict[int, TreeTrack] = {}
        for block in self._done:
            built.update(built_tracks(self._store, block))
        for number, track in built.items():
            tracks[number] = track
        merged = TrackTree(tree.groups, tracks)
        for number, track in enumerate(tracks):
            if number not in built:
                tracks[number] = _TrackSoFar(**_fields(track), on_read=self.mark_incomplete)
        return merged

    @property
    def build(self) -> str:
        """As `Store.build`."""
        return self._store.build

    @property
    def location(self) -> str:
        """As `Store.location`."""
        return self._store.location

    def ungated(self) -> Store:
        """As `Store.ungated`. It does not say what may still change, so that the answer counts as incomplete."""
        self.mark_incomplete()
        return self._store.ungated()

    def get(self, record: Record, *numbers: int) -> bytes | None:
        """As `Store.get`."""
        if record is SHAPE and numbers[0] not in self._done:
            self.mark_incomplete()
            return None
        with self._marking_incomplete():
            value = self._store.get(record, *numbers)
        if value is None and record in _MAY_COME:
            self.mark_incomplete()
        return value

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        """As `Store.at_most`."""
        with self._marking_incomplete():
            return self._store.at_most(record, *numbers)

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        """As `Store.scan`. Steps are those of the tracks that are built."""
        if record is STEPS and not self._is_built:
            self.mark_incomplete()
        with self._marking_incomplete():
            return self._store.scan(record, *numbers, start=start)

    def records(self) -> Iterator[Entry]:
        """As `Store.records`."""
        with self._marking_incomplete():
            return self._store.records()

    def internals(self) -> Mapping[str, Any]:
        """As `Store.internals`."""
        return self._store.internals()

    def close(self) -> None:
        """As `Store.close`."""
        self._store.close()

    @contextmanager
    def _marking_incomplete(self) -> Iterator[None]:
        try:
            yield
        except NotBuilt:
            self.mark_incomplete()
            raise


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


class _RunManifestSoFar(RunManifest, frozen=True, kw_only=True):
    on_read: Callable[[], None]

    def __getattribute__(self, name: str) -> Any:
        if name in SETTLED_LAST:
            self.on_read()
            raise StoredLast(f"the run is still being indexed: its {name} are not known yet")
        return super().__getattribute__(name)


class _TrackSoFar(TreeTrack, frozen=True, kw_only=True):
    """A track that is not built yet. Its figures are of what has been read; one that there is none of is NotBuilt."""

    on_read: Callable[[], None]

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name in TRACK_FIGURES:
            self.on_read()
            if value is UNSET:
                raise NotBuilt(f"track {self.id} is not built yet")
        return value

    def keys(self) -> list[str]:
        """As of a track that is built."""
        names = super().keys()
        return [name for name in names if name in TreeTrack.__struct_fields__]


def _fields(value: msgspec.Struct) -> dict[str, Any]:
    return msgspec.structs.asdict(value)


def _layout_of(manifest: RunManifest) -> tuple[object, ...]:
    return manifest.revision, manifest.end, manifest.tracks
