"""Fakes for the server's tests: a store in memory, a finder of runs, and indexing jobs that do as they are told."""

from __future__ import annotations

import asyncio
import gzip
import json
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from tilescope.server.errors import IndexingFailed
from tilescope.server.runs.job import IndexJob, OnIndexProgress
from tilescope.server.runs.open_stores import OpenStores
from tilescope.server.runs.run import IndexProgress
from tilescope.server.runs.wishes import Wishes
from tilescope.tiler.details.chunk import split
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import PageKey, Part, Shape, SliceFlag, TileFlag, compress, container, join_parts
from tilescope.tiler.pages.columns import Col
from tilescope.tiler.readers import DiscoveredRun
from tilescope.tiler.readers.fingerprint import Fingerprint, take_fingerprints
from tilescope.tiler.records.arguments import ARGUMENT_TABLES, ARGUMENTS
from tilescope.tiler.records.attachments import ATTACHMENT_CHUNKS, ATTACHMENTS
from tilescope.tiler.records.flow_bins import FLOW_TILES
from tilescope.tiler.records.flow_ends import FLOW_ENDS, FlowEnds
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.overview import OVERVIEW
from tilescope.tiler.records.page_names import PAGE_NAMES, PageNames
from tilescope.tiler.records.record import Record
from tilescope.tiler.records.tiles import PAGE, SHAPE
from tilescope.tiler.records.tracks import BLOCK_TRACKS, TRACKS
from tilescope.tiler.store.attachments import CHUNK_BYTES, AttachmentEntry, list_record
from tilescope.tiler.store.gate import is_readable
from tilescope.tiler.store.store import Entry, NumberedRecord, Store

# Attributes of a store that are not copied with it.
_CACHES: Final = frozenset({"_kept_lookups", "_cached_values"})


