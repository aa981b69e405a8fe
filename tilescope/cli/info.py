"""Prints what the store at STORE contains, or which runs there are in a folder or archive of traces.

STORE is a folder written by `tilescope index`, a trace file, which is indexed into the cache first, the address of one,
or the URL of a server of Tilescope, with ?run=ID for another run than the newest. Of a folder or archive of traces it
lists the runs, and which files belong to each. With --json it prints one JSON object: of traces
`runs`, a list of path, name, files (path and host), side_files, size_bytes, modified_ns (as text), contents (of
trainings on Ascend devices: words), steps (that it marks, where `tilescope view` has indexed it; else null) and notes;
of a store what follows.
Ticks are decimal strings, because they may exceed what a double holds:

    format          the format of the trace
    tick_ps         picoseconds per tick
    origin_ns       tick 0 in nanoseconds since the epoch, a decimal string
    start, end      ticks, decimal strings
    processes       how many there are
    tracks          how many there are, rollup tracks included
    events          counts: total, slices, instants, counter_samples, async_slices, flow_ends, other
    outliers        events that figures leave out, as the manifest has them; null: there are none
    ignored         reason → number of events that were ignored
    warnings        list of lines
    source_bytes    size of the trace files
    store_bytes     size of the store
    attachments     number of attachments: metadata of the trace, see `tilescope attachments`
    attached_bytes  their uncompressed size

Examples:

    tilescope info run.store
    tilescope info run.store --json | jq .events.total
    tilescope info logs/
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tilescope.cli.addresses import is_server_address, path_or_address
from tilescope.cli.attachments import lines_of, listed_in
from tilescope.cli.run_list import print_runs, runs_as_json
from tilescope.cli.say import say, say_json
from tilescope.cli.separate_option import add_separate_option
from tilescope.cli.store_facts import store_facts
from tilescope.cli.text import shortened
from tilescope.tiler.count_text import plural
from tilescope.tiler.printable_text import printable
from tilescope.tiler.size_text import size_text

if TYPE_CHECKING:
    from tilescope.tiler.readers import DiscoveredRun
    from tilescope.tiler.schema import RunManifest, TreeGroup, TreeTrack
    from tilescope.tiler.store.attachments import AttachmentEntry

NAME = "info"
HELP = "show what a store contains, or which runs a folder has"

PIPED_WIDTH = 120  # columns, where there is no terminal to ask
SHOWN_PROCESSES = 200  # laying out a table of 100,000 rows takes a minute
SHOWN_ATTACHMENTS = 20
SHOWN_CHARACTERS = 300  # of a name
_COUNTS = ("source_bytes", "store_bytes")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "store",
        type=path_or_address,
        metavar="STORE",
        help="a store, as `tilescope index` writes it, an archive, traces, an address, or a server",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    add_separate_option(parser)


def run(args: argparse.Namespace) -> int:
    """Prints the manifest, and with it the track tree for people."""
    from tilescope.cli.stores import local_place, store_at

    if isinstance(args.store, str) and is_server_address(args.store):
        from tilescope.cli.server_run import server_run

        with server_run(args.store) as there:
            tree = there.tree()
            _print(there.place, there.manifest, tree.groups, tree.tracks, there.attachments(), args)
        return 0
    with local_place(args.store) as path:
        runs = _runs_at(path, separate=args.separate)
        if not runs:
            return _info(store_at(path), args)
        if args.json:
            say_json(runs_as_json(runs))
        else:
            print_runs(path, runs)
        return 0


def _info(path: Path, args: argparse.Namespace) -> int:
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.pages import decompress
    from tilescope.tiler.records.tracks import TRACKS
    from tilescope.tiler.schema import TreeMembers
    from tilescope.tiler.store.store import need
    from tilescope.tiler.store.validation import must_make_sense

    store = open_run(path)
    try:
        manifest = store.manifest()
        tree = need(store, TRACKS)
        with must_make_sense(path):
            attached = listed_in(store)
    finally:
        store.close()
    with must_make_sense(path):
        members = TreeMembers.decode(decompress(tree))
        _print(str(path), manifest, members.groups, members.tracks, attached, args)
    return 0


def _print(
    place: str,
    manifest: dict[str, Any],
    groups: Sequence[TreeGroup],
    tracks: Sequence[TreeTrack],
    attached: Sequence[AttachmentEntry],
    args: argparse.Namespace,
) -> None:
    """Prints a run. Raises ValueError where its manifest makes no sense."""
    from tilescope.tiler.schema import RunManifest

    if args.json:
        sizes = {"attachments": len(attached), "attached_bytes": sum(entry.size_bytes for entry in attached)}
        say_json(_with_numbers(manifest) | sizes)
        return
    _print_tables(place, RunManifest.from_json(manifest), groups, tracks)
    _print_attachments(attached)


def _runs_at(path: Path, *, separate: bool) -> Sequence[DiscoveredRun]:
    """The runs in a folder or archive of traces; none of a store, and of whatever has none."""
    from tilescope.tiler.errors import TooMany, TraceError
    from tilescope.tiler.mount import is_run
    from tilescope.tiler.readers import discover
    from tilescope.tiler.readers.container import is_archive

    try:
        if is_run(path) or not (path.is_dir() or (path.is_file() and is_archive(path))):
            return ()
        return discover(path, separate=separate)
    except TooMany:
        raise
    except TraceError:
        return ()


def _with_numbers(manifest: dict[str, Any]) -> dict[str, Any]:
    """The manifest with counts as numbers: they stay below 2**53, and scripts want to compare them."""
    return {
        **manifest,
        "events": {kind: int(count) for kind, count in manifest["events"].items()},
        "ignored": {reason: int(count) for reason, count in manifest["ignored"].items()},
        **{name: int(manifest[name]) for name in _COUNTS},
    }


def _print_attachments(attached: Sequence[AttachmentEntry]) -> None:
    if attached:
        total = size_text(sum(entry.size_bytes for entry in attached))
        say(f"  {plural(len(attached), 'attachment', 'attachments')}, {total} (tilescope attachments STORE NAME)")
        for line in lines_of(attached, SHOWN_ATTACHMENTS):
            say(line)


def _print_tables(place: str, manifest: RunManifest, groups: Sequence[TreeGroup], tracks: Sequence[TreeTrack]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from tilescope.cli.track_table import process_rows

    console = Console()
    if not console.is_terminal:
        console = Console(width=PIPED_WIDTH)
    console.print(Text(printable(place), style="bold"))
    facts = Table(box=None, show_header=False, padding=(0, 2))
    for fact in store_facts(manifest):
        facts.add_row(Text(fact.label, style="dim"), Text(printable(fact.text)))
    console.print(facts)

    processes = Table(box=box.SIMPLE_HEAD, padding=(0, 1))
    processes.add_column("process", overflow="fold")
    for title in ("tracks", "events", "busy"):
        processes.add_column(title, justify="right", no_wrap=True)
    rows = process_rows(groups, tracks, manifest.tick_ps)
    for row in rows[:SHOWN_PROCESSES]:
        processes.add_row(Text(printable(shortened(row.name, SHOWN_CHARACTERS))), row.tracks, row.events, row.busy)
    console.print(processes)
    if len(rows) > SHOWN_PROCESSES:
        console.print(f"  and {plural(len(rows) - SHOWN_PROCESSES, 'more process', 'more processes')}")
