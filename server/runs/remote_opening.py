"""Opens what takes long in threads, before the event loop reads it: stores at addresses, and runs of shards.

Stores at addresses are opened again in processes for questions.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilescope.remote.mirrors import MirrorPlan, mirror_of_path
from tilescope.server.runs.store_reads import in_thread
from tilescope.tiler.blobs import is_mirrored, mirror_of
from tilescope.tiler.errors import NotBuilt, TilescopeError
from tilescope.tiler.mount import is_mounted, open_run_build, published_file
from tilescope.tiler.path_names import path_name
from tilescope.tiler.store.store import Store

Stamp = tuple[int, int, int] | None

# A host that did not answer is not asked again at once: six attempts have been made.
_FAILED_S: Final = 10.0
# A list of runs waits for hosts so long: those that are slower are opened meanwhile.
_LIST_WAIT_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class _Failure:
    error: TilescopeError
    time_s: float

    @property
    def is_new(self) -> bool:
        return time.monotonic() - self.time_s < _FAILED_S


@dataclass(frozen=True, slots=True)
class _Opened:
    store: Store
    stamp: Stamp


class RemoteOpening:
    """Stores that were opened ahead, each until `open` takes it. Lives on one event loop."""

    def __init__(self, open_store: Callable[[Path], Store]) -> None:
        self._open_store = open_store
        self._opened: dict[Path, _Opened] = {}
        self._failures: dict[Path, _Failure] = {}
        self._tasks: dict[Path, asyncio.Task[None]] = {}
        self._before: set[Path] = set()  # opened before: another archive may lie there by now

    def open(self, path: Path) -> Store:
        """As `open_store`; what takes long is opened in a thread, and NotBuilt raised until then. Raises its errors."""
        if not _takes_long(path):
            return self._open_store(path)
        opened = self._opened.pop(path, None)
        if opened is not None and opened.stamp == _stamp(path):
            return opened.store
        if opened is not None:  # the run was indexed anew meanwhile
            opened.store.close()
        failure = self._failures.get(path)
        if failure is None or not (is_mirrored(path) or failure.is_new):
            self._task(path)
        if failure is not None:
            raise failure.error
        raise NotBuilt(f"{path_name(path)}: the run is still being opened (look again in a moment)")

    async def prepare(self, paths: Iterable[Path], wait_s: float | None = None) -> None:
        """Opens those that take long. Waits for all of them, or so long."""
        tasks = [self._task(path) for path in paths if _takes_long(path) and not self._is_settled(path)]
        if tasks:
            await asyncio.wait(tasks, timeout=wait_s)

    async def prepare_list(self, paths: Iterable[Path]) -> None:
        """The same, without waiting for slow hosts."""
        await self.prepare(paths, _LIST_WAIT_S)

    def close(self) -> None:
        """Closes what nobody took."""
        for task in self._tasks.values():
            task.cancel()
        for opened in self._opened.values():
            opened.store.close()
        self._opened.clear()

    def _is_settled(self, path: Path) -> bool:
        opened, failure = self._opened.get(path), self._failures.get(path)
        is_opened = opened is not None and opened.stamp == _stamp(path)
        return is_opened or (failure is not None and failure.is_new)

    def _task(self, path: Path) -> asyncio.Task[None]:
        task = self._tasks.get(path)
        if task is None:
            task = self._tasks[path] = asyncio.create_task(self._open(path))
            task.add_done_callback(lambda _: self._tasks.pop(path))
        return task

    async def _open(self, path: Path) -> None:
        is_again = path in self._before
        self._before.add(path)
        try:
            stamp = _stamp(path)
            store = await in_thread(lambda: self._open_now(path, is_again=is_again))
            stale = self._opened.get(path)
            if stale is not None:
                stale.store.close()
            self._opened[path] = _Opened(store, stamp)
            self._failures.pop(path, None)
        except TilescopeError as error:
            self._failures[path] = _Failure(error, time.monotonic())

    def _open_now(self, path: Path, *, is_again: bool) -> Store:
        mirror = mirror_of(path)
        if is_again and mirror is not None:
            mirror.refresh()
        return self._open_store(path)


def _takes_long(path: Path) -> bool:
    return is_mirrored(path) or is_mounted(path)


def _stamp(path: Path) -> Stamp:
    """The stamp of the file that a run of shards replaces when it is indexed anew; None: an address, or no run."""
    try:
        stat = None if is_mirrored(path) else published_file(path).stat()
    except OSError:
        return None
    return None if stat is None else (stat.st_ino, stat.st_size, stat.st_mtime_ns)


@dataclass(frozen=True, slots=True)
class RemoteBuildOpener:
    """Opens builds in another process, where the same paths stand for the same addresses; it can be pickled."""

    plans: tuple[MirrorPlan, ...]

    def __call__(self, path: Path, build: str) -> Store:
        """As `open_run_build`. Raises `BlobError`s, too."""
        mirror_of_path(path, self.plans)
        return open_run_build(path, build)
