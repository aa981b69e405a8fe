"""A run as clients see it: what it is, and how far its index is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from tilescope.tiler.readers.fingerprint import Fingerprint


class RunState(StrEnum):
    """How far a run is on its way to being shown."""

    NEW = "new"  # not indexed
    QUEUED = "queued"
    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class IndexProgress:
    """How far an indexing job is."""

    phase: str
    fraction: float  # of the phase that is done, 0 to 1
    events: int


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


@dataclass(frozen=True, slots=True)
class RunStatus:
    """A run and the state of its index."""

    found: FoundRun
    state: RunState
    error: str | None = None
    build: str | None = None
    progress: IndexProgress | None = None
