"""Writes a realistic synthetic trace, with exact totals beside it.

The trace has steps, modules, nested operations, host threads, counters, flows and arguments. The
same seed gives the same bytes. PATH.totals.json says, for each track, how many events of each kind
it has and how long they take together. A path that ends in .gz is compressed.

Examples:

    tilescope synth --format xspace --events 10000000 --tracks 120 -o big.xplane.pb
    tilescope synth --format chrome --events 100000 --tracks 24 --seed 7 -o small.trace.json.gz
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tilescope.cli.progress import ProgressDisplay
from tilescope.cli.say import say
from tilescope.cli.text import plural, size_text

NAME = "synth"
HELP = "write a synthetic trace"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("--format", choices=("xspace", "chrome"), default="xspace", help="default: xspace")
    parser.add_argument("--events", type=int, metavar="N", default=1_000_000, help="default: 1,000,000")
    parser.add_argument("--tracks", type=int, metavar="N", default=40, help="lines and threads; default: 40")
    parser.add_argument("--seed", type=int, metavar="S", default=0, help="default: 0")
    parser.add_argument("-o", "--output", type=Path, metavar="PATH", required=True, help="the file to write")


def run(args: argparse.Namespace) -> int:
    """Writes the trace and says what it wrote."""
    from tilescope.tiler.synth import write_synthetic_trace

    with ProgressDisplay() as display:
        result = write_synthetic_trace(
            args.output,
            format=args.format,
            events=args.events,
            tracks=args.tracks,
            seed=args.seed,
            progress=lambda events, size_bytes: display.update(
                "writing", events / max(1, args.events), events=events, size_bytes=size_bytes
            ),
        )
    say(f"{result.path}: {plural(result.events, 'event', 'events')}, {size_text(result.size_bytes)}")
    say(f"{result.totals_path}: totals of each track")
    return 0
