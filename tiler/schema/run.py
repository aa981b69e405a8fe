"""A run in the list of runs, and how far its index is."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct

from tilescope.tiler.schema.numbers import Count, Decimal


class RunState(StrEnum):
    """State of a run on its way to being shown."""

    NEW = "new"  # not indexed
    QUEUED = "queued"
    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"


class Progress(Struct, frozen=True, kw_only=True):
    """Progress of indexing."""

    phase: Annotated[str, Meta(description="start, wait (another process indexes the trace), read, build or publish.")]
    fraction: Annotated[float, Meta(ge=0, le=1, description="Of the whole that is done.")]
    bytes_read: Decimal
    bytes_total: Decimal
    events: Annotated[Decimal, Meta(description="Read so far.")]
    tracks: Count
    blocks_done: Count
    blocks: Annotated[Count, Meta(description="0 until the trace has been read.")]
    seconds_left: Annotated[float | None, Meta(description="null while there is nothing to tell from.")]
    revision: Annotated[Count, Meta(description="Grows when the track tree changes; 0 while there is nothing to show.")]


class Run(Struct, frozen=True, kw_only=True):
    """A run that this server offers."""

    id: str
    name: str
    path: Annotated[str, Meta(description="Begins with the name of what is served.")]
    state: RunState
    error: Annotated[
        str | None, Meta(description="One line, when the state is failed, or queued as the run takes long to open.")
    ]
    hosts: Sequence[str]
    files: Annotated[Count, Meta(description="How many trace files it has.")]
    size_bytes: Decimal
    modified_ns: Decimal
    build: Annotated[str | None, Meta(description="What can be asked for now; null while there is nothing to show.")]
    progress: Annotated[Progress | None, Meta(description="null unless the state is indexing.")]
    notes: Annotated[Sequence[str], Meta(description="What was left aside of the run's files, and why.")]
    events: Annotated[Decimal | None, Meta(description="Slices, instants and samples; null while it is not indexed.")]
    duration_ps: Annotated[
        Decimal | None, Meta(description="From the first tick to the last of any event; null while it is not indexed.")
    ]
    growing: Annotated[
        bool, Meta(description="A file of it is still being written: it is indexed when it has stopped to grow.")
    ]
    contents: Annotated[
        Sequence[str],
        Meta(description="Of a training on Ascend devices what its files have, by their names: words. Else empty."),
    ]
    steps: Annotated[
        Decimal | None,
        Meta(description="How many steps it marks; null while it is not indexed, and where it marks none."),
    ]


class RunList(Struct, frozen=True, kw_only=True):
    """The runs, newest first."""

    runs: Sequence[Run]


class WatchProgress(Progress, frozen=True, kw_only=True, tag_field="type", tag="progress"):
    """Message of the watch: how far the run is."""

    state: RunState
    build: str | None


class WatchBlocks(Struct, frozen=True, kw_only=True, tag_field="type", tag="blocks"):
    """Message of the watch: these blocks are done."""

    build: str
    blocks: Sequence[Count]


class WatchReady(Struct, frozen=True, kw_only=True, tag_field="type", tag="ready"):
    """Message of the watch: all is done and published."""

    build: str


class WatchFailed(Struct, frozen=True, kw_only=True, tag_field="type", tag="failed"):
    """Message of the watch: the run cannot be shown."""

    error: str


class WatchError(Struct, frozen=True, kw_only=True, tag_field="type", tag="error"):
    """Message of the watch: the server is about to close."""

    code: str
    message: str


WatchMessage = WatchProgress | WatchBlocks | WatchReady | WatchFailed | WatchError
