"""Proves that the store at STORE is exact, tile by tile, and prints what was checked.

Every page is read and decoded, every tile is recomputed from the events in the leaves below it, and totals
are compared with those counted while the trace was read: counts, busy times, dominant names, rollups and
arguments. The first difference ends the check with exit code 1 and a line that names track, level and tile.

The time is linear in the size of the store, and the processors that this process may use are used, four at most.
Memory does not grow with the store: with less memory, events are checked in smaller batches. If a single page, or the
flow ends of one track, need more than --memory allows, nothing is proven: the exit code is 2, and a line says what
needs how much memory. --memory is what the proof takes; Python itself takes about 60 MB beside it.

Of a folder of shards each shard is proven, one after the other, and then what the run keeps of all of them together.
With --same-as each shard is compared with the one in its place in another folder, or all of the run with an archive.

With --same-as nothing is proven: STORE is compared with another store of the same trace, entry by entry. A store does
not depend on how much memory and how many processors the indexing had: all entries are equal, but for the build id and
the time of creation. The first entry that is not ends the comparison with exit code 1 and a line that names it.

Examples:

    tilescope verify run.store
    tilescope verify --memory 512M run.store
    tilescope verify --same-as other.store run.store
"""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from pathlib import Path

from tilescope.cli.addresses import path_or_address
from tilescope.cli.memory_option import add_memory_option
from tilescope.cli.option_rules import not_with
from tilescope.cli.progress import ProgressDisplay
from tilescope.cli.say import say
from tilescope.cli.stores import add_store_argument, local_store
from tilescope.cli.text import seconds_text
from tilescope.cli.threads_option import add_threads_option, use_threads
from tilescope.tiler.count_text import plural

NAME = "verify"
HELP = "prove that a store is exact"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    add_store_argument(parser)
    add_memory_option(parser, "memory for all threads together")
    add_threads_option(parser, ", four at most")
    parser.add_argument(
        "--same-as",
        type=path_or_address,
        metavar="OTHER",
        help="compare with this store of the same trace, instead of proving",
    )
    not_with(parser, "--same-as", "--memory")


def run(args: argparse.Namespace) -> int:
    """Verifies and prints the report; a difference is raised as DamagedStore, or StoresDiffer."""
    use_threads(args)
    from tilescope.tiler.mount import check_merge, is_mounted, stores_of
    from tilescope.tiler.shards.sharded_run import read_sharded_run

    with local_store(args.store) as path:
        if args.same_as is not None:
            with local_store(args.same_as) as other:
                _compare(path, other)
            return 0
        for store in stores_of(path):
            _prove(store, args.memory)
        same = check_merge(path, read_sharded_run(path)) if is_mounted(path) else None
        if same is not None:
            say(f"{args.store}: {same.entries:,} entries of all shards together: equal to those of the shards")
    return 0


def _compare(path: Path, other_path: Path) -> None:
    from tilescope.tiler.errors import StoresDiffer
    from tilescope.tiler.mount import is_mounted, open_run, stores_of
    from tilescope.tiler.store.archive import is_archive_file
    from tilescope.tiler.verify import compare_entries, compare_stores

    mounted, archive = (path, other_path) if is_mounted(path) else (other_path, path)
    if is_mounted(mounted) and is_archive_file(archive):
        with closing(open_run(path)) as run, closing(open_run(other_path)) as other_run:
            for line in compare_entries(run, other_run).lines():
                say(line)
        return
    stores, others = stores_of(path), stores_of(other_path)
    if len(stores) != len(others):
        raise StoresDiffer(f"{other_path}: has {plural(len(others), 'store', 'stores')}, not {len(stores):,}")
    for store, other in zip(stores, others, strict=True):
        for line in compare_stores(store, other).lines():
            say(line)


def _prove(path: Path, memory_bytes: int) -> None:
    from tilescope.tiler.store.validation import must_make_sense
    from tilescope.tiler.verify import verify_store

    begin = time.monotonic()
    with ProgressDisplay() as display, must_make_sense(path):
        report = verify_store(
            path, progress=lambda fraction, what: display.update(what, fraction), memory_bytes=memory_bytes
        )
    for line in report.lines():
        say(line)
    say(f"{path}: everything agrees ({seconds_text(time.monotonic() - begin)})")
