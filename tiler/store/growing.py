"""A store that can be read while it is built: what is there so far, and what becomes of it when it is published.

The process that builds commits a block's shape record last, so a block that has one is complete, and stays as it is.
Manifest, track tree, names and overview are written anew until reading is done, and the manifest says so by a higher
revision. Publication renames the folder under the open file, which goes on being read; no file is opened twice.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.chunk import Chunk
from tilescope.tiler.details.codec import Arguments
from tilescope.tiler.details.values import Values
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.errors import NoStore, NotBuilt, StoredLast, StoreError
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey, decompress
from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.records.arguments import ARGUMENT_TABLES
from tilescope.tiler.records.flow_ends import FlowEnds
from tilescope.tiler.records.histogram import Histogram
from tilescope.tiler.records.manifest import MANIFEST
from tilescope.tiler.records.steps import TrackSteps
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.records.tracks import BLOCK_TRACKS
from tilescope.tiler.store.call_stacks import REFER
from tilescope.tiler.store.lmdb_reader import LmdbReader
from tilescope.tiler.store.origin_reader import OriginReader
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.store.use import Use, hold

_OPEN_TRIES: Final = 5  # the folder may be renamed between looking for it and opening it


class GrowingStore:
    """One generation from the moment when there is something to show. Answers as `RunStore` does.

    Until `published` was called its answers may change, and what needs a block that is not done raises `NotBuilt`.
    """

    def __init__(self, data: LmdbReader, path: Path, use: Use) -> None:
        self._data = data
        self._path = path
        self._use = use
        self._manifest: bytes | None = None  # as it was stored when `_now` was made
        self._now: RunStore
        self._done: set[int] = set()  # blocks that are known to be there
        self.is_growing = True
        self.build = self._reader().build

    def manifest(self) -> dict[str, Any]:
        """As `RunStore.manifest`: of what is known so far."""
        return self._reader().manifest()

    def internals(self) -> dict[str, Any]:
        """The whole manifest, with what only this package reads."""
        return self._reader().internals()

    def sources(self) -> tuple[Fingerprint, ...]:
        """What the trace files were when indexing began."""
        return self._reader().sources()

    def tracks(self) -> bytes:
        """The track tree so far, compressed."""
        return self._now.tracks()

    def names(self, page: int) -> bytes | None:
        """A page of the names so far, compressed."""
        return self._now.names(page)

    def overview(self, page: int) -> bytes | None:
        """A page of the overview, compressed; provisional until the blocks are built."""
        return self._now.overview(page)

    def shape(self, block: int) -> bytes | None:
        """The shape record of a block that is done, compressed."""
        return self._now.shape(block)

    def page(self, key: PageKey) -> bytes | None:
        """A page of a block that is done, or its residual, compressed."""
        return self._now.page(key) if not self.is_growing or self._is_done(key.block) else None

    def attachments(self) -> bytes | None:
        """As `RunStore.attachments`."""
        return self._now.attachments()

    def attachment_chunk(self, number: int, chunk: int) -> bytes:
        """As `RunStore.attachment_chunk`."""
        return self._now.attachment_chunk(number, chunk)

    def event_metadata(self, file: int) -> XStatTables | None:
        """As `RunStore.event_metadata`. Raises NotBuilt."""
        self._require_all("what events share")
        return self._now.event_metadata(file)

    def rows_chunk(self, number: int) -> bytes | None:
        """As `RunStore.rows_chunk`. Raises NotBuilt."""
        self._require_all("what events share")
        return self._now.rows_chunk(number)

    def file_of(self, track: int) -> int:
        """As `RunStore.file_of`."""
        return self._reader().file_of(track)

    def track_facts(self, block: int) -> dict[int, dict[str, Any]]:
        """The tracks of a block that is done, by id, as the track tree will have them."""
        record = self._data.get(BLOCK_TRACKS.key(block))
        return {} if record is None else {track["id"]: track for track in json.loads(decompress(record))}

    def flow_tiles(self, track: int, level: int, index: int) -> bytes | None:
        """As `RunStore.flow_tiles`. Raises NotBuilt."""
        self._require_all("flows")
        return self._now.flow_tiles(track, level, index)

    def flow_ends_at(self, track: int, ordinal: int) -> FlowEnds | None:
        """As `RunStore.flow_ends_at`. Raises NotBuilt."""
        self._require_all("flows")
        return self._now.flow_ends_at(track, ordinal)

    def flow_ends(self, track: int, first: int = 0) -> Iterator[FlowEnds]:
        """As `RunStore.flow_ends`. Raises NotBuilt."""
        self._require_all("flows")
        return self._now.flow_ends(track, first)

    def origins(self) -> OriginReader:
        """As `RunStore.origins`. Raises NotBuilt."""
        if self.is_growing:
            raise StoredLast("where tracks come from is not stored yet")
        return self._now.origins()

    def event(self, track: int, ordinal: int) -> dict[str, Any] | None:
        """As `RunStore.event`, without its flows as long as these are not stored. Raises NotBuilt."""
        if not self.is_growing:
            return self._now.event(track, ordinal)
        self._require(track)
        if ordinal >= self._events(track):
            return None
        reader = self._reader()
        if self._data.get(ARGUMENT_TABLES.key(reader.file_of(track))) is None:
            raise NotBuilt(f"what decodes the arguments of track {track} is not stored yet")
        event = reader.event(track, ordinal)
        if event is not None and any(argument["name"] in REFER for argument in event["args"]):
            self._require_all("call stacks")
        return event and {**event, "flows": None}

    def flow_end_chunks(self, track: int) -> Iterator[bytes]:
        """As `RunStore.flow_end_chunks`. Raises NotBuilt."""
        self._require_all("flows")
        return self._now.flow_end_chunks(track)

    def histogram(self, track: int, start: int, end: int) -> Histogram | None:
        """As `RunStore.histogram`. Raises NotBuilt, for a rollup unless all of its tracks are done."""
        reader = self._reader()
        tracks = reader.internals()["tracks"]
        if 0 <= track < len(tracks):
            for child in tracks[track].get("children", [track]):
                self._require(child)
        return reader.histogram(track, start, end)

    def histogram_record(self, track: int, level: int, index: int) -> bytes | None:
        """As `RunStore.histogram_record`. Raises NotBuilt."""
        self._require(track)
        return self._now.histogram_record(track, level, index)

    def spread_record(self, track: int, level: int, index: int) -> bytes | None:
        """As `RunStore.spread_record`. Raises NotBuilt."""
        self._require(track)
        return self._now.spread_record(track, level, index)

    def block_histogram_record(self, block: int, level: int, index: int, *, by_track: bool = False) -> bytes | None:
        """As `RunStore.block_histogram_record`; None where it is not built."""
        return self._now.block_histogram_record(block, level, index, by_track=by_track)

    def block_spread_record(self, block: int, level: int, index: int, *, by_track: bool = False) -> bytes | None:
        """As `RunStore.block_spread_record`; None where it is not built."""
        return self._now.block_spread_record(block, level, index, by_track=by_track)

    def args_chunk(self, track: int, ordinal: int) -> Chunk | None:
        """As `RunStore.args_chunk`."""
        self._require(track)
        return self._now.args_chunk(track, ordinal)

    def kinds_record(self, track: int) -> bytes | None:
        """As `RunStore.kinds_record`. Raises NotBuilt."""
        self._require(track)
        return self._now.kinds_record(track)

    def operation_sums_record(self, track: int) -> bytes | None:
        """As `RunStore.operation_sums_record`. Raises NotBuilt."""
        self._require(track)
        return self._now.operation_sums_record(track)

    def step_sums_record(self, track: int) -> bytes | None:
        """As `RunStore.step_sums_record`. Raises NotBuilt."""
        self._require(track)
        return self._now.step_sums_record(track)

    def operations_record(self, track: int, first: int) -> bytes:
        """As `RunStore.operations_record`."""
        return self._now.operations_record(track, first)

    def args_decoder(self, file: int) -> Callable[[bytes], Arguments]:
        """As `RunStore.args_decoder`. Raises NotBuilt."""
        self._require_all("what events share")
        return self._now.args_decoder(file)

    def args_values(self, file: int, chunk: Chunk, at: NDArray[np.int64], names: Sequence[str]) -> list[Values]:
        """As `RunStore.args_values`. Raises NotBuilt."""
        self._require_all("what events share")
        return self._now.args_values(file, chunk, at, names)

    def page_names(self, block: int) -> Iterator[bytes]:
        """As `RunStore.page_names`: of a block that is done."""
        return self._now.page_names(block)

    def steps(self) -> Iterator[tuple[int, TrackSteps]]:
        """As `RunStore.steps`: of the tracks that are built so far."""
        return self._now.steps()

    def file_of_tracks(self) -> Sequence[int]:
        """As `RunStore.file_of_tracks`."""
        return self._reader().file_of_tracks()

    def published(self) -> None:
        """It is the current generation now, and complete: from here on its answers stay as they are."""
        self.is_growing = False
        self._data.published(self._path / f"gen-{self.build}")
        self._reader()

    def abandoned(self) -> None:
        """It will not be published. What is open can be read on, but others may remove the folder."""
        self._use.close()

    def close(self) -> None:
        """Closes the store, and lets others remove it."""
        self._now.close()

    def _reader(self) -> RunStore:
        """A reader that knows the manifest as it is now."""
        manifest = self._data.get(MANIFEST.key())
        if manifest is None:
            raise NoStore(f"{self._path}: there is nothing to be shown of this build yet")
        if manifest != self._manifest:
            self._now, self._manifest = RunStore(self._data, self._path, self._use), manifest
        return self._now

    def _is_done(self, block: int) -> bool:
        if block not in self._done and self._data.get(SHAPE.key(block)) is not None:
            self._done.add(block)
        return block in self._done

    def _events(self, track: int) -> int:
        """Of a track of a block that is done: the manifest may still have an estimate."""
        shape = self._now.decoded_shape(track // TRACKS_PER_BLOCK)
        return 0 if shape is None else int(shape.events[shape.leaves(track % TRACKS_PER_BLOCK)].sum())

    def _require_all(self, what: str) -> None:
        """For what is stored when all tracks are built, and may be there in part."""
        if self.is_growing:
            raise StoredLast(f"the run is still being indexed: {what} can be read when that is done")

    def _require(self, track: int) -> None:
        if self.is_growing and not self._is_done(track // TRACKS_PER_BLOCK):
            raise NotBuilt(f"track {track} is not built yet")


def open_growing(path: Path, build: str) -> GrowingStore:
    """Opens a build of the store at `path` that another process writes, or has just published.

    Raises NoStore when there is nothing to be read of it, and as `open_run_store` does.
    """
    for _ in range(_OPEN_TRIES):
        for folder in (path / f"gen-{build}.part", path / f"gen-{build}"):
            use = hold(folder)
            if use is not None:
                try:
                    return _open(folder, path, use)
                except StoreError:
                    use.close()
                    if folder.is_dir():
                        raise
    raise NoStore(f"{path}: there is nothing to be read of build {build}")


def _open(folder: Path, path: Path, use: Use) -> GrowingStore:
    data = LmdbReader(folder, growing=folder.suffix == ".part")
    try:
        return GrowingStore(data, path, use)
    except BaseException:
        data.close()
        raise