def page_bytes(key: PageKey, size: int = 200) -> bytes:
    """A page that tells which one it is; a gzip member like a real one, padded to about `size` bytes."""
    return gzip.compress(json.dumps(key).encode() + (bytes(range(251)) * (size // 251 + 1))[:size], 0, mtime=0)


def fake_attachment(number: int, name: str, content: bytes) -> tuple[AttachmentEntry, bytes]:
    media_type = "application/json" if name.startswith("json/") else "application/x-protobuf"
    return AttachmentEntry(number, "host0", 0, name, "label", media_type, len(content), zlib.crc32(content)), content


LEAF: Final = PageKey(0, 16, 0, 0)
_TRACK: Final = {
    "id": 0,
    "group": 0,
    "kind": "slice",
    "name": "ops",
    "detail": "",
    "rows": 2,
    "events": "7",
    "busy": "644",
}
_GROUP: Final = {"id": 0, "parent": None, "kind": "host", "name": "host0", "detail": "", "rollup": None}
_COUNTS = ("total", "slices", "instants", "counter_samples", "async_slices", "flow_ends", "other")
_FLOWS = (
    "edges",
    "starts_without_end",
    "ends_without_start",
    "without_id",
    "without_slice",
    "derived",
    "ambiguous",
    "calls_without_work",
    "work_without_launch",
)
_MANIFEST: Final[dict[str, Any]] = {
    "revision": 0,
    "format": "xspace",
    "tick_ps": 1,
    "origin_ns": "1769853600000000000",
    "start": "0",
    "end": "982734987234",
    "root_level": LEAF.level,
    "empty": False,
    "hosts": ["host0"],
    "files": ["host0.xplane.pb"],
    "processes": 1,
    "tracks": 1,
    "blocks": 1,
    "names": {"count": 2, "page_size": 1024},
    "events": dict.fromkeys(_COUNTS, "7"),
    "flows": dict.fromkeys(_FLOWS, "3"),
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


def leaf_page() -> bytes:
    """The one real page: seven slices of track 0."""
    columns = {
        Col.INDEX: [0],
        Col.SLOT: [0],
        Col.TILE_FLAGS: [TileFlag.LEAF],
        Col.N_SLICES: [7],
        Col.N_BINS: [0],
        Col.N_COUNTER_BINS: [0],
        Col.N_SAMPLES: [0],
        Col.CARRY: [0],
        Col.START: range(8123, 8823, 100),
        Col.DURATION: [92] * 7,
        Col.ROW: [0] * 7,
        Col.NAME: [0, 1] * 3 + [0],
        Col.ORDINAL: range(7),
        Col.SLICE_FLAGS: [SliceFlag.OPEN] * 7,
    }
    arrays = {int(column): np.array(values, np.int64) for column, values in columns.items()}
    return compress(container.encode(container.PAGE_MAGIC, LEAF.level, 1, 0, arrays))


@cache
def small_records() -> dict[bytes, bytes]:
    """All but the manifest, pages and attachments: one track whose events have a flow and arguments each."""
    column = np.ones(1, np.int64)
    ends = FlowEnds(*(column * value for value in (3, 1, 8423, 0, 2, 8323, 8323, 1)))
    argument = '{"args":{"flops":123456789012,"shape":[null,"é"]}}'.encode()
    texts = np.frombuffer(argument * 7, np.uint8)
    ((first, arguments),) = split(np.arange(1, 8) * len(argument), texts)
    crc = np.array([zlib.crc32(leaf_page())])
    flags = column * (TileFlag.LEAF | TileFlag.PAGE_START)
    shape = Shape(0, column * LEAF.level, column * 0, column * 0, flags, column * 7, crc, column * 0)
    return {
        TRACKS.key(): compress(json.dumps({"groups": [_GROUP], "tracks": [_TRACK]}).encode()),
        BLOCK_TRACKS.key(0): compress(json.dumps([_TRACK]).encode()),
        NAMES.key(0): compress(json.dumps([["fusion.1", ""], ["copy", "cat"]]).encode()),
        SHAPE.key(0): compress(shape.encode()),
        PAGE.key(*LEAF[:4]): join_parts(leaf_page(), b""),
        PAGE_NAMES.key(0, 0): compress(PageNames(np.arange(2), np.zeros(2, np.int64)).encode(0)),
        OVERVIEW.key(0): compress(b"TSOV-fake"),
        ARGUMENTS.key(0, first): arguments,
        ARGUMENT_TABLES.key(0): compress(b""),
        FLOW_ENDS.key(0, 0): compress(ends.encode(0)),
        **{FLOW_TILES.key(0, level, 0): compress(b"TSFB-fake") for level in range(4)},
    }


class FakeStore:
    """One run with a few pages, in memory. Remembers whether it was closed."""

    location = "fake.store"
    recorded: tuple[Fingerprint, ...] = ()
    is_growing = False
    fetch = None

    def __init__(self, build: str = "b1", pages: dict[PageKey, bytes] | None = None) -> None:
        self.build = build
        self.is_closed = False
        self.entries = dict(small_records())
        pages = {key: page_bytes(key) for key in small_pages()} if pages is None else pages
        for key in dict.fromkeys(key._replace(part=Part.PAGE) for key in pages):
            self.entries[PAGE.key(*key[:4])] = join_parts(pages[key], pages.get(key.residual, b""))
        attached = [fake_attachment(0, "hlo/7", bytes(range(256)) * 3000), fake_attachment(1, "json/a b", b"{}")]
        self.entries[ATTACHMENTS.key()] = compress(list_record([entry for entry, _ in attached]))
        for entry, content in attached:
            for chunk in range(entry.chunks):
                part = content[chunk * CHUNK_BYTES : (chunk + 1) * CHUNK_BYTES]
                self.entries[ATTACHMENT_CHUNKS.key(entry.id, chunk)] = compress(part)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _CACHES}

    def ungated(self) -> Store:
        return self

    def get(self, record: Record, *numbers: int) -> bytes | None:
        if self.is_closed:
            raise AssertionError("a closed store was read")
        if record is PAGE and numbers[1] == 31:
            raise DamagedStore("track 0, level 31, tile 0: damaged")
        try:
            return self.entries.get(record.key(*numbers))
        except struct.error:
            return None

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        *first, last = numbers
        records = [entry for entry in self.scan(record, *first) if entry[0][-1] <= last]
        return records[-1] if records else None

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        prefix = record.prefix(*numbers)
        keys = (key for key in sorted(self.entries) if key.startswith(prefix))
        records = ((record.numbers_in(key), self.entries[key]) for key in keys)
        return (entry for entry in records if not start or entry[0][len(numbers)] >= start)

    def records(self) -> Iterator[Entry]:
        return iter(sorted(self.entries.items()))

    def manifest(self) -> dict[str, Any]:
        return {**_MANIFEST, "build": self.build}

    def internals(self) -> dict[str, Any]:
        return {
            "public": self.manifest(),
            "sources": [source.to_json() for source in self.recorded],
            "files": [{"args_encoding": "json"}],
            "tracks": [{"kind": "slice", "name": "ops", "events": 7, "busy": "644", "file": 0}],
        }

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
        self._written = FakeStore(build)

    def ungated(self) -> Store:
        return self._written

    def manifest(self) -> dict[str, Any]:
        return super().manifest() | {"revision": self.revision}

    def get(self, record: Record, *numbers: int) -> bytes | None:
        if record is SHAPE and not self.is_done:
            return None
        return super().get(record, *numbers) if self._is_readable(record, numbers) else None

    def at_most(self, record: Record, *numbers: int) -> NumberedRecord | None:
        return super().at_most(record, *numbers) if self._is_readable(record, numbers) else None

    def scan(self, record: Record, *numbers: int, start: int = 0) -> Iterator[NumberedRecord]:
        return super().scan(record, *numbers, start=start) if self._is_readable(record, numbers) else iter(())

    def abandoned(self) -> None:
        self.is_abandoned = True

    def published(self) -> None:
        self.is_growing = False
        self.is_done = True

    def _is_readable(self, record: Record, numbers: tuple[int, ...]) -> bool:
        return not self.is_growing or is_readable(record, numbers, lambda _: self.is_done)


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
