"""Writes a synthetic trace, with exact totals beside it.

The trace has steps, modules, nested operations, host threads, counters, flows and arguments. The
same seed gives the same bytes. PATH.totals.json says, for each track, how many events of each kind
it has and how long they take together. A path that ends in .gz is compressed.

--realistic writes what the profilers of large programs write. An XSpace has 40,000 operations with
long expressions, in four stages that devices have by turns, and the times of the device's clock beside
those of each operation; as in the capture of a TPU, operations have scopes, sources and memory accesses.
Trace-event JSON is as PyTorch writes it: texts for some pids and tids, kernels with their launches and
flows, memory instants, and the events of all tracks mixed (259 bytes each).

Examples:

    tilescope synth --format xspace --events 10000000 --tracks 120 -o big.xplane.pb
    tilescope synth --format chrome --events 100000 --tracks 24 --seed 7 -o small.trace.json.gz
    tilescope synth --realistic --format chrome --events 10000000 --tracks 120 -o torch.pt.trace.json
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tilescope.cli.progress import ProgressDisplay
from tilescope.cli.say import say
from tilescope.tiler.count_text import plural
from tilescope.tiler.size_text import size_text

NAME = "synth"
HELP = "write a synthetic trace"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "--format", choices=("xspace", "chrome"), default="xspace", help="XSpace or trace-event JSON; default: xspace"
    )
    parser.add_argument(
        "--events", type=int, metavar="N", default=1_000_000, help="number of events; default: 1,000,000"
    )
    parser.add_argument("--tracks", type=int, metavar="N", default=40, help="number of lines and threads; default: 40")
    parser.add_argument("--realistic", action="store_true", help="a trace like those of large programs")
    parser.add_argument("--seed", type=int, metavar="S", default=0, help="seed of the random numbers; default: 0")
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
            realistic=args.realistic,
            progress=lambda events, size_bytes: display.update(
                "writing", events / max(1, args.events), events=events, size_bytes=size_bytes
            ),
        )
    say(f"{result.path}: {plural(result.events, 'event', 'events')}, {size_text(result.size_bytes)}")
    say(f"{result.totals_path}: totals of each track")
    return 0
