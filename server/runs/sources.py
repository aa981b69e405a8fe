"""Finds the runs at the paths that are served: trace files, log directories and finished stores.

Looks at the file system anew each time, since profilers add runs while we serve. Names, sizes and times are looked at,
in folders at rest from time to time, and where there is an index the first and last MiB of a file, once for as long as
it does not change.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from tilescope.server.redaction import path_below, without_folders
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.run import FoundRun, RunOrigin
from tilescope.tiler.errors import StoreError, TilescopeError, TraceError
from tilescope.tiler.mount import is_run, published_file
from tilescope.tiler.readers import DiscoveredRun
from tilescope.tiler.readers.discovered_run import run_id
from tilescope.tiler.readers.fingerprint import stamps_digest, take_fingerprints
from tilescope.tiler.readers.layouts.ascend_contents import training_contents
from tilescope.tiler.readers.logdir import separated_runs
from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT, TimeUnit
from tilescope.tiler.store import is_store

Discover = Callable[[Path], Sequence[DiscoveredRun]]


def find_runs(
    paths: Sequence[Path],
    cache: CacheDirectory,
    discover: Discover,
    time_unit: TimeUnit = DEFAULT_TIME_UNIT,
    earlier: Mapping[str, FoundRun] | None = None,
) -> list[FoundRun]:
    """All runs at the paths, newest first, each once. What cannot be read at this moment is left out.

    `time_unit`: in which they are indexed. `earlier`: the runs of an earlier list, by id: those of which nothing has
    changed are taken from it.
    """
    earlier = earlier or {}
    runs_by_path: list[list[FoundRun]] = []
    for path in paths:
        try:
            runs_by_path.append(
                [_store_run(path)] if is_run(path) else _trace_runs(path, discover(path), cache, time_unit, earlier)
            )
        except (OSError, TilescopeError):
            continue
    # Merged, not sorted: the order within one path is by the time of capture, which files that were copied do not show.
    merged = heapq.merge(*runs_by_path, key=lambda run: -run.modified_ns)
    return list({run.id: run for run in merged}.values())


def _trace_runs(
    root: Path,
    runs: Sequence[DiscoveredRun],
    cache: CacheDirectory,
    time_unit: TimeUnit,
    earlier: Mapping[str, FoundRun],
) -> list[FoundRun]:
    trace_runs = []
    indexed = cache.run_ids()
    for run in runs:
        before = earlier.get(run.id)
        if before is not None and _is_same(before, root, run) and run.id not in indexed:
            trace_runs.append(before)
            continue
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
        contents = training_contents(run.files)
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
                origin=RunOrigin(root, run),
                contents=() if contents is None else tuple(contents.parts),
            )
        )
    return trace_runs


def _is_same(before: FoundRun, root: Path, run: DiscoveredRun) -> bool:
    """True if a run without an index was made of this very one, of whose files nothing has changed since."""
    origin = before.origin
    return (
        origin is not None
        and before.sources is None
        and origin.run is run
        and origin.root == root
        and run.stamps_digest != ""
    )


def with_separated(
    runs: Sequence[FoundRun],
    separated: Mapping[str, Sequence[int]],
    cache: CacheDirectory,
    time_unit: TimeUnit = DEFAULT_TIME_UNIT,
) -> list[FoundRun]:
    """The runs, and behind each, as runs of their own, the files that were left out of its index.

    `separated`: their numbers, by the run's id.
    """
    all_runs: dict[str, FoundRun] = {}
    for run in runs:
        numbers = frozenset(separated.get(run.id, ()))
        if run.origin is None or not numbers:
            all_runs[run.id] = run
            continue
        try:
            alone = separated_runs(run.origin.run, sorted(numbers))
        except OSError:  # removed since it was discovered: the next look will tell
            all_runs[run.id] = run
            continue
        hosts = tuple(host for number, host in enumerate(run.hosts) if number not in numbers)
        all_runs[run.id] = replace(run, hosts=hosts, file_count=run.file_count - len(numbers))
        for single in _trace_runs(run.origin.root, alone, cache, time_unit, {}):
            all_runs.setdefault(single.id, single)
    return list(all_runs.values())


def _store_run(path: Path) -> FoundRun:
    resolved = path.resolve()
    return FoundRun(
        id=run_id(resolved, resolved.name),
        name=resolved.name,
        path=path_below(path, path),
        files=(),
        file_count=0,
        hosts=(),
        size_bytes=sum(file.stat().st_size for file in (path, *path.rglob("*")) if file.is_file()),
        modified_ns=published_file(path).stat().st_mtime_ns,
        store=path,
    )
