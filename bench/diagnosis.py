"""Points of Overview's first finding, in runs with a planted cause: 3 a run, for its class, its culprit and its loss.

Before them the sentences about each run: the first of ours, and that of xprof, where it opens the run.

Each folder of the runs has `truth.json` beside the files of one run: a trace, an archive, or a folder `run/` with a
file for each rank. A folder of ranks that does not open as one run is asked rank by rank, and the least points count.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec
from rich.box import MARKDOWN
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bench.xprof_sentences import xprof_sentences
from tilescope.tiler.errors import UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.readers import find_run
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import Value, values_of

POINTS: Final = 3  # class, culprit, loss

HEALTHY: Final = "none"
UNCLEAR: Final = "unclear"
MAX_HEALTHY_SHARE: Final = 0.03
MAX_LOSS_ERROR: Final = 0.2
MAX_LOSS_ERROR_MS: Final = 0.05

_TRUTH: Final = "truth.json"
_BESIDE_THE_REPOSITORY: Final = Path(__file__).resolve().parents[1].parent / "shared" / "diagnosis"
_HEADINGS: Final = ("run", "truth", "ours", "where", "ms a step: truth", "ours", "class", "culprit", "loss", "points")
_MAX_SHOWN: Final = 70  # characters of a culprit


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """The planted cause of a run. `where`: of each group one pattern must match; `where_not`: patterns of victims."""

    id: str
    class_: str = msgspec.field(name="class")
    also_right: Sequence[str] = ()
    where: Sequence[Sequence[str]]
    where_not: Sequence[str] = ()
    step_ms: float
    loss_ms_per_step: float

    @property
    def classes(self) -> frozenset[str]:
        """The classes that are counted as right."""
        return frozenset((self.class_, *self.also_right))


@dataclass(frozen=True, slots=True)
class Finding:
    """A row of the table `findings`, with its loss per step."""

    class_: str
    where: str
    steps: str
    sentence: str
    loss_ms: float


@dataclass(frozen=True, slots=True)
class Score:
    """The points of a run, and the finding that they are for; None: the answer has no findings."""

    first: Finding | None
    has_class: bool = False
    has_culprit: bool = False
    has_loss: bool = False
    has_candidate: bool = False  # one of the two that an unclear finding names

    @property
    def points(self) -> int:
        """From 0 to 3."""
        return self.has_class + self.has_culprit + self.has_loss + self.has_candidate


def score(findings: Sequence[Finding], truth: Truth) -> Score:
    """The points of the first finding; culprit and loss count only where the class is right."""
    if not findings:
        return Score(None)
    first = findings[0]
    if first.class_ == UNCLEAR:
        return Score(first, has_candidate=any(row.class_ in truth.classes for row in findings[1:3]))
    if first.class_ not in truth.classes:
        return Score(first)
    texts = (first.where, first.steps, first.sentence)
    is_named = all(any(_matches(pattern, texts) for pattern in group) for group in truth.where)
    is_victim = any(_matches(pattern, (first.where,)) for pattern in truth.where_not)
    return Score(first, True, is_named and not is_victim, _has_loss(findings, truth))


def _matches(pattern: str, texts: Sequence[str]) -> bool:
    return any(re.search(pattern, text) for text in texts)


def _has_loss(findings: Sequence[Finding], truth: Truth) -> bool:
    if truth.class_ == HEALTHY:
        return max(finding.loss_ms for finding in findings) <= MAX_HEALTHY_SHARE * truth.step_ms
    error_ms = abs(findings[0].loss_ms - truth.loss_ms_per_step)
    return error_ms <= max(MAX_LOSS_ERROR * truth.loss_ms_per_step, MAX_LOSS_ERROR_MS)


def findings_of(answer: Answer, tick_ps: int) -> list[Finding]:
    """The rows of its table `findings`, greatest loss first; none where it has no such table."""
    tables = [table for table in answer.tables if table.id == "findings"]
    if not tables:
        return []
    columns = {column.id: values_of(column) for column in tables[0].columns}
    return [_finding(dict(zip(columns, row, strict=True)), tick_ps) for row in zip(*columns.values(), strict=True)]


def _finding(row: Mapping[str, Value], tick_ps: int) -> Finding:
    is_in_ms = "loss_ms_per_step" in row
    loss = row["loss_ms_per_step" if is_in_ms else "loss"]
    assert isinstance(loss, (int, float))
    loss_ms = float(loss) if is_in_ms else loss * tick_ps / 1e9
    return Finding(str(row["class"]), str(row["where"]), str(row["steps"]), str(row["sentence"]), loss_ms)


def runs_root() -> Path:
    """The folder named by TILESCOPE_DIAGNOSIS, or the one beside the repository."""
    return Path(os.environ.get("TILESCOPE_DIAGNOSIS") or _BESIDE_THE_REPOSITORY)


def read_truth(folder: Path) -> Truth:
    """The truth about the run of a folder."""
    return msgspec.json.decode((folder / _TRUTH).read_bytes(), type=Truth)


def score_run(folder: Path, scratch: Path) -> Score:
    """The points of the run of a folder. Its stores are made in `scratch`."""
    truth, path = read_truth(folder), _run_path(folder)
    files = _one_run(path)
    runs = [files] if files else [_one_run(rank) for rank in sorted(path.iterdir())]
    scores = [score(_ask(files, scratch / f"{truth.id}-{rank}.store"), truth) for rank, files in enumerate(runs)]
    return min(scores, key=lambda rank_score: rank_score.points)


def _run_path(folder: Path) -> Path:
    """The file, archive or folder of a run, beside its truth."""
    (path,) = (entry for entry in folder.iterdir() if entry.name != _TRUTH)
    return path


def _one_run(path: Path) -> list[Path]:
    """The files of a run; none where a folder does not open as one run."""
    try:
        return list(find_run(path).files)
    except UsageError:
        if not path.is_dir():
            raise
        return []


def _ask(files: Sequence[Path], store_path: Path) -> list[Finding]:
    build_store(files, store_path)
    overview = tool("overview")
    with closing(open_run_store(store_path)) as store:
        reader = QueryReader(store)
        answer = finish(ask(overview, Scope(reader), from_values(overview.question, {})))
        return findings_of(answer, reader.tick_ps)


def table_lines(scores: Sequence[tuple[Truth, Score]]) -> Iterator[str]:
    """Headings, a rule, one line for each run, and the sum."""
    yield from _printed(_HEADINGS, [list(_cells(truth, run_score)) for truth, run_score in scores])
    yield f"{sum(run_score.points for _, run_score in scores)} of {POINTS * len(scores)} points"


def sentence_lines(scores: Sequence[tuple[Truth, Score]], theirs: Mapping[str, str]) -> Iterator[str]:
    """Headings, a rule, and one line for each run: the sentence of ours, and that of xprof by run."""
    rows = []
    for truth, run_score in scores:
        ours = "" if run_score.first is None else run_score.first.sentence
        rows.append([truth.id, truth.class_, ours, theirs[truth.id]])
    yield from _printed(("run", "truth", "ours says", "xprof says"), rows)


def _printed(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    grid = Table(*headings, box=MARKDOWN)
    for row in rows:
        grid.add_row(*map(Text, row))  # as `Text`, in which nothing is markup
    console = Console(width=1000, color_system=None)
    with console.capture() as printed:
        console.print(grid)
    yield from (line.rstrip() for line in printed.get().splitlines() if line.strip())


def _cells(truth: Truth, run_score: Score) -> Iterator[str]:
    first = run_score.first
    yield truth.id
    yield truth.class_
    yield "no findings" if first is None else first.class_
    yield "" if first is None else first.where[:_MAX_SHOWN]
    yield f"{truth.loss_ms_per_step:.2f}"
    yield "" if first is None else f"{first.loss_ms:.2f}"
    yield from ("1" if point else "0" for point in (run_score.has_class, run_score.has_culprit, run_score.has_loss))
    yield str(run_score.points)


def main(arguments: Sequence[str] | None = None) -> int:
    """Prints the table; fails where fewer points are reached than asked for."""
    parser = argparse.ArgumentParser(prog="bench.diagnosis", description=__doc__)
    parser.add_argument("--root", type=Path, default=runs_root(), help="folder of the runs; default: %(default)s")
    parser.add_argument("--runs", default="", metavar="NAMES", help="some of them, with commas between: d01,d07")
    parser.add_argument("--least", type=int, default=0, metavar="POINTS", help="fail below so many points in all")
    parser.add_argument(
        "--xprof", type=Path, help="a Python that has xprof (extra `peers`): its sentences stand beside ours"
    )
    options = parser.parse_args(arguments)
    names = [name for name in options.runs.split(",") if name]
    folders = [
        path.parent for path in sorted(options.root.glob(f"*/{_TRUTH}")) if not names or path.parent.name in names
    ]
    missing = sorted(set(names) - {folder.name for folder in folders})
    if missing or not folders:
        print(f"{options.root} has no run {', '.join(missing) or 'with a truth.json'}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as scratch:
        scores = [(read_truth(folder), score_run(folder, Path(scratch))) for folder in folders]
        runs = {truth.id: _run_path(folder) for (truth, _), folder in zip(scores, folders, strict=True)}
        theirs = xprof_sentences(options.xprof, runs, Path(scratch))
    for line in (*sentence_lines(scores, theirs), "", *table_lines(scores)):
        print(line)
    return int(sum(run_score.points for _, run_score in scores) < options.least)


if __name__ == "__main__":
    sys.exit(main())
