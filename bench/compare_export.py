"""Comparison of the figures that others read from our export of a trace and from its source.

    python -m bench.compare_export --peers PYTHON [TRACE ...]

HolisticTraceAnalysis and Perfetto's trace processor are asked, by default about traces of the corpus; several ranks of
one run are a folder. Ends with 1 where a figure differs.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Playwright, sync_playwright
from rich.console import Console
from rich.table import Table

from bench.perfetto_figures import perfetto_figures
from bench.perfetto_peer import find_ui
from tests.browser.chromium import FLAGS, find_chromium
from tests.corpus import corpus_root

SCRIPT: Final = Path(__file__).with_name("hta_figures.py")
RUNS: Final = (
    "kineto/h100_two_ranks",
    "kineto/h100_gpt_stack.pt.trace.json.gz",
    "kineto/ns_resolution.pt.trace.json.gz",
    "kineto/nccl_data.json.gz",
    "kineto/resnet50_workers4.pt.trace.json.gz",
    "kineto/critical_path/alexnet.json.gz",
    "kineto/critical_path/simple_add.json.gz",
    "kineto/critical_path/cuda_event_sync.json.gz",
)


# Traces of other programs than PyTorch: HTA is not asked about them.
OTHERS: Final = ("chrome/instance_counters.json",)


_LINES: Final = "Perfetto ties ends of flows to slices by the order of lines: more of them in ours"
_THREADS: Final = "the number 5555 and the text are one thread, as in chrome://tracing; two in Perfetto"

# Differences whose cause is with the reader.
KNOWN: Final = {
    ("alexnet.json.gz", "flows"): _LINES,
    ("simple_add.json.gz", "flows"): _LINES,
    ("resnet50_workers4.pt.trace.json.gz", "threads"): _THREADS,
    ("resnet50_workers4.pt.trace.json.gz", "names"): _THREADS,
    ("resnet50_workers4.pt.trace.json.gz", "flows"): _THREADS,
}


@dataclass(frozen=True, slots=True)
class Compared:
    """One figure of one run. `values`: how many it has."""

    run: str
    reader: str
    figure: str
    values: int
    is_equal: bool
    words: str = ""  # of a reader that has no such figure, or why it differs


def main() -> int:
    """0: all is equal, or nobody is there to read it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--peers", type=Path, metavar="PYTHON", help="an interpreter with HolisticTraceAnalysis and viztracer"
    )
    parser.add_argument(
        "traces", nargs="*", type=Path, default=[corpus_root() / run for run in (*RUNS, *OTHERS)], metavar="TRACE"
    )
    arguments = parser.parse_args()
    runs = [run for run in arguments.traces if run.exists()]
    for run in arguments.traces:
        if not run.exists():
            print(f"skipped: {run} is not there")
    why, ui = why_not(arguments.peers), find_ui(arguments.peers)
    for reason in (why, ui):
        if isinstance(reason, str):
            print(f"skipped: {reason}")
    compared: list[Compared] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright, chromium(playwright) as browser:
        for number, run in enumerate(runs):
            ranks = sorted(run.glob("*.json*")) if run.is_dir() else [run]
            places = [Path(folder) / f"{number}.{place}" for place in range(len(ranks))]
            exported = [export(rank, place) for rank, place in zip(ranks, places, strict=True)]
            if why is None and not any(str(run).endswith(other) for other in OTHERS):
                compared += differences(
                    run.name, "HTA", ask_hta(arguments.peers, ranks), ask_hta(arguments.peers, exported)
                )
            if isinstance(ui, Path):
                for rank, ours in zip(ranks, exported, strict=True):
                    figures = (perfetto_figures(browser, ui, trace) for trace in (rank, ours))
                    compared += differences(rank.name, "Perfetto", *figures)
    show(compared)
    return int(not all(figure.is_equal or figure.words for figure in compared))


@contextmanager
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """A browser without a window."""
    browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
    try:
        yield browser
    finally:
        browser.close()


def why_not(python: Path | None) -> str | None:
    """Reason why HTA cannot be run by this interpreter; None when it can."""
    if python is None:
        return "no interpreter with HolisticTraceAnalysis was named (--peers)"
    tried = subprocess.run([python, "-c", "import hta.trace_analysis"], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"{python}: {tried.stderr.strip().splitlines()[-1]}"


def differences(run: str, reader: str, source: dict[str, Any], ours: dict[str, Any]) -> list[Compared]:
    """The figures of a reader about a run, compared with those about our export of it."""
    compared = []
    for name, values in source.items():
        words = values if isinstance(values, str) else KNOWN.get((run, name), "")
        compared.append(Compared(run, reader, name, size(values), values == ours[name], words))
    return compared


def export(trace: Path, folder: Path) -> Path:
    """The trace as `tilescope export` writes it."""
    folder.mkdir()
    target = folder / "export.json.gz"
    tilescope = [sys.executable, "-m", "tilescope"]
    subprocess.run([*tilescope, "index", trace, "-o", folder / "store"], check=True, capture_output=True)
    subprocess.run([*tilescope, "export", folder / "store", "-o", target], check=True, capture_output=True)
    return target


def ask_hta(python: Path, ranks: Sequence[Path]) -> dict[str, Any]:
    """The figures of HTA about these traces."""
    process = subprocess.run([python, SCRIPT, *ranks], capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads(next(line for line in process.stdout.splitlines() if line.startswith("{")))
    return figures


def size(values: Any) -> int:
    """Number of values, in any depth."""
    if isinstance(values, dict):
        return sum(map(size, values.values()))
    return sum(map(size, values)) if isinstance(values, list) else int(isinstance(values, str))


def show(compared: Sequence[Compared]) -> None:
    """A table of all, and how many there are."""
    table = Table("run", "reader", "figure", "values", "export")
    for figure in compared:
        verdict = "equal" if figure.is_equal else "DIFFERS"
        words = f"{verdict} ({figure.words[:90]})" if figure.words else verdict
        table.add_row(figure.run, figure.reader, figure.figure, f"{figure.values:,}", words)
    Console(width=160).print(table)
    equal = sum(figure.is_equal for figure in compared)
    by_reader = sum(not figure.is_equal and bool(figure.words) for figure in compared)
    values = sum(figure.values for figure in compared)
    print(f"{equal:,} of {len(compared):,} figures are equal, and {by_reader} differ by the reader; {values:,} values")


if __name__ == "__main__":
    sys.exit(main())
