"""Compares a run with one or more before it, and fails where a rule does: for people, and for CI.

BASE and NEW are each a store, an archive or its address, a trace, a run folder, or a log directory (then it is the
newest run). Traces are indexed into the cache, as `tilescope view` does. Or all are runs of one server: its URL, with
?run=ID for another run than the newest. Of several BASEs the mean is taken.

A RULE is a figure and what it must not be: a fact of any tool (TOOL.FACT), what a column of a table comes to
(TOOL.TABLE.COLUMN), or a row of the comparison, name:"TEXT".COLUMN, of COLUMN total, self, count, mean, p50 or share;
so for category, track, process and host. Then > >= < <= and an amount. With a sign it is the change from BASE, without
one the value of NEW; `> spread` is beyond all BASEs. Several bounds are joined by `and`. The
page on CI of the documentation has more.

The exit code is 3 where a rule fails. It is 4 where one cannot be told, because a figure was not recorded or a run is
incomplete, and none fails; and where a run is still being indexed. 0: all is fine.

Examples:

    tilescope compare base.store new.store
    tilescope compare base.store new.store --match normalised --by category
    tilescope compare base.store new.store --fail-if 'steps.p50 > +3%'
    tilescope compare a.store b.store c.store new.store --fail-if 'steps.p50 > spread and > +1%'
    tilescope compare base.store new.store --fail-if 'name:"all-reduce".total > +10% and > +1ms' --format junit
    tilescope compare http://localhost:8808/?run=A http://localhost:8808/?run=B
"""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tilescope.cli.addresses import path_or_address, place_text
from tilescope.cli.command import EXIT_FAILED, EXIT_UNKNOWN
from tilescope.cli.say import complain
from tilescope.cli.work_rules_option import add_work_rules_option, work_rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tilescope.cli.compared_runs import ComparedRuns
    from tilescope.cli.gate_rules import GateRule
    from tilescope.tiler.tools import Answer

NAME = "compare"
HELP = "compare a run with others before it, and fail by rules"

FORMATS = ("text", "json", "markdown", "junit")
KINDS = ("name", "category", "track", "process", "host")

_ROWS: Final = 65_536  # of a comparison, for rules about some of them


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
    from tilescope.cli.compared_runs import compared_runs
    from tilescope.cli.gate_rules import parse_rule
    from tilescope.tiler.errors import NotBuilt

    rules = [parse_rule(text) for text in args.fail_if]
    _check(args, rules)
    try:
        with compared_runs(args.runs, work_rules_of(args)) as runs:
            return _compare(args, rules, Comparisons(runs, args))
    except NotBuilt as error:
        complain(f"cannot tell: {error}")
        return EXIT_UNKNOWN


def _check(args: argparse.Namespace, rules: Sequence[GateRule]) -> None:
    """Raises UsageError for what makes no sense, whatever is in the runs."""
    from tilescope.tiler.errors import UsageError
    from tilescope.tiler.tools.references import MAX_BUILDS

    bases = len(args.runs) - 1
    if bases < 1:
        raise UsageError("name at least two runs: BASE… NEW")
    if bases > MAX_BUILDS:
        raise UsageError(f"a run is compared with at most {MAX_BUILDS} before it, not with {bases:,}")
    if args.format == "junit" and not rules:
        raise UsageError("--format junit reports rules: give some with --fail-if")
    for rule in rules:
        if bases < 2 and any(bound.amount is None for bound in rule.bounds):
            raise UsageError(f"--fail-if {rule.text!r}: one run has no spread: name two or more before NEW")


