"""`tilescope index … --executor`: a run as shards, one for each file."""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING, Final

from tilescope.cli.progress import ProgressDisplay
from tilescope.cli.say import complain, say
from tilescope.cli.text import seconds_text
from tilescope.tiler.count_text import plural

if TYPE_CHECKING:
    from tilescope.tiler.readers import DiscoveredRun
    from tilescope.tiler.shards.progress import ShardProgress


_GUESS: Final = "that these files are of one time is a guess: as shards all are shown, whether they overlap or not"


def index_shards(source: DiscoveredRun, args: argparse.Namespace) -> int:
    """Indexes the files of a run into shards, and says what became of them."""
    from tilescope.executors import open_executor
    from tilescope.tiler.errors import UsageError
    from tilescope.tiler.mount import keep_merge
    from tilescope.tiler.shards.build import ShardOptions, build_shards
    from tilescope.tiler.system import processors

    if args.jobs is not None and args.executor != "processes":
        raise UsageError("--jobs has no effect: it is the number of --executor processes")
    if args.jobs is not None and args.jobs < 1:
        raise UsageError("--jobs must be 1 or more")
    jobs = min(args.jobs or processors(), len(source.files))
    # Workers on other machines have cores of their own, of which each builds its tracks side by side.
    threads = max(1, processors() // jobs) if args.executor == "processes" else processors()
    options = ShardOptions(args.memory, args.max_inflated, args.time_unit, threads, args.force)
    notes = [*source.notes, *([_GUESS] if source.is_unconfirmed else [])]
    begin = time.monotonic()
    with ProgressDisplay() as display:

        def report(progress: ShardProgress) -> None:
            name = f"{progress.work} {progress.tasks_done} of {progress.tasks}"
            display.update(name, progress.fraction, events=progress.events)

        run = build_shards(
            source.files,
            args.output,
            open_executor(args.executor, jobs, args.memory),
            progress=report,
            options=options,
            notes=notes,
        )
        display.update("merging", 1.0)
        keep_merge(args.output, run)
    for shard in run.failed:
        complain(f"{shard.title} is missing: {shard.error}")
    ready = len(run.shards) - len(run.failed)
    amount = (
        f"{ready:,} of {plural(len(run.shards), 'shard', 'shards')}" if run.failed else plural(ready, "shard", "shards")
    )
    say(f"{args.output}: {amount} in {seconds_text(time.monotonic() - begin)}")
    for note in run.notes:
        say(f"  note      {note}")
    return 0
