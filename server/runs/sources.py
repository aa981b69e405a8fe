"""Finds the runs at the paths that are served: trace files, log directories and finished stores.

Looks at the file system anew each time, since profilers add runs while we serve. Names, sizes and times are looked at,
and where there is an index the first and last MiB of a file, once for as long as it does not change.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from pathlib import Path

from tilescope.server.redaction import path_below, without_folders
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.run import FoundRun
from tilescope.tiler.errors import StoreError, TilescopeError, TraceError
from tilescope.tiler.readers import DiscoveredRun
from tilescope.tiler.readers.fingerprint import stamps_digest, take_fingerprints
from tilescope.tiler.readers.logdir import run_id
from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT, TimeUnit
from tilescope.tiler.store import is_store
from tilescope.tiler.store.build_lock import CURRENT

Discover = Callable[[Path], Sequence[DiscoveredRun]]


def find_runs(
    paths: Sequence[Path], cache: CacheDirectory, discover: Discover, time_unit: TimeUnit = DEFAULT_TIME_UNIT
) -> list[FoundRun]:
    """All runs at the paths, newest first, each once. What cannot be read at this moment is left out.

    `time_unit`: in which they are indexed.
    """
    runs_by_path: list[list[FoundRun]] = []
    for path in paths:
        try:
            runs_by_path.append(
                [_store_run(path)] if is_store(path) else _trace_runs(path, discover(path), cache, time_unit)
            )
        except (OSError, TilescopeError):
            continue
    # Merged, not sorted: the order within one path is by the time of capture, which files that were copied do not show.
    merged = heapq.merge(*runs_by_path, key=lambda run: -run.modified_ns)
    return list({run.id: run for run in merged}.values())


def _trace_runs(
    root: Path, runs: Sequence[DiscoveredRun], cache: CacheDirectory, time_unit: TimeUnit
) -> list[FoundRun]:
    trace_runs = []
    indexed = cache.run_ids()
    for run in runs:
        try:
            digest = run.stamps_digest or stamps_digest(run.files)
            if run.id in indexed:
                store = cache.store_of(run.id, digest)
                sources = take_fingerprints(run.files, time_unit) if is_store(store) else None
            else:  # ten thousand of them are listed in a moment only if nothing is looked at again
                store, sources = cache.place_of(run.id, digest), None
        except (OSError, TraceError):  # removed since it was discovered
            continue
        except StoreError:  # its index would lie outside of the cache directory
            continue
        trace_runs.append(
            FoundRun(
                id=run.id,
                name=run.name,
                path=path_below(root, run.path),
                files=tuple(run.files),
                file_count=len(run.files),
                hosts=tuple(run.hosts),
                size_bytes=run.size_bytes,
                modified_ns=run.modified_ns,
                store=store,
                sources=sources,
                notes=tuple(map(without_folders, run.notes)),
            )
        )
    return trace_runs


def _store_run(path: Path) -> FoundRun:
    resolved = path.resolve()
    return FoundRun(
        id=run_id(resolved, resolved.name),
        name=resolved.name,
        path=path_below(path, path),
        files=(),
        file_count=0,
        hosts=(),
        size_bytes=sum(file.stat().st_size for file in path.rglob("*") if file.is_file()),
        modified_ns=(path / CURRENT).stat().st_mtime_ns,
        store=path,
    )
