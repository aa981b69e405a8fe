"""Compares answers of xprof and of our tools, figure by figure, about a synthetic run and the files of the corpus.

python -m bench.xprof_compare --xprof build/peers/bin/python

Exits with 1 when a figure differs and nobody has said why, or when one of ours about the synthetic run is not true.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol, cast

from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.machine import machine_lines
from bench.xprof_compare import framework_ops, hlo_stats, input_pipeline, kernels, op_profile, overview, roofline
from bench.xprof_compare.case import Case, cases
from bench.xprof_compare.figures import Figure
from bench.xprof_compare.peer import ask_xprof
from bench.xprof_peer import why_not


class Comparison(Protocol):
    """A module that compares a tool of ours with answers of xprof."""

    TOOL: str
    PEER: Sequence[str]
    figures: Callable[[Case], Iterator[Figure]]


COMPARISONS = cast(
    "Sequence[Comparison]", (overview, input_pipeline, op_profile, hlo_stats, framework_ops, kernels, roofline)
)


def compared(case: Case) -> Iterator[Figure]:
    """The figures of all tools that have an answer about it, theirs and ours."""
    for comparison in COMPARISONS:
        if comparison.PEER[0] in case.theirs and not case.why_not(comparison.TOOL):
            yield from comparison.figures(case)


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.xprof_compare", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--xprof", type=Path, required=True, help="a Python that has xprof (extra `peers`)")
    corpus = os.environ.get("TILESCOPE_CORPUS", "../shared/corpus")
    parser.add_argument(
        "--corpus", type=Path, default=Path(corpus), help="the folder of real traces, where it is there"
    )
    args = parser.parse_args(argv)
    reason = why_not(args.xprof)
    if reason:
        print(f"xprof cannot be asked: {reason}", file=sys.stderr)
        return 2
    for line in machine_lines("bench.xprof_compare", argv):
        print(line)
    with tempfile.TemporaryDirectory(prefix="tilescope-compare-") as name:
        folder = Path(name)
        all_cases = cases(folder, args.corpus)
        version = ask_xprof(
            args.xprof, all_cases, [answer for comparison in COMPARISONS for answer in comparison.PEER], folder
        )
        print(f"peer      xprof {version}\n")
        figures_by_tool: dict[str, list[Figure]] = {}
        for case in all_cases:
            case.index(folder)
            figures_by_tool[case.name] = list(compared(case))
    for line in table_lines(figures_by_tool):
        print(line)
    print(f"\n{summary_line(figures_by_tool)}")
    return 0 if all(figure.is_explained for figures in figures_by_tool.values() for figure in figures) else 1


def table_lines(figures_by_tool: Mapping[str, Sequence[Figure]]) -> list[str]:
    """A line for each figure of each run, and the reasons, which the table has as numbers."""
    grid = Table("run", "tool", "figure", "agrees", "why", "0 is unknown", "true", box=MARKDOWN)
    numbers: dict[str, int] = {}
    for name, figures in figures_by_tool.items():
        for figure in figures:
            whys = " ".join(f"[{numbers.setdefault(why, len(numbers) + 1)}]" for why in figure.whys)
            true = "" if figure.true is None else str(figure.true)
            cells = name, figure.tool, figure.name, figure.verdict, whys, str(figure.unknown or ""), true
            grid.add_row(*map(Text, cells))
        if not figures:
            grid.add_row(name, "", "", "no tool of both has an answer")
    console = Console(width=1000, color_system=None)
    with console.capture() as printed:
        console.print(grid)
    table = [line.rstrip() for line in printed.get().splitlines() if line.strip()]
    legend = [
        "",
        "0 is unknown: of so many xprof says 0, and ours that nothing is known",
        "true: so many are as the run is known to be",
        *(f"[{number}] {why}" for why, number in numbers.items()),
    ]
    return [*table, *legend]


def summary_line(figures_by_tool: Mapping[str, Sequence[Figure]]) -> str:
    """Number of values that were compared, by outcome."""
    every = [figure for figures in figures_by_tool.values() for figure in figures]
    wrong = [figure for figure in every if not figure.is_explained]
    both = sum(len(figure.theirs) - len(figure.lacking) for figure in every)
    apart = sum(len(figure.apart) for figure in every)
    alone = sum(len(figure.beyond) + len(figure.lacking) for figure in every)
    true = sum(figure.true or 0 for figure in every)
    summary = f"{len(every)} figures: of {both:,} values of both {apart:,} differ; {alone:,} values of ours alone"
    verdict = f"{len(wrong)} differ without a reason, or are not true" if wrong else "nothing differs without a reason"
    return f"{summary}; {true:,} held against the truth; {verdict}"


if __name__ == "__main__":
    sys.exit(main())
