"""Finds the runs at the paths that are served: trace files, log directories and finished stores.

Looks at the file system anew each time, since profilers add runs while we serve. Only names, sizes and times are looked
at, never content.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.open_stores import CURRENT
from tilescope.server.runs.run import FoundRun
from tilescope.tiler.errors import TilescopeError


class TraceRun(Protocol):
    """A run as `tilescope.tiler.readers.logdir.discover` describes it."""

    @property
    def id(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def path(self) -> Path: ...
    @property
    def files(self) -> tuple[Path, ...]: ...
    @property
    def hosts(self) -> tuple[str, ...]: ...
    @property
    def size_bytes(self) -> int: ...
    @property
    def modified_ns(self) -> int: ...


Discover = Callable[[Path], Sequence[TraceRun]]


def is_store(path: Path) -> bool:
    """Whether a store is published at the path."""
    return (path / CURRENT).is_file()


def find_runs(paths: Sequence[Path], cache: CacheDirectory, discover: Discover) -> list[FoundRun]:
    """All runs at the paths, newest first, each once. What cannot be read at this moment is left out."""
    found: dict[str, FoundRun] = {}
    for path in paths:
        try:
            runs = [_store_run(path)] if is_store(path) else _trace_runs(discover(path), cache)
        except (OSError, TilescopeError):
            continue
        for run in runs:
            found.setdefault(run.id, run)
    return sorted(found.values(), key=lambda run: (run.modified_ns, run.name), reverse=True)


def _trace_runs(runs: Sequence[TraceRun], cache: CacheDirectory) -> list[FoundRun]:
    found = []
    for run in runs:
        try:
            store = cache.store_of(run.id, run.files)
        except OSError:  # removed since it was discovered
            continue
        found.append(
            FoundRun(
                id=run.id,
                name=run.name,
                path=str(run.path),
                files=tuple(run.files),
                file_count=len(run.files),
                hosts=tuple(run.hosts),
                size_bytes=run.size_bytes,
                modified_ns=run.modified_ns,
                store=store,
            )
        )
    return found


def _store_run(path: Path) -> FoundRun:
    resolved = path.resolve()
    return FoundRun(
        id=f"{_slug(resolved.name)}-{hashlib.sha256(str(resolved).encode()).hexdigest()[:8]}",
        name=resolved.name,
        path=str(path),
        files=(),
        file_count=0,
        hosts=(),
        size_bytes=sum(file.stat().st_size for file in path.rglob("*") if file.is_file()),
        modified_ns=(path / CURRENT).stat().st_mtime_ns,
        store=path,
    )


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.") or "run"
