"""Comparison of the tables *Like HTA* with what HolisticTraceAnalysis says of the same traces, figure by figure.

    python -m bench.compare_hta --hta PYTHON [TRACE ...]

By default traces of the corpus; several ranks of one run are a folder. Prints a table with wall time and memory of
both, ours with indexing. Ends with 1 where a figure differs and `KNOWN` has no reason.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.corpus import corpus_root

SCRIPT: Final = Path(__file__).with_name("hta_figures.py")
RUNS: Final = (
    "kineto/nccl_data.json.gz",
    "kineto/sampled_rank-0.json.gz",
    "kineto/df_index_resolver.json.gz",
    "kineto/resnet50_workers4.pt.trace.json.gz",
    "kineto/h100_gpt_stack.pt.trace.json.gz",
    "kineto/h100_two_ranks",
    "kineto/ns_resolution.pt.trace.json.gz",
    "kineto/mi250_minitoy.json.gz",
    "kineto/mtia_inference_rank_0.json.gz",
    "kineto/critical_path/alexnet.json.gz",
)

# Reasons for which figures differ, by trace and analysis.
_DOUBLES: Final = "HTA takes times since 1970 as doubles, a quarter of a microsecond apart"
_SYNCS: Final = "HTA counts waits of hosts for devices (`cuda_sync`) as work, *Stream Wait Event* as computation"
_SHORT: Final = "1 µs: work that rounding lets end before it starts changes the kind of what runs beside it in HTA"
KNOWN: Final[Mapping[tuple[str, str], str]] = {
    **{("ns_resolution.pt.trace.json.gz", name): _DOUBLES for name in ("breakdown", "kinds", "idle", "launches")},
    **{("alexnet.json.gz", name): _SYNCS for name in ("breakdown", "kinds")},
    ("mtia_inference_rank_0.json.gz", "kinds"): _SHORT,
}

Figures = dict[str, int]

_WAITS: Final = (("host_wait", "host_wait"), ("kernel_wait", "kernel_wait"), ("other", "other_wait"))
_TIMES: Final = ("idle_time", "compute_time", "non_compute_time", "kernel_time")
_LAUNCHES: Final = ("launches", "cpu_duration", "gpu_duration", "launch_delay")


@dataclass(frozen=True, slots=True)
class Measured:
    """Output of a process, with its time and memory."""

    printed: Any
    seconds: float
    cpu_seconds: float
    peak_bytes: int


def measured(command: Sequence[str]) -> Measured:
    """Runs a command that prints JSON. Raises CalledProcessError."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command, stderr=errors.read())
        output.seek(0)
        return Measured(json.load(output), seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def figures_there(answers: Mapping[str, Any]) -> Figures:
    """Microseconds and counts of the analyses of HTA: "rank/analysis/figure"."""
    figures: Figures = {}
    if isinstance(answers["temporal breakdown"], list):
        for rank, *times in answers["temporal breakdown"]:
            figures |= {f"{rank}/breakdown/{name}": int(value) for name, value in zip(_TIMES, times[:4], strict=True)}
    if isinstance(answers["kernels"], list):
        figures |= {f"all/kinds/{label}": int(value) for label, value, _ in answers["kernels"][0]}
    if isinstance(answers["idle time"], list):
        for rank, stream, kind, ticks, _ in answers["idle time"][0]:
            figures[f"{rank}/idle/stream {stream} {kind}"] = int(ticks)
    if isinstance(answers["launches"], dict):
        for rank, rows in answers["launches"].items():
            sums = [len(rows), *(sum(int(row[place]) for row in rows) for place in (1, 2, 3))]
            figures |= {f"{rank}/launches/{name}": value for name, value in zip(_LAUNCHES, sums, strict=True)}
    return figures


def figures_here(paths: Sequence[Path]) -> Figures:
    """The same of our tables; a device is a rank."""
    from tests.reports.traces import answer, rows
    from tilescope.tiler.indexing import build_store
    from tilescope.tiler.query import QueryReader
    from tilescope.tiler.store import open_run_store

    figures: Figures = {}
    with tempfile.TemporaryDirectory() as folder:
        build_store(list(paths), Path(folder) / "store")
        reader = QueryReader(open_run_store(Path(folder) / "store"))
        devices: list[str] = []
        for row in rows(answer(reader, "overlap", like_hta=True), "hta"):
            devices.append(row["device"])
            rank = len(devices) - 1
            figures |= {f"{rank}/breakdown/{name}": int(row[name]) for name in _TIMES}
            for column, label in _labels().items():
                key = f"all/kinds/{label}"
                figures[key] = figures.get(key, 0) + int(row[column])
        for row in rows(answer(reader, "gaps", like_hta=True), "hta"):
            device, _, stream = row["lane"].rpartition(" › ")
            for name, column in _WAITS:
                figures[f"{devices.index(device)}/idle/{stream.lower()} {name}"] = int(row[column])
        for rank, row in enumerate(rows(answer(reader, "launches", like_hta=True), "hta")):
            figures |= {f"{rank}/launches/{name}": int(row[name]) for name in _LAUNCHES}
    return figures


def _labels() -> Mapping[str, str]:
    from tilescope.tiler.tools.like_hta import LABELS

    return LABELS


def differences(here: Figures, there: Figures) -> dict[str, tuple[int | None, int | None]]:
    """Figures that differ, as pairs, of the analyses that HTA has; what one side leaves out where it is 0 is none."""
    analyses = {_analysis(name) for name in there}
    names = [*there, *(name for name in here if name not in there and _analysis(name) in analyses)]
    return {name: (here.get(name), there.get(name)) for name in names if here.get(name, 0) != there.get(name, 0)}


def _analysis(name: str) -> str:
    """Rank and analysis of a figure."""
    return "/".join(name.split("/")[:2])


def main() -> int:
    """Asks both about each trace and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hta", metavar="PYTHON", help="an interpreter that has HolisticTraceAnalysis")
    parser.add_argument("--here", action="store_true", help="print our figures alone, as JSON")
    parser.add_argument("traces", nargs="*", type=Path)
    args = parser.parse_args()
    if args.here:
        print(json.dumps(figures_here(args.traces)))
        return 0
    if args.hta is None or not Path(args.hta).exists():
        print("HolisticTraceAnalysis is not there: nothing is compared", file=sys.stderr)
        return 0
    root = corpus_root()
    unexplained = 0
    print("| trace | figures | agree | HTA | Tilescope | differences |\n|---|---|---|---|---|---|")
    for trace in args.traces or [root / name for name in RUNS]:
        paths = sorted(trace.glob("*.json*")) if trace.is_dir() else [trace]
        texts = list(map(str, paths))
        theirs = measured([args.hta, str(SCRIPT), *texts])
        ours = measured([sys.executable, "-m", "bench.compare_hta", "--here", *texts])
        there = figures_there(theirs.printed)
        apart = differences(ours.printed, there)
        reasons = {KNOWN.get((trace.name, name.split("/")[1])) for name in apart}
        for name, (value, other) in apart.items():
            print(f"{trace.name}: {name}: {value} here, {other} in HTA", file=sys.stderr)
        unexplained += None in reasons
        words = "; ".join(sorted(reason or "**not explained**" for reason in reasons))
        takes = [f"{side.cpu_seconds:.1f} s, {side.peak_bytes >> 20} MiB" for side in (theirs, ours)]
        count = len(there.keys() | apart.keys())
        row = [trace.name.split(".")[0], count, count - len(apart), *takes, words]
        print("|", " | ".join(map(str, row)), "|", flush=True)
    return int(unexplained > 0)


if __name__ == "__main__":
    sys.exit(main())
