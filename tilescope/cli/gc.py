"""Removes what is no longer needed from the given stores, or from the cache directory.

In a store, these are older generations, and what a process that crashed left behind. In the cache directory,
where `view` and `serve` keep indexes, these are also the indexes of traces that have changed since, and the
least recently used ones while the total exceeds --cache-size. What a process is reading or writing is kept.

Examples:

    tilescope gc
    tilescope gc --dry-run --cache-size 5GB
    tilescope gc run.store other.store
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.cache_options import add_cache_options, cache_directory
from tilescope.cli.option_rules import not_with
from tilescope.cli.say import say
from tilescope.cli.text import size_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilescope.tiler.store.sweep import Leftover

NAME = "gc"
HELP = "remove old indexes and leftovers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "stores", type=Path, nargs="*", metavar="STORE", help="stores to clean up; default: the cache directory"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be removed")
    add_cache_options(parser)
    not_with(parser, "STORE", "--cache-dir", "--cache-size")


def run(args: argparse.Namespace) -> int:
    """Removes, and prints what was removed and how much room it took."""
    if args.stores:
        removed = _sweep(args.stores, args.dry_run)
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


def _sweep(stores: Sequence[Path], dry_run: bool) -> list[Leftover]:
    from tilescope.tiler.errors import NOTHING_THERE, NoStore, UsageError
    from tilescope.tiler.store.sweep import sweep
    from tilescope.tiler.store.turn import is_ours

    for store in stores:
        if not store.exists():
            raise NoStore(f"{store}: {NOTHING_THERE}")
        if not store.is_dir() or not is_ours(store) or not any(store.iterdir()):
            raise UsageError(f"{store}: this is not a store")
    return [left for store in stores for left in sweep(store, dry_run=dry_run)]
