"""The table of figures in the README, written from the record: no figure of it is typed.

python -m bench.readme_figures             prints the table
python -m bench.readme_figures --write     puts it into the README

`make bench-readme` measures anew first. `tests/bench/test_readme_figures.py` compares README and record.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.record import Record, Run, read_record

README: Final = Path(__file__).parents[1] / "README.md"
HEADINGS: Final = ("| what | measured | when and where | command |", "|---|---|---|---|")
_TABLE: Final = re.compile(rf"(?m)^{re.escape(HEADINGS[0])}\n(?:\|.*\n)*")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table: what the README calls it, the row of the record, and what measures it."""

    what: str
    work: str
    command: str


LINES: Final = (
    Line(
        "XSpace, 10 million events of 40,000 operations: from the file to the published index",
        "XSpace, 10 M events, wall time",
        "make bench-realistic",
    ),
    Line("the same: memory at the peak", "XSpace, 10 M events, peak memory", "make bench-realistic"),
    Line(
        "XSpace, 100 million events: from the file to the published index",
        "XSpace, 100 M events, wall time",
        "make bench-realistic",
    ),
    Line("the same: memory at the peak", "XSpace, 100 M events, peak memory", "make bench-realistic"),
    Line(
        "trace-event JSON, 10 million events: from the file to the published index",
        "trace-event JSON, 10 M events, uncompressed bytes",
        "make bench-realistic",
    ),
    Line(
        "200 viewers panning for a minute: all pages of a step, p99",
        "200 viewers panning for 60 s, all pages of a step, p99",
        "make bench-load",
    ),
    Line(
        "five viewers beside 40 clients with the heaviest questions: a page, p99",
        "5 viewers, page after page, 40 greedy clients on addresses of their own, p99",
        "make bench-load",
    ),
)


def table_of(record: Record) -> list[str]:
    """The lines of the table, headings first. Raises `LookupError` where the record lacks a row."""
    return [*HEADINGS, *(_line_text(line, *record.run_with(line.work)) for line in LINES)]


def with_table(readme: str, table: Sequence[str]) -> str:
    """The README with this table in the place of the one that it has. Raises `LookupError` where it has none."""
    if _TABLE.search(readme) is None:
        raise LookupError(f"README.md has no table that begins with {HEADINGS[0]!r}")
    return _TABLE.sub(lambda _: "\n".join(table) + "\n", readme, count=1)


def _line_text(line: Line, run: Run, value: str) -> str:
    where = ", ".join(filter(None, (run.date[:10], run.machine.partition(",")[0], run.remark)))
    return f"| {line.what} | {value} | {where} | `{line.command}` |"


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the table, or writes it into the README."""
    parser = argparse.ArgumentParser(prog="python -m bench.readme_figures", description="The figures of the README.")
    parser.add_argument("--write", action="store_true", help="put the table into the README instead of printing it")
    args = parser.parse_args(argv)
    table = table_of(read_record())
    if args.write:
        README.write_text(with_table(README.read_text(encoding="utf-8"), table), encoding="utf-8")
    else:
        print("\n".join(table))
    return 0


if __name__ == "__main__":
    sys.exit(main())
