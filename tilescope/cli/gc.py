"""Removes what is no longer needed from the given stores, or from the cache directory.

In a store, these are older generations, and what a process that crashed left behind. In the cache directory,
where `view` and `serve` keep indexes, these are also the indexes of traces that are gone or have changed since, and
the least recently used ones while the total exceeds --cache-size. What a process is reading or writing is kept, and
so are marks and notes.

With --trace the index of that trace is removed from the cache directory, or those of all runs of a folder, and
nothing else. Traces themselves are never touched: what is needed again is indexed again. A disk that is not mounted
looks as if its traces were gone.

Examples:

    tilescope gc
    tilescope gc --dry-run --cache-size 5GB
    tilescope gc --trace logs/plugins/profile/2026_01_31_10_00_00
    tilescope gc run.store other.store
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.cache_options import add_cache_options, cache_directory
from tilescope.cli.option_rules import not_with
from tilescope.cli.say import complain, say
from tilescope.tiler.size_text import size_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilescope.server.runs.cache import CacheDirectory
    from tilescope.tiler.store.sweep import Leftover

NAME = "gc"
HELP = "remove old indexes and leftovers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "stores", type=Path, nargs="*", metavar="STORE", help="stores to clean up; default: the cache directory"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    parser.add_argument(
        "--trace", type=Path, metavar="PATH", help="remove the index of this trace, run or log directory, and no other"
    )
    add_cache_options(parser)
    not_with(parser, "STORE", "--trace", "--cache-dir", "--cache-size")
    not_with(parser, "--trace", "--cache-size")


def run(args: argparse.Namespace) -> int:
    """Removes, and prints what was removed and how much room it took."""
    if args.stores:
        removed = _sweep(args.stores, args.dry_run)
    elif args.trace is not None:
        removed = _discard(cache_directory(args), args.trace, args.dry_run)
    else:
        cache = cache_directory(args)
        removed = cache.clear_up(dry_run=args.dry_run)
        gone = {left.path for left in removed}
        removed += [left for left in cache.trim(dry_run=args.dry_run) if left.path not in gone]
    for left in removed:
        say(f"{left.path}: {size_text(left.size_bytes)}")
    total = size_text(sum(left.size_bytes for left in removed))
    say(f"{'would free' if args.dry_run else 'freed'} {total}" if removed else "there is nothing to remove")
    return 0


def _discard(cache: CacheDirectory, trace: Path, dry_run: bool) -> list[Leftover]:
    from tilescope.tiler.readers import discover

    stores = [store for run in discover(trace) for store in cache.stores_of(run.id)]
    removed = cache.discard(stores, dry_run=dry_run)
    for store in set(stores) - {left.path for left in removed}:
        complain(f"{store}: is in use, and stays")
    return removed


def _sweep(stores: Sequence[Path], dry_run: bool) -> list[Leftover]:
    from tilescope.tiler.errors import NOTHING_THERE, NoStore, UsageError
    from tilescope.tiler.store.build_lock import is_ours
    from tilescope.tiler.store.sweep import sweep

    for store in stores:
        if not store.exists():
            raise NoStore(f"{store}: {NOTHING_THERE}")
        if not store.is_dir() or not is_ours(store) or not any(store.iterdir()):
            raise UsageError(f"{store}: this is not a store")
    return [left for store in stores for left in sweep(store, dry_run=dry_run)]
