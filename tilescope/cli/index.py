"""Indexes the trace at PATH into a store, which `tilescope serve`, `info` and `verify` then read.

PATH is a trace file (XSpace or trace-event JSON, compressed or not, recognised by content), the
folder of a run, or a folder that holds exactly one run; `tilescope info FOLDER` lists those that it holds.
Several paths become one run: the files of all hosts, or of all ranks of a job. PATH may be a pipe, or - for standard
input: what comes is copied into a scratch file next to STORE first. It may be an address, as in s3://BUCKET/logs or
https://HOST/trace.json.gz. A store that is already at STORE is replaced when the new one is complete; until then,
and when indexing fails, the old one stays as it is.

If STORE is already an index of these files, nothing is done: names, sizes, modification times, and the
first and last MiB of each file are compared. --force indexes them anyway. If another process is indexing
into STORE, this one waits, and then uses the result if it is of the same files.

With --executor each file becomes a shard, a store of its own on the time axis of the run, and STORE a
folder of shards. Workers see files and folder under the same paths; --memory is of each. A file that cannot
be read is missing in the run, which says so; the same command indexes what is missing or has changed, and
nothing else.

Examples:

    tilescope index host0.xplane.pb -o host0.store
    tilescope index logs/ -o pod.run --executor processes --jobs 8
    tilescope index logs/ -o pod.run --executor dask://scheduler:8786
    tilescope index logs/plugins/profile/2026_01_31_10_00_00 -o run.store
    tilescope index rank0.json.gz rank1.json.gz -o job.store
    tilescope index trace.json.gz -o trace.store && tilescope serve trace.store
    ssh host cat trace.json.zst | tilescope index - -o trace.store
"""

from __future__ import annotations

import argparse
import gc
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.addresses import add_scratch_option, local_paths, path_or_address
from tilescope.cli.executor_option import add_executor_options
from tilescope.cli.inflation_option import add_inflation_option
from tilescope.cli.memory_option import add_memory_option
from tilescope.cli.piped import without_pipes
from tilescope.cli.profile_option import add_profile_option, profile_into
from tilescope.cli.progress import ProgressDisplay
from tilescope.cli.say import complain, say
from tilescope.cli.separate_option import add_separate_option
from tilescope.cli.sharded_index import index_shards
from tilescope.cli.store_facts import StoreFact, store_facts
from tilescope.cli.text import rate_text, seconds_text
from tilescope.cli.threads_option import add_threads_option, use_threads
from tilescope.cli.time_unit_option import add_time_unit_option
from tilescope.tiler.count_text import plural
from tilescope.tiler.profile import stage

if TYPE_CHECKING:
    from tilescope.tiler.indexing import BuildProgress
    from tilescope.tiler.schema import RunManifest

NAME = "index"
HELP = "index a trace into a store"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "paths",
        type=path_or_address,
        nargs="+",
        metavar="PATH",
        help="a trace file, a run, a log directory, or an address",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="STORE", required=True, help="the folder to write")
    add_separate_option(parser)
    parser.add_argument("--force", action="store_true", help="index even if the store is up to date")
    add_memory_option(parser, "approximate memory for indexing; the rest goes to scratch files next to the store")
    add_threads_option(parser)
    add_scratch_option(parser)
    add_inflation_option(parser)
    add_time_unit_option(parser)
    add_executor_options(parser)
    add_profile_option(parser)


def run(args: argparse.Namespace) -> int:
    """Builds the store and prints what is in it."""
    use_threads(args)
    folder = args.output.absolute().parent
    with (
        profile_into(args.profile),
        local_paths(args.paths, folder, args.scratch) as local,
        without_pipes(local, folder, args.max_inflated) as paths,
    ):
        return _index(paths, args)


def _index(paths: Sequence[Path], args: argparse.Namespace) -> int:
    gc.disable()  # modules are no garbage: looking for some among them takes 7 ms of the 100 in which they are imported
    with stage("imports"):
        from tilescope.tiler.errors import UsageError
        from tilescope.tiler.indexing import build_store, collect_seldom, keep_free_memory
        from tilescope.tiler.lookup.manifest import run_manifest
        from tilescope.tiler.readers import find_run, formats, join_runs
        from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT
        from tilescope.tiler.shards.sharded_run import is_run  # of `tiler.mount`, which takes 40 ms to import
        from tilescope.tiler.store import open_run_store

    collect_seldom()
    gc.enable()

    for path in paths:
        if is_run(path):
            raise UsageError(f"{path}: this is a store already: name the trace that it is to be made from")
    if args.separate and len(paths) > 1:
        raise UsageError("--separate has no effect: the traces that are named become one run")
    keep_free_memory(args.memory)
    if len(paths) == 1:
        source = find_run(paths[0], args.max_inflated, separate=args.separate)
    else:
        source = join_runs(paths, args.max_inflated)
    if args.time_unit != DEFAULT_TIME_UNIT and not _has_json(source.files, args.max_inflated):
        raise UsageError(f"--time-unit has no effect: {paths[0]} is no trace-event JSON, and says its unit itself")
    if args.executor is not None:
        return index_shards(source, args)
    if args.jobs is not None:
        raise UsageError("--jobs has no effect without --executor processes")
    begin = time.monotonic()
    worked = False
    with ProgressDisplay() as display:

        def report(progress: BuildProgress) -> None:
            nonlocal worked
            worked = worked or progress.phase != "wait"
            display.update_build(progress)

        build_store(
            source.files,
            args.output,
            progress=report,
            force=args.force,
            memory_bytes=args.memory,
            max_inflated=args.max_inflated,
            time_unit=args.time_unit,
            is_unconfirmed=source.is_unconfirmed,
        )
    seconds = time.monotonic() - begin
    for line in formats.left_out():
        complain(line)

    store = open_run_store(args.output)
    try:
        manifest = run_manifest(store)
    finally:
        store.close()
    events = manifest.events.total
    speed = f"in {seconds_text(seconds)}, {rate_text(events, seconds)}" if worked else "that are up to date already"
    say(f"{args.output}: {plural(events, 'event', 'events')} {speed}")
    for fact in [*store_facts(manifest), *_notes(source.notes, manifest)]:
        say(f"  {fact.label:<10}{fact.text}")
    return 0


def _notes(notes: Sequence[str], manifest: RunManifest) -> Iterator[StoreFact]:
    """Notes on how the run was found, without those that the store has as warnings."""
    return (StoreFact("note", note) for note in notes if note not in manifest.warnings)


def _has_json(files: Sequence[Path], max_inflated: int | None) -> bool:
    """True if any of the trace files is trace-event JSON."""
    from tilescope.tiler.readers.recognise import signature_of
    from tilescope.tiler.readers.sources import open_source

    for file in files:
        with open_source(file, max_inflated) as source:
            if signature_of(source).format.id == "trace_event_json":
                return True
    return False
