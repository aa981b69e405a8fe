"""Stores as people name them on a command line: by their paths or addresses, or by traces, which are indexed first."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilescope.cli.addresses import is_server_address, local_paths, mirror_folder, path_or_address
from tilescope.tiler.errors import UsageError


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    """Declares STORE."""
    parser.add_argument(
        "store",
        type=path_or_address,
        metavar="STORE",
        help="a store, as `tilescope index` writes it, an archive, or traces, which are indexed first; or an address",
    )


@contextmanager
def local_store(store: Path | str) -> Iterator[Path]:
    """A store by its path, or a path that stands for an address until the block ends; of traces the one in the cache.

    Raises UsageError; `TraceError` for traces that cannot be read; and `BlobError`s.
    """
    if isinstance(store, str) and is_server_address(store):
        raise UsageError(
            f"{store}: this is a server: `tilescope ask` and `tilescope info` ask it, other commands want the store"
        )
    with local_place(store) as path:
        yield store_at(path)


@contextmanager
def local_place(place: Path | str) -> Iterator[Path]:
    """A path, or one that stands for an address until the block ends: the same one whenever it is named.

    Raises UsageError and `BlobError`s.
    """
    if isinstance(place, Path):
        yield place
        return
    from tilescope.tiler.store.cache_place import default_cache_dir

    with local_paths([place], mirror_folder(default_cache_dir().absolute()), is_kept=True) as (path,):
        yield path


def store_at(path: Path) -> Path:
    """A store at its path; of traces the one in the cache. Raises UsageError, `TraceError`."""
    from tilescope.tiler.shards.sharded_run import is_run

    if is_run(path) or not path.exists():
        refuse_file(path)
        return path
    from tilescope.cli.cached_runs import cached_store

    return cached_store(path)


def refuse_file(store: Path) -> None:
    """Raises UsageError for a file that is no archive where a store should be: most often it is the trace."""
    from tilescope.tiler.store import is_store

    if store.is_file() and not is_store(store):
        raise UsageError(f"{store}: this is a file, not a store (index it first: tilescope index {store} -o STORE)")
