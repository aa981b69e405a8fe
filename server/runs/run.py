"""A run as clients see it: what it is, and how far its index is."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilescope.tiler import schema
from tilescope.tiler.readers import DiscoveredRun
from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.schema import RunState as RunState
from tilescope.tiler.store.extent import RunExtent

_KEPT: Final = "sent by a browser: removed after %Y-%m-%d unless somebody opens it until then"


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """Progress of an indexing job: `tilescope.tiler.indexing.Progress`, without what only makes sense once."""

    phase: str  # "start", "wait", "read", "build" or "publish"
    fraction: float  # of the whole that is done, 0 to 1
    events: int  # read so far
    bytes_read: int = 0
    bytes_total: int = 0
    tracks: int = 0
    blocks_done: int = 0
    blocks: int = 0
    seconds_left: float | None = None
    build: str = ""
    revision: int = 0  # of what can be seen of the build; 0: nothing yet

    def to_schema(self) -> schema.Progress:
        """As clients are told of it."""
        return schema.Progress(
            phase=self.phase,
            fraction=self.fraction,
            bytes_read=str(self.bytes_read),
            bytes_total=str(self.bytes_total),
            events=str(self.events),
            tracks=self.tracks,
            blocks_done=self.blocks_done,
            blocks=self.blocks,
            seconds_left=self.seconds_left,
            revision=self.revision,
        )


@dataclass(frozen=True, slots=True)
class RunOrigin:
    """A run of traces as it was discovered."""

    root: Path  # the path that is served
    run: DiscoveredRun


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run that was found at one of the served paths, and the place of its store.

    When its files change, so does `store`: an index of the old files is not an index of this run.
    """

    id: str
    name: str
    path: str
    files: tuple[Path, ...]  # trace files; empty for a store that is served by itself
    file_count: int
    hosts: tuple[str, ...]
    size_bytes: int
    modified_ns: int
    store: Path
    sources: tuple[Fingerprint, ...] | None = None  # of the files; None where there is no index to compare with
    notes: tuple[str, ...] = ()  # what was left aside and why, one line each
    origin: RunOrigin | None = None  # of traces
    contents: tuple[str, ...] = ()  # of a training on Ascend devices

    @property
    def is_unconfirmed(self) -> bool:
        """True where files were joined before their times were known: those that do not fit its index leaves out."""
        return self.origin is not None and self.origin.run.is_unconfirmed


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A run and the state of its index."""

    run: FoundRun
    state: RunState
    error: str | None = None
    no_room: bool = False  # the reason of the error: the disk was full
    build: str | None = None  # that can be asked for now: published, or growing
    progress: IndexProgress | None = None
    extent: RunExtent | None = None  # once it is indexed
    is_growing: bool = False  # a file of it is still being written
    removed_ns: int | None = None  # of one that was sent here: when it goes unless somebody opens it, since the epoch

    def to_schema(self) -> schema.Run:
        """As clients are told of it."""
        run = self.run
        kept = () if self.removed_ns is None else (time.strftime(_KEPT, time.gmtime(self.removed_ns // 10**9)),)
        left_out = () if self.extent is None else self.extent.left_out  # of what could not be read when it was indexed
        return schema.Run(
            id=run.id,
            name=run.name,
            path=run.path,
            state=self.state,
            error=self.error,
            hosts=list(run.hosts),
            files=run.file_count,
            size_bytes=str(run.size_bytes),
            modified_ns=str(run.modified_ns),
            build=self.build,
            progress=None if self.progress is None else self.progress.to_schema(),
            notes=list(dict.fromkeys([*kept, *run.notes, *left_out])),
            events=None if self.extent is None else str(self.extent.events),
            duration_ps=None if self.extent is None else str(self.extent.duration_ps),
            growing=self.is_growing,
            contents=list(run.contents),
            steps=None if self.extent is None or self.extent.steps is None else str(self.extent.steps),
        )