class Comparisons:
    """Answers about the new run, the last one, and those before it; each is asked for once."""

    def __init__(self, runs: ComparedRuns, args: argparse.Namespace) -> None:
        self.runs = runs
        self.bases = range(len(runs.tick_ps) - 1)
        self.new = len(self.bases)
        self._args = args
        self._answers: dict[tuple[str, str, int | None], Answer] = {}

    def of_tool(self, tool_id: str, run: int) -> Answer:
        """The answer of a tool about a run, about the steps that are compared where it takes steps."""
        from tilescope.tiler.errors import NotAvailable
        from tilescope.tiler.tools import tool

        if tool_id == "compare" and run == self.new:
            return self.of_rows(self._args.by)
        if tool_id == "compare":
            raise NotAvailable("compare is about the new run: give a bound without a sign")
        key = ("tool", tool_id, run)
        if key not in self._answers:
            chosen_tool = tool(tool_id)
            fields = chosen_tool.question.field_names()
            values = {name: getattr(self._args, name) for name in ("steps", "step_name") if name in fields}
            self._answers[key] = self.runs.ask(run, chosen_tool, values)
        return self._answers[key]

    def of_rows(self, by: str, base: int | None = None) -> Answer:
        """The comparison with all runs before, or with one of them."""
        from tilescope.tiler.tools import tool

        if len(self.bases) == 1:
            base = None
        key = ("rows", by, base)
        if key not in self._answers:
            values: dict[str, object] = {"by": by, **self.options(), "limit": _ROWS}
            if base is not None and self._args.per is None:  # as the comparison with all of them is
                per = next((fact.value for fact in self.of_rows(by).facts if fact.id == "per"), None)
                values["per"] = None if per is None else "step" if per == "per step" else "total"
            against = self.bases if base is None else [base]
            self._answers[key] = self.runs.ask(self.new, tool("compare"), values, against)
        return self._answers[key]

    def options(self) -> dict[str, object]:
        """Fields that every comparison is asked with."""
        return {name: getattr(self._args, name) for name in ("match", "per", "steps", "step_name")}


def _compare(args: argparse.Namespace, rules: Sequence[GateRule], comparisons: Comparisons) -> int:
    from tilescope.cli.gate import RunGate
    from tilescope.cli.gate_report import GateReport, named_changes

    whole = comparisons.of_rows(args.by)
    if not rules and args.format in ("text", "json"):
        _write_answer(args, whole, comparisons)
        return EXIT_UNKNOWN if whole.is_growing else 0
    gate = RunGate(comparisons.runs.tick_ps, comparisons.of_tool, comparisons.of_rows)
    outcomes = [gate.outcome(rule) for rule in rules]
    headline = "" if whole.headline is None else whole.headline.text
    report = GateReport(outcomes, headline, named_changes(comparisons.of_rows("name")), _link(args, comparisons))
    _write(args, getattr(report, args.format)())
    verdicts = {outcome.verdict for outcome in outcomes}
    if "failed" in verdicts:
        return EXIT_FAILED
    return EXIT_UNKNOWN if "unknown" in verdicts or whole.is_growing else 0


def _link(args: argparse.Namespace, comparisons: Comparisons) -> str:
    """The command that shows all of the comparison."""
    words = ["tilescope", "compare", *map(place_text, args.runs), "--by", args.by]
    for name, value in comparisons.options().items():
        if value is not None:
            words += [f"--{name.replace('_', '-')}", str(value)]
    return shlex.join(words)


def _write(args: argparse.Namespace, text: str) -> None:
    from tilescope.cli.whole_file import whole_file

    if args.output is None:
        sys.stdout.write(text)
        return
    with whole_file(args.output) as file:
        file.write(text.encode())


def _write_answer(args: argparse.Namespace, answer: Answer, comparisons: Comparisons) -> None:
    from io import StringIO

    from tilescope.cli.answer_output import write_json
    from tilescope.cli.answer_text import write_text

    shown = comparisons.runs.shown(comparisons.new)
    if args.output is None and args.format == "text":
        write_text(answer, None, shown, sys.stdout)
        return
    out = StringIO()
    if args.format == "json":
        write_json(answer, None, out)
    else:
        write_text(answer, None, shown, out)
    _write(args, out.getvalue())
