"""Asks a store a question, with one of the tools that `tilescope tools` lists.

What a tool takes is said by `tilescope ask STORE TOOL --help`. Times are ticks since the run's origin, as
`tilescope info STORE --json` counts them; spans are [start, end). As text, at most 40 rows of a table are
shown; the other formats have all of them, with ticks as integers.

Examples:

    tilescope ask run.store stats --limit 10
    tilescope ask run.store stats --help
    tilescope ask run.store find --text fusion --format json
    tilescope ask run.store find --text fusion --table events --format csv -o fusion.csv
"""

from __future__ import annotations

import argparse
import sys
from contextlib import ExitStack, closing, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from typing import IO

    from tilescope.tiler.tools import Answer, AnyTool

NAME = "ask"
HELP = "ask a store a question"

FORMATS = ("text", "json", "csv", "parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments. Those of a tool are its own: tools are not loaded before one is asked for."""
    parser.add_argument("store", type=Path, metavar="STORE", help="a store, as `tilescope index` writes it")
    parser.add_argument("tool", metavar="TOOL", help="which tool: see `tilescope tools`")
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="…", help="what the tool takes")


def run(args: argparse.Namespace) -> int:
    """Asks, and prints or writes the answer."""
    from tilescope.tiler.tools import BuildRef, Scope, ask, from_text, references, tool

    asked = tool(args.tool)
    options = tool_parser(asked).parse_args(args.options)
    values = {name: getattr(options, name) for name in asked.question.known() if getattr(options, name) is not None}
    question = from_text(asked.question, values)
    _check(options)

    from tilescope.tiler.query import QueryReader, finish
    from tilescope.tiler.store import open_run_store
    from tilescope.tiler.store.sense import must_make_sense

    with ExitStack() as opened:

        def reader(path: Path) -> QueryReader:
            return QueryReader(opened.enter_context(closing(open_run_store(path))))

        others = {ref: reader(Path(ref)) for ref in references(question, BuildRef).values()}
        with must_make_sense(args.store):
            scope = Scope(reader(args.store), others)
            tick_ps = int(scope.manifest["tick_ps"])
            answer = finish(ask(asked, scope, question))
    _write(answer, options, tick_ps)
    return 0


def tool_parser(tool: AnyTool) -> argparse.ArgumentParser:
    """The options of one tool, made from its question."""
    from tilescope.cli.parser import HelpFormatter
    from tilescope.tiler.tools import parameters

    parser = argparse.ArgumentParser(
        prog=f"tilescope ask STORE {tool.id}",
        description=f"{tool.title}: {tool.help}.",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    for parameter in parameters(tool.question):
        default = "" if parameter.default is None else f" (default: {parameter.default})"
        parser.add_argument(
            parameter.option,
            dest=parameter.name,
            metavar=parameter.metavar,
            choices=parameter.choices or None,
            required=parameter.is_required,
            help=f"{parameter.help.rstrip('.')}{default}".replace("%", "%%"),
        )
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=FORMATS, default="text", help="how the answer is written (default: text)")
    output.add_argument(
        "--table", metavar="NAME", help="only this table; csv and parquet need one where there are more"
    )
    output.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to a file instead of the terminal")
    return parser


def _check(options: argparse.Namespace) -> None:
    from tilescope.tiler.errors import UsageError

    if options.format == "parquet" and options.output is None:
        raise UsageError("parquet is not for terminals: name a file with -o FILE")


def _write(answer: Answer, options: argparse.Namespace, tick_ps: int) -> None:
    from tilescope.cli import answer_output as output

    if options.format == "parquet":
        output.write_parquet(answer.only_table(options.table), options.output)
        return
    with _destination(options.output) as file:
        if options.format == "csv":
            output.write_csv(answer.only_table(options.table), file)
        elif options.format == "json":
            output.write_json(answer, options.table, file)
        else:
            output.write_text(answer, options.table, tick_ps, file)


def _destination(path: Path | None) -> AbstractContextManager[IO[str]]:
    return nullcontext(sys.stdout) if path is None else path.open("w", encoding="utf-8", newline="")
