"""Rows about cores: how much faster a trace is indexed on more of them, and how much of the work is serial."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from pathlib import Path
from statistics import median
from typing import Final

from bench.measure import Measurement, measure
from bench.table import Row, Target, compared_row, measured_row, skipped_row
from bench.traces import Trace, TraceSpec
from tilescope.cli.text import seconds_text

# Over one core, by cores, for events in an XSpace.
SPEEDUPS: Final = {
    2: Target(1.9, 1.95, lambda value: f"{value:.2f}×"),
    16: Target(7, 10, lambda value: f"{value:.1f}×"),
}
SERIAL: Final = Target(0.06, 0.03, lambda value: f"{100 * value:.0f} %", at_most=True)


def parse_cores(text: str) -> tuple[int, ...]:
    """For argparse: "1,2,16" → (1, 2, 16); one core, which others are held against, is always among them."""
    counts = text.split(",")
    if not all(count.isascii() and count.isdigit() and int(count) for count in counts):
        raise argparse.ArgumentTypeError(f"{text!r} is no list of numbers of cores (write 1,2,4)")
    return tuple(sorted({1, *map(int, counts)}))


def core_rows(folder: Path, cores: Sequence[int], events: int, runs: int) -> Iterator[Row]:
    """Indexes one realistic XSpace on so many cores each, by turns. Cores that are not there are said."""
    processors = sorted(os.sched_getaffinity(0))
    present = [count for count in cores if count <= len(processors)]
    trace = TraceSpec("xspace", events, realistic=True).write(folder)
    work = f"XSpace, {events / 1e6:g} M events"
    taken: dict[int, list[Measurement]] = {count: [] for count in present}
    for _ in range(runs):
        for count in present:
            taken[count].append(_index(trace, processors[:count]))
    seconds = {count: median(run.seconds for run in taken[count]) for count in present}
    for count in cores:
        name = f"{work}, {count} core{'s' if count > 1 else ''}"
        if count not in taken:
            yield skipped_row(name, f"not measured: there are {len(processors)} cores")
            continue
        cpu_seconds = median(run.cpu_seconds for run in taken[count])
        speed = f"{events / seconds[count] / 1e6:.2f} M events/s"
        times = f"{seconds_text(seconds[count])} wall, {seconds_text(cpu_seconds)} CPU, median of {runs}"
        yield compared_row(name, f"{speed} ({times})")
        if count > 1:
            speedup = seconds[1] / seconds[count]
            target = SPEEDUPS.get(count)
            over = f"{name} over 1"
            yield compared_row(over, f"{speedup:.2f}×") if target is None else measured_row(over, target, speedup)
    if 2 in taken:
        yield measured_row(f"{work}, serial part by 1 and 2 cores", SERIAL, 2 * seconds[2] / seconds[1] - 1)
        yield compared_row("bare decoding, two at once over one", f"{_decodings_at_once(trace, processors[:2]):.2f}×")
    for line in _profile(trace, processors[: max(present)]):
        print(line, flush=True)
    trace.remove()


def _index(trace: Trace, processors: Sequence[int], *options: str | Path) -> Measurement:
    store = trace.path.with_name("cores.store")
    command = [*_on(processors), "-m", "tilescope", "index", trace.path, "-o", store, *options]
    try:
        return measure(command)
    finally:
        shutil.rmtree(store, ignore_errors=True)


def _profile(trace: Trace, processors: Sequence[int]) -> list[str]:
    """The stages of one more run, which takes longer for being recorded."""
    path = trace.path.with_name("profile.json")
    output = _index(trace, processors, "--profile", path).output
    path.unlink()
    lines = [line.removeprefix("tilescope: ") for line in output.splitlines()]
    return [*dropwhile(lambda line: not line.startswith("profile: "), lines)]


def _decodings_at_once(trace: Trace, processors: Sequence[int]) -> float:
    """Speed of decoding by processes that have a core each, over that of one."""
    alone = _decoding_seconds(trace, processors[:1])
    together = _decoding_seconds(trace, processors)
    return len(processors) * alone / together


def _decoding_seconds(trace: Trace, processors: Sequence[int]) -> float:
    """Seconds that each of some processes takes for all events, on a core of its own; the mean."""
    program = "import sys; from pathlib import Path; from bench.yardsticks import decode_seconds; "
    program += "print(decode_seconds(Path(sys.argv[1])))"
    processes = [
        subprocess.Popen([*_on([processor]), "-c", program, trace.path], stdout=subprocess.PIPE, text=True)
        for processor in processors
    ]
    outputs = [process.communicate()[0] for process in processes]
    return sum(float(output) for output in outputs) / len(outputs)


def _on(processors: Sequence[int]) -> list[str]:
    """Command line of Python on these processors."""
    return ["taskset", "-c", ",".join(map(str, processors)), sys.executable]
