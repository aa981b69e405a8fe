"""Fakes for the server's tests: a store in memory, a finder of runs, and indexing jobs that do as they are told."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilescope.server.errors import IndexingFailed
from tilescope.server.runs.job import IndexJob, OnIndexProgress
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.run import IndexProgress
from tilescope.server.runs.wishes import Wishes
from tilescope.tiler.details.chunk import Chunk
from tilescope.tiler.details.codec import Arguments
from tilescope.tiler.details.values import Values
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.errors import DamagedStore, NotBuilt
from tilescope.tiler.pages import PageKey, Shape, compress, decompress
from tilescope.tiler.readers import DiscoveredRun
from tilescope.tiler.readers.fingerprint import Fingerprint, take_fingerprints
from tilescope.tiler.records.flow_ends import FlowEnds
from tilescope.tiler.records.histogram import Histogram
from tilescope.tiler.records.page_names import PageNames
from tilescope.tiler.records.steps import TrackSteps
from tilescope.tiler.store.attachments import CHUNK_BYTES, AttachmentEntry, list_record
from tilescope.tiler.store.origin_reader import OriginReader


def page_bytes(key: PageKey, size: int = 200) -> bytes:
    """A page that tells which one it is; a gzip member like a real one, padded to about `size` bytes."""
    return gzip.compress(json.dumps(key).encode() + (bytes(range(251)) * (size // 251 + 1))[:size], 0, mtime=0)


def fake_attachment(number: int, name: str, content: bytes) -> tuple[AttachmentEntry, bytes]:
    media_type = "application/json" if name.startswith("json/") else "application/x-protobuf"
    return AttachmentEntry(number, "host0", 0, name, "label", media_type, len(content), zlib.crc32(content)), content


class FakeStore:
    """One run with a few pages. Remembers whether it was closed."""

    recorded: tuple[Fingerprint, ...] = ()
    is_growing = False

    def __init__(self, build: str = "b1", pages: dict[PageKey, bytes] | None = None) -> None:
        self.build = build
        self.pages = pages if pages is not None else {key: page_bytes(key) for key in small_pages()}
        self.is_closed = False
        self.attached = [fake_attachment(0, "hlo/7", bytes(range(256)) * 3000), fake_attachment(1, "json/a b", b"{}")]

    def sources(self) -> tuple[Fingerprint, ...]:
        return self.recorded

    def manifest(self) -> dict[str, Any]:
        counts = ("total", "slices", "instants", "counter_samples", "async_slices", "flow_ends", "other")
        flows = (
            "edges",
            "starts_without_end",
            "ends_without_start",
            "without_id",
            "without_slice",
            "derived",
            "ambiguous",
        )
        return {
            "build": self.build,
            "revision": 0,
            "format": "xspace",
            "tick_ps": 1,
            "origin_ns": "1769853600000000000",
            "start": "0",
            "end": "982734987234",
            "root_level": 3,
            "empty": False,
            "hosts": ["host0"],
            "files": ["host0.xplane.pb"],
            "processes": 1,
            "tracks": 1,
            "blocks": 1,
            "names": {"count": 2, "page_size": 1024},
            "events": dict.fromkeys(counts, "7"),
            "flows": dict.fromkeys(flows, "3"),
            "steps": {"count": "2", "first": "7", "last": "9", "slices": "3", "tracks": 2, "all": True},
            "ignored": {"missing_ph": "2"},
            "warnings": ["a warning"],
            "families": ["matmul"],
            "outliers": {
                "start": "100",
                "end": "900",
                "before": "1",
                "after": "0",
                "too_long": "0",
                "overruns": "0",
                "events": [
                    {
                        "track": 0,
                        "ordinal": "0",
                        "name": -1,
                        "start": "0",
                        "end": "1",
                        "reason": "before",
                        "later": "0",
                    }
                ],
            },
            "source_bytes": "123456",
            "store_bytes": "4096",
            "created_ns": "1769853600000000001",
        }

    def tracks(self) -> bytes:
        track = {"id": 0, "group": 0, "kind": "slice", "name": "ops", "detail": "", "rows": 2}
        track |= {"events": "7", "busy": "9"}
        group = {"id": 0, "parent": None, "kind": "host", "name": "host0", "detail": "", "rollup": None}
        return compress(json.dumps({"groups": [group], "tracks": [track]}).encode())

    def names(self, page: int) -> bytes | None:
        return compress(json.dumps([["fusion.1", ""], ["copy", "cat"]]).encode()) if page == 0 else None

    def shape(self, block: int) -> bytes | None:
        none = np.zeros(0, np.int64)
        return compress(Shape(0, *[none] * 7).encode()) if block == 0 else None

    def overview(self, page: int) -> bytes | None:
        return compress(b"TSOV-fake") if page == 0 else None

    def attachments(self) -> bytes | None:
        return compress(list_record([of for of, _ in self.attached]))

    def attachment_chunk(self, number: int, chunk: int) -> bytes:
        if self.is_closed:
            raise AssertionError("a closed store was read")
        return compress(self.attached[number][1][chunk * CHUNK_BYTES : (chunk + 1) * CHUNK_BYTES])

    def event_metadata(self, file: int) -> XStatTables | None:
        return None

    def rows_chunk(self, number: int) -> bytes | None:
        return None

    def file_of(self, track: int) -> int:
        return 0

    def flow_ends_at(self, track: int, ordinal: int) -> FlowEnds | None:
        return None

    def flow_ends(self, track: int, first: int = 0) -> Iterator[FlowEnds]:
        return iter(())

    def flow_tiles(self, track: int, level: int, index: int) -> bytes | None:
        return compress(b"TSFB-fake") if track == 0 and level < 4 else None

    def page(self, key: PageKey) -> bytes | None:
        if self.is_closed:
            raise AssertionError("a closed store was read")
        if key.level == 31:
            raise DamagedStore("track 0, level 31, tile 0: damaged")
        return self.pages.get(key)

    def event(self, track: int, ordinal: int) -> dict[str, Any] | None:
        if track != 0 or ordinal >= 7:
            return None
        return {
            "track": track,
            "ordinal": str(ordinal),
            "kind": "slice",
            "name": "fusion.1",
            "category": "",
            "start": "8123",
            "duration": "92",
            "row": 0,
            "flags": ["open"],
            "value": None,
            "flows": {
                "in": [{"track": 0, "ordinal": "2", "name": "copy", "start": "8000", "derived": False}],
                "in_count": "1",
                "out": [],
                "out_count": "0",
            },
            "stacks": [],
            "args": [{"name": "flops", "value": "123456789012"}, {"name": "shape", "value": [None, "é"]}],
        }

    def histogram(self, track: int, start: int, end: int) -> Histogram | None:
        row = [np.array([value]) for value in (0, 7, 9, 8, 92)]
        return Histogram(*row) if track == 0 else None

    def flow_end_chunks(self, track: int) -> Iterator[bytes]:
        return iter(())

    def steps(self) -> Iterator[tuple[int, TrackSteps]]:
        return iter(())

    def file_of_tracks(self) -> Sequence[int]:
        return [0]

    def origins(self) -> OriginReader:
        raise NotImplementedError

    def spread_record(self, track: int, level: int, index: int) -> bytes | None:
        raise NotImplementedError

    def args_chunk(self, track: int, ordinal: int) -> Chunk | None:
        return None

    def kinds_record(self, track: int) -> bytes | None:
        return None

    def operation_sums_record(self, track: int) -> bytes | None:
        return None

    def step_sums_record(self, track: int) -> bytes | None:
        return None

    def operations_record(self, track: int, first: int) -> bytes:
        raise DamagedStore("there are none")

    def args_decoder(self, file: int) -> Callable[[bytes], Arguments]:
        return lambda _: []

    def args_values(self, file: int, chunk: Chunk, at: NDArray[np.int64], names: Sequence[str]) -> list[Values]:
        raise NotImplementedError

    def page_names(self, block: int) -> Iterator[bytes]:
        none = np.zeros(0, np.int64)
        return iter([compress(PageNames(none, none).encode(block))])

    def histogram_record(self, track: int, level: int, index: int) -> bytes | None:
        return None

    def block_histogram_record(self, block: int, level: int, index: int, *, by_track: bool = False) -> bytes | None:
        return None

    def block_spread_record(self, block: int, level: int, index: int, *, by_track: bool = False) -> bytes | None:
        return None

    def close(self) -> None:
        self.is_closed = True


class FakeGrowingStore(FakeStore):
    """The same while it is built: its only block is done once the test says so."""

    def __init__(self, build: str = "b1") -> None:
        super().__init__(build)
        self.is_growing = True
        self.is_done = False
        self.is_abandoned = False
        self.revision = 1

    def manifest(self) -> dict[str, Any]:
        return super().manifest() | {"revision": self.revision}

    def shape(self, block: int) -> bytes | None:
        return super().shape(block) if self.is_done else None

    def page(self, key: PageKey) -> bytes | None:
        return super().page(key) if self.is_done else None

    def event(self, track: int, ordinal: int) -> dict[str, Any] | None:
        if not self.is_done:
            raise NotBuilt(f"track {track} is not built yet")
        return super().event(track, ordinal)

    def histogram(self, track: int, start: int, end: int) -> Histogram | None:
        if not self.is_done:
            raise NotBuilt(f"track {track} is not built yet")
        return super().histogram(track, start, end)

    def track_facts(self, block: int) -> dict[int, dict[str, Any]]:
        tree = json.loads(decompress(self.tracks()))
        return {track["id"]: track for track in tree["tracks"]} if self.is_done else {}

    def abandoned(self) -> None:
        self.is_abandoned = True

    def published(self) -> None:
        self.is_growing = False
        self.is_done = True


def small_pages() -> list[PageKey]:
    pages = [PageKey(0, level, index, 0) for level in range(4) for index in range(4)]
    return [*pages, pages[5].residual, pages[6].residual]


def discover_files(folder: Path) -> list[DiscoveredRun]:
    """Every `*.trace` file of a folder is a run; the number in its name is its time. Newest first."""
    runs = [
        DiscoveredRun(
            id=file.stem,
            name=file.stem,
            path=file,
            files=(file,),
            hosts=("host0",),
            size_bytes=file.stat().st_size,
            modified_ns=int("0" + "".join(filter(str.isdigit, file.stem))),
        )
        for file in folder.glob("*.trace")
    ]
    return sorted(runs, key=lambda run: -run.modified_ns)


def publish(store: Path, build: str = "b1") -> None:
    """Makes a folder look like a published store."""
    store.mkdir(parents=True, exist_ok=True)
    pending = store / "CURRENT.fake"  # whoever clears up knows no such file: this one does not wait for its turn
    pending.write_text(f"gen-{build}\n")
    pending.replace(store / "CURRENT")


@dataclass
class FakeStores:
    """Opens fake stores where `publish` was called; the build is what CURRENT says."""

    opened: list[FakeStore] = field(default_factory=list)
    growing: list[FakeGrowingStore] = field(default_factory=list)
    damaged: set[Path] = field(default_factory=set)
    make: Callable[[str], FakeStore] = FakeStore
    files_of: Callable[[Path], Sequence[Path]] = lambda store: ()

    def __call__(self, path: Path) -> FakeStore:
        if path in self.damaged:
            raise DamagedStore(f"{path}: the manifest is damaged")
        store = self.make((path / "CURRENT").read_text().strip().removeprefix("gen-"))
        store.recorded = take_fingerprints(self.files_of(path))
        self.opened.append(store)
        return store

    def grow(self, path: Path, build: str) -> FakeGrowingStore:
        """Opens a build that is being made."""
        store = FakeGrowingStore(build)
        store.recorded = take_fingerprints(self.files_of(path))
        self.growing.append(store)
        return store


class FakeOpenStores(OpenStores):
    """Hands fake stores as they are now to the processes that answer questions."""

    def opener(self, *, is_growing: bool) -> Callable[[Path, str], FakeStore]:
        """What opens them there."""
        grows = [store for _, store in self._growing.values() if isinstance(store, FakeStore)]
        return partial(_handed, grows[-1] if is_growing else FakeStore())


def _handed(store: FakeStore, _path: Path, _build: str) -> FakeStore:
    return store


class FakeJobs:
    """Stands for worker processes: each job waits until the test lets it go on."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.jobs: list[IndexJob] = []
        self.reports: dict[str, OnIndexProgress] = {}
        self.wishes: dict[str, Wishes] = {}
        self._build = "b1"
        self._ends: dict[str, asyncio.Future[str | Exception | None]] = {}
        self._begun = asyncio.Condition()

    async def __call__(self, job: IndexJob, on_progress: OnIndexProgress, wishes: Wishes) -> None:
        end: asyncio.Future[str | Exception | None] = asyncio.get_running_loop().create_future()
        self._ends[job.name] = end
        self.reports[job.name] = on_progress
        self.wishes[job.name] = wishes
        self.started.append(job.name)
        self.jobs.append(job)
        on_progress(IndexProgress("read", 0.25, 1000), ())
        async with self._begun:
            self._begun.notify_all()
        error = await end
        if error is not None:
            raise IndexingFailed(error) if isinstance(error, str) else error
        publish(job.store, self._build)

    async def begun(self, name: str) -> None:
        """Waits until the job of that run is at work."""
        async with self._begun, asyncio.timeout(5):
            await self._begun.wait_for(lambda: name in self._ends)

    async def end(self, name: str, error: str | Exception | None = None, build: str = "b1") -> None:
        """Lets the job end, well or with an error."""
        await self.begun(name)
        self._build = build
        self._ends.pop(name).set_result(error)
        for _ in range(5):
            await asyncio.sleep(0)
