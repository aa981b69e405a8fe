"""Compares a run with one or more before it, and fails where a rule does: for people, and for CI.

BASE and NEW are each a store, an archive or its address, a trace, a run folder, or a log directory (then it is the
newest run). Traces are indexed into the cache, as `tilescope view` does. Of several BASEs the mean is taken.

A RULE is a figure and what it must not be: a fact of any tool (TOOL.FACT), what a column of a table comes to
(TOOL.TABLE.COLUMN), or a row of the comparison, name:"TEXT".COLUMN, of COLUMN total, self, count, mean, p50 or share;
so for category, track, process and host. Then > >= < <= and an amount. With a sign it is the change from BASE, without
one the value of NEW; `> spread` is beyond all BASEs. Several bounds are joined by `and`. The
page on CI of the documentation has more.

The exit code is 3 where a rule fails. It is 4 where one cannot be told, because a figure was not recorded or a run is
incomplete, and none fails. 0: all is fine.

Examples:

    tilescope compare base.store new.store
    tilescope compare base.store new.store --match normalised --by category
    tilescope compare base.store new.store --fail-if 'steps.p50 > +3%'
    tilescope compare a.store b.store c.store new.store --fail-if 'steps.p50 > spread and > +1%'
    tilescope compare base.store new.store --fail-if 'name:"all-reduce".total > +10% and > +1ms' --format junit
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.addresses import path_or_address
from tilescope.cli.command import EXIT_FAILED, EXIT_UNKNOWN
from tilescope.cli.stores import local_store
from tilescope.cli.work_rules_option import add_work_rules_option, work_rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilescope.cli.gate_rules import GateRule
    from tilescope.tiler.query import QueryReader
    from tilescope.tiler.tools import Answer

NAME = "compare"
HELP = "compare a run with others before it, and fail by rules"

FORMATS = ("text", "json", "markdown", "junit")
KINDS = ("name", "category", "track", "process", "host")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument(
        "runs",
        nargs="+",
        type=path_or_address,
        metavar="RUN",
        help="BASE… NEW: one run or several before it, at most 32, and the new one",
    )
    parser.add_argument(
        "--fail-if", action="append", default=[], metavar="RULE", help="exit with 3 where this holds; may be repeated"
    )
    parser.add_argument("--by", choices=KINDS, default="name", help="what the rows are; default: name")
    parser.add_argument(
        "--match",
        choices=("exact", "normalised"),
        default="exact",
        help="how names are compared: as they are, or without the numbers of compilers; default: exact",
    )
    parser.add_argument("--per", choices=("step", "total"), help="compare means per step, or totals; default: by steps")
    parser.add_argument("--steps", metavar="A-B", help="only these steps")
    parser.add_argument("--step-name", metavar="NAME", help="slices of this name are the steps")
    parser.add_argument("--format", choices=FORMATS, default="text", help="how it is reported; default: text")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to a file instead of the terminal")
    add_work_rules_option(parser)


def run(args: argparse.Namespace) -> int:
    """Compares, and returns the exit code."""
    from tilescope.cli.gate_rules import parse_rule
    from tilescope.tiler.errors import UsageError
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.query import QueryReader

    rules = [parse_rule(text) for text in args.fail_if]
    if len(args.runs) < 2:
        raise UsageError("name at least two runs: BASE… NEW")
    if args.format == "junit" and not rules:
        raise UsageError("--format junit reports rules: give some with --fail-if")
    with ExitStack() as opened:
        readers = []
        for path in args.runs:
            store = opened.enter_context(closing(open_run(opened.enter_context(local_store(path)))))
            readers.append(QueryReader(store, work_rules_of(args)))
        return _compare(args, rules, Comparisons(readers[-1], readers[:-1], args))


class Comparisons:
    """Answers about the new run and those before it, each asked for once."""

    def __init__(self, new: QueryReader, bases: Sequence[QueryReader], args: argparse.Namespace) -> None:
        self.readers = [new, *bases]
        self._args = args
        self._answers: dict[tuple[str, str, int | None], Answer] = {}

    def of_tool(self, tool_id: str, run: int) -> Answer:
        """The answer of a tool about a run, about the steps that are compared where it takes steps."""
        from tilescope.tiler.query import finish
        from tilescope.tiler.tools import Scope, ask, from_values, tool

        key = ("tool", tool_id, run)
        if key not in self._answers:
            chosen_tool = tool(tool_id)
            fields = chosen_tool.question.field_names()
            values = {name: getattr(self._args, name) for name in ("steps", "step_name") if name in fields}
            question = from_values(chosen_tool.question, values)
            self._answers[key] = finish(ask(chosen_tool, Scope(self.readers[run]), question))
        return self._answers[key]

    def of_rows(self, by: str, base: int | None = None, limit: int = 65_536) -> Answer:
        """The comparison with all runs before, or with one of them."""
        from tilescope.tiler.query import finish
        from tilescope.tiler.tools import BuildRef, Scope, ask, from_values, tool

        key = ("rows", by, base)
        if key not in self._answers:
            per = self._args.per
            if per is None and base is not None:  # as the comparison with all of them is
                per = "step" if self.of_rows(by).fact("per").value == "per step" else "total"
            bases = self.readers[1:] if base is None else [self.readers[base + 1]]
            others = {BuildRef(str(number)): reader for number, reader in enumerate(bases)}
            values = {
                "against": list(others),
                "by": by,
                "match": self._args.match,
                "per": per,
                "steps": self._args.steps,
                "step_name": self._args.step_name,
                "limit": limit,
            }
            question = from_values(tool("compare").question, values)
            self._answers[key] = finish(ask(tool("compare"), Scope(self.readers[0], others), question))
        return self._answers[key]


def _compare(args: argparse.Namespace, rules: Sequence[GateRule], comparisons: Comparisons) -> int:
    from tilescope.cli.gate import RunGate
    from tilescope.cli.gate_report import GateReport, named_changes

    whole = comparisons.of_rows(args.by)
    ticks = [reader.tick_ps for reader in comparisons.readers]
    gate = RunGate(len(ticks) - 1, ticks, comparisons.of_tool, comparisons.of_rows)
    outcomes = [gate.outcome(rule) for rule in rules]
    by_name = comparisons.of_rows("name")
    headline = "" if whole.headline is None else whole.headline.text
    *bases, new = map(str, args.runs)
    against = ",".join(f'"{path}"' if "," in path else path for path in bases)
    link = f"tilescope ask {new} compare --against {against}"
    report = GateReport(outcomes, headline, named_changes(by_name), link)
    if not rules and args.format in ("text", "json"):
        _write_answer(args, whole, comparisons.readers[0])
        return 0
    _write(args, getattr(report, args.format)())
    verdicts = {outcome.verdict for outcome in outcomes}
    return EXIT_FAILED if "failed" in verdicts else EXIT_UNKNOWN if "unknown" in verdicts else 0


def _write(args: argparse.Namespace, text: str) -> None:
    from tilescope.cli.whole_file import whole_file

    if args.output is None:
        sys.stdout.write(text)
        return
    with whole_file(args.output) as file:
        file.write(text.encode())


def _write_answer(args: argparse.Namespace, answer: Answer, reader: QueryReader) -> None:
    from io import StringIO

    from tilescope.cli.answer_output import write_json
    from tilescope.cli.answer_text import write_text
    from tilescope.cli.spans import zero_of
    from tilescope.tiler.tools.figure_text import Shown, track_names

    names = track_names(reader.tree)
    shown = Shown(reader.tick_ps, lambda track: names.get(track, ""), zero_of(reader.manifest))
    if args.output is None and args.format == "text":
        write_text(answer, None, shown, sys.stdout)
        return
    out = StringIO()
    if args.format == "json":
        write_json(answer, None, out)
    else:
        write_text(answer, None, shown, out)
    _write(args, out.getvalue())
