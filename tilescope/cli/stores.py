"""Stores as people name them on a command line: by their paths, by traces, or archives by their addresses."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tilescope.cli.addresses import is_server_address, local_paths, path_or_address
from tilescope.tiler.errors import UsageError


def add_store_argument(parser: argparse.ArgumentParser) -> None:
    """Declares STORE."""
    parser.add_argument(
        "store",
        type=path_or_address,
        metavar="STORE",
        help="a store, as `tilescope index` writes it, an archive or its address, or traces, which are indexed first",
    )


@contextmanager
def local_store(store: Path | str) -> Iterator[Path]:
    """A store by its path, or a path that stands for an address until the block ends; of traces the one in the cache.

    Raises UsageError, also for a trace at an address; `TraceError` for traces that cannot be read; and `BlobError`s.
    """
    if isinstance(store, str) and is_server_address(store):
        raise UsageError(f"{store}: this is a server: `tilescope ask` asks it, other commands want the store itself")
    with local_paths([store], Path(tempfile.gettempdir())) as (path,):
        yield store_at(path, may_index=isinstance(store, Path))


def store_at(path: Path, *, may_index: bool) -> Path:
    """A store at its path; of traces, if they may be indexed, the one in the cache. Raises UsageError, `TraceError`."""
    from tilescope.tiler.shards.sharded_run import is_run

    if not may_index or is_run(path) or not path.exists():
        refuse_file(path)
        return path
    from tilescope.cli.cached_runs import cached_store

    return cached_store(path)


def refuse_file(store: Path) -> None:
    """Raises UsageError for a file that is no archive where a store should be: most often it is the trace."""
    from tilescope.tiler.store import is_store

    if store.is_file() and not is_store(store):
        raise UsageError(f"{store}: this is a file, not a store (index it first: tilescope index {store} -o STORE)")
