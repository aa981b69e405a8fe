"""Runs that are named by their traces: they are indexed into the cache, as `tilescope view` does."""

from __future__ import annotations

import time
from pathlib import Path

from tilescope.cli.progress import ProgressDisplay
from tilescope.cli.say import complain
from tilescope.cli.text import seconds_text
from tilescope.tiler.indexing import BuildProgress, build_store
from tilescope.tiler.printable_text import printable
from tilescope.tiler.readers import discover
from tilescope.tiler.readers.recognise import check_file
from tilescope.tiler.store.cache_place import default_cache_dir


def cached_store(path: Path) -> Path:
    """The store of a trace, a run folder, or of the newest run of a log directory, indexed where it is not yet.

    The path itself where there is no trace. Raises `TraceError` for a file that is none, or cannot be read.
    """
    from tilescope.server.runs.cache import CacheDirectory
    from tilescope.server.runs.sources import find_runs

    if path.is_file():
        check_file(path)
    cache = CacheDirectory(default_cache_dir().absolute())
    runs = find_runs([path], cache, discover)
    if not runs:  # whoever opens it says that there is no store
        return path
    newest = runs[0]
    if len(runs) > 1:
        complain(f"{printable(str(path))}: {printable(newest.name)} is the newest of {len(runs):,} runs")
    if not newest.files:  # a store in a log directory
        return newest.store
    begin, is_new = time.monotonic(), False
    with ProgressDisplay() as display:

        def report(progress: BuildProgress) -> None:
            nonlocal is_new
            is_new = is_new or progress.phase != "wait"
            display.update_build(progress)

        build_store(newest.files, newest.store, progress=report, is_unconfirmed=newest.is_unconfirmed)
    if is_new:
        took = seconds_text(time.monotonic() - begin)
        complain(f"{printable(newest.name)}: indexed in {took}, and kept in {cache.root}")
        cache.trim()
    return newest.store
