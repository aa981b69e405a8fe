"""`tilescope.index`: from a trace to a store on this machine."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import cast

from tilescope.client.kinds import Phase
from tilescope.client.progress import Progress
from tilescope.tiler.errors import Cancelled
from tilescope.tiler.indexing import DEFAULT_MEMORY_BYTES, BuildProgress, build_store
from tilescope.tiler.readers import find_run
from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT, TimeUnit

AnyPath = str | os.PathLike[str]


def index(
    trace: AnyPath | Sequence[AnyPath],
    store: AnyPath,
    *,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    force: bool = False,
    memory_bytes: int = DEFAULT_MEMORY_BYTES,
    max_inflated: int | None = None,
    time_unit: TimeUnit = DEFAULT_TIME_UNIT,
) -> Path:
    """Indexes a trace into the folder `store` and returns its path: `tilescope.connect(tilescope.index(trace, store))`.

    `trace` is a file, the folder of a run, a log directory with one run, or the files of one run. A store that is
    already an index of these very files is left as it is, unless `force` is set.

    `progress` is called a few times a second, in this thread; an exception that it raises ends the work. `cancel` may
    be set by another thread, which raises `Cancelled`. In either case nothing is left behind, and the store that was
    there before stays.

    `memory_bytes` is about how much memory it may take, `max_inflated` how many bytes one file may inflate to: by
    default 100 times its size. `time_unit` is that of times in JSON traces, `us` or `ns`. Raises TraceError,
    StoreError, OutOfMemory, and UsageError where `trace` is not one run.
    """
    is_unconfirmed = False
    if isinstance(trace, str | os.PathLike):
        source = find_run(Path(trace), max_inflated)
        files, is_unconfirmed = source.files, source.is_unconfirmed
    else:
        files = tuple(map(Path, trace))

    def report(now: BuildProgress) -> None:
        if cancel is not None and cancel.is_set():
            raise Cancelled("indexing was stopped")
        if progress is not None:
            progress(_progress(now))

    report(BuildProgress("start", 0.0, 0))
    build = build_store(
        files,
        Path(store),
        progress=report,
        force=force,
        memory_bytes=memory_bytes,
        max_inflated=max_inflated,
        time_unit=time_unit,
        is_unconfirmed=is_unconfirmed,
    )
    if progress is not None:
        progress(Progress("ready", "ready", 1.0, build=build))
    return Path(store)


def _progress(now: BuildProgress) -> Progress:
    return Progress(
        "indexing",
        cast("Phase", now.phase),
        now.fraction,
        now.seconds_left,
        now.build or None,
        None,
        now.bytes_read,
        now.bytes_total,
        now.events,
        now.tracks,
        now.blocks_done,
        now.blocks,
    )
