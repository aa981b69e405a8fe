"""The cache directory: where the stores of runs lie that were indexed by the server, and which of them may go.

`<root>/<run id>/<digest>`: the digest is of the names, sizes and times of the trace files, so that a trace that was
written anew has another store. When all stores together exceed the directory's capacity, those that were not used for
the longest time go. One that is in use, by whatever process, never goes.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from tilescope.tiler.confinement import is_within
from tilescope.tiler.errors import StoreError
from tilescope.tiler.store import is_store
from tilescope.tiler.store.build_lock import CURRENT, is_ours, last_used_ns
from tilescope.tiler.store.cache_place import stamped_store
from tilescope.tiler.store.cached_traces import are_gone, forget_traces
from tilescope.tiler.store.sweep import Leftover, evict, size_of, sweep

_log = logging.getLogger(__name__)

# Indexes of about 30 GB of XSpace files, or of some hundred runs as people usually capture them.
DEFAULT_CAPACITY_BYTES: Final = 20 * 10**9


class CacheDirectory:
    """The stores below one root. Makes nothing by itself."""

    def __init__(self, root: Path, capacity_bytes: int = DEFAULT_CAPACITY_BYTES) -> None:
        self.root = root
        self._resolved = root.resolve()
        self._complained: set[Path] = set()
        self.capacity_bytes = capacity_bytes

    def place_of(self, run_id: str, digest: str) -> Path:
        """Path of the store of files whose stamps have that digest. Where there is one, `store_of` checks it."""
        return stamped_store(self.root, run_id, digest)

    def store_of(self, run_id: str, digest: str) -> Path:
        """The same path, after a check that it stays in the directory.

        Raises `StoreError` where a symbolic link leads out of the directory, which the log says once.
        """
        store = self.place_of(run_id, digest)
        if not is_within(store, (self._resolved,)):
            error = StoreError(f"{store}: a symbolic link leads out of the cache directory (remove it)")
            if store not in self._complained:
                self._complained.add(store)
                _log.warning("%s", error)
            raise error
        return store

    def run_ids(self) -> frozenset[str]:
        """Names of whatever lies in the directory: a run that is not among them has no store, and no link either."""
        try:
            return frozenset(entry.name for entry in self.root.iterdir())
        except OSError:
            return frozenset()

    def stores(self) -> list[Path]:
        """Every store below the root, and what is left of any."""
        return [store for run in _folders(self.root) for store in _stores(run)]

    def stores_of(self, run_id: str) -> list[Path]:
        """The stores of one run, older ones included."""
        return list(_stores(self.root / run_id))

    def older(self, store: Path) -> list[Path]:
        """The stores that the same run had before its files changed."""
        if store.parent.parent != self.root:
            return []
        return [other for other in _stores(store.parent) if other != store]

    def discard(self, stores: Sequence[Path], *, dry_run: bool = False) -> list[Leftover]:
        """Removes those of the stores that nobody uses. Returns what was removed."""
        discarded = []
        for store in stores:
            gone = evict(store, dry_run=dry_run)
            if gone is not None:
                discarded.append(gone)
                if not dry_run and not any(_folders(store.parent)):
                    forget_traces(store.parent)
                    with suppress(OSError):  # there are marks of the run
                        store.parent.rmdir()
        return discarded

    def clear_up(self, *, dry_run: bool = False) -> list[Leftover]:
        """Removes what nobody needs: stores of files that are gone or have changed, and left-overs in the others."""
        removed = []
        for run in _folders(self.root):
            stores = sorted(_stores(run), key=_published_ns)
            is_needed = not are_gone(run)
            stale = [store for store in stores if store is not stores[-1] or not (is_needed and is_store(store))]
            gone = self.discard(stale, dry_run=dry_run)
            removed += gone
            kept = {left.path for left in gone}
            removed += [left for store in stores if store not in kept for left in sweep(store, dry_run=dry_run)]
        return removed

    def trim(self, *, dry_run: bool = False) -> list[Leftover]:
        """Removes the least recently used stores until the others fit into the capacity."""
        sizes = {store: size_of(store) for store in self.stores()}
        surplus = sum(sizes.values()) - self.capacity_bytes
        removed: list[Leftover] = []
        for store in sorted(sizes, key=last_used_ns):
            if surplus <= 0:
                break
            gone = self.discard([store], dry_run=dry_run)
            removed += gone
            surplus -= sum(left.size_bytes for left in gone)
        return removed


def _folders(parent: Path) -> Iterator[Path]:
    with suppress(OSError):
        yield from sorted(entry for entry in parent.iterdir() if entry.is_dir() and not entry.is_symlink())


def _stores(run: Path) -> Iterator[Path]:
    return (store for store in _folders(run) if is_ours(store))


def _published_ns(store: Path) -> int:
    try:
        return (store / CURRENT).stat().st_mtime_ns
    except OSError:
        return 0
