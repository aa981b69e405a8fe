"""Asks a store a question, with one of the tools that `tilescope tools` lists.

STORE is a store, an archive, a trace, a run folder, a log directory (then it is the newest run), the address of one in
a bucket or on a web server, or the URL of a server of Tilescope, with ?run=ID for another run than the newest. Traces
are indexed into the cache, as `tilescope view` does: the next question is answered at once.

`tilescope ask STORE TOOL --help` lists the options of a tool. A time is either a number of ticks since the run's
origin, as in `tilescope info STORE --json`, or has a unit: 1.5ms. A time with a unit counts from the run's origin or,
where outliers lie apart, from the start of all else, as in the viewer. Spans are [start, end). The text format shows
at most 40 rows of a table; the other formats contain all rows, with ticks as integers.

Examples:

    tilescope ask run.store stats --limit 10
    tilescope ask trace.json.gz overview
    tilescope ask http://localhost:8808/ overview --format brief
    tilescope ask run.store stats --start 1ms --end 2.5ms --tracks 4-7
    tilescope ask run.store stats --help
    tilescope ask run.store find --text fusion --format json
    tilescope ask run.store find --text fusion --table events --format csv -o fusion.csv
"""

from __future__ import annotations

import argparse
import io
import sys
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.addresses import is_server_address, path_or_address
from tilescope.cli.stores import add_store_argument, local_store
from tilescope.cli.threads_option import TOOL_LIMIT, add_threads_option, use_threads
from tilescope.cli.work_rules_option import add_work_rules_option, work_rules_of

if TYPE_CHECKING:
    from typing import IO

    from tilescope.tiler.tools import Answer, AnyTool, Parameter
    from tilescope.tiler.tools.figure_text import Shown

NAME = "ask"
HELP = "ask a store a question"

FORMATS = ("text", "brief", "json", "csv", "parquet")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments. Those of a tool are its own: tools are not loaded before one is asked for."""
    add_store_argument(parser)
    parser.add_argument("tool", nargs="?", metavar="TOOL", help="which tool: see `tilescope tools`")
    options = parser.add_argument("options", nargs=argparse.REMAINDER, metavar="…", help="options of the tool")
    options.required = False  # or it is named where STORE is missing
    parser.set_defaults(print_help=parser.print_help)


def run(args: argparse.Namespace) -> int:
    """Asks, and prints or writes the answer."""
    from tilescope.tiler.errors import UsageError
    from tilescope.tiler.tools import tool, tools

    if args.tool is None and args.options[:1] in (["-h"], ["--help"]):
        args.print_help()
        return 0
    if args.tool is None:
        raise UsageError(f"which tool? There are {', '.join(tools())}: `tilescope tools` says what they answer")
    chosen_tool = tool(args.tool)
    options = tool_parser(chosen_tool).parse_args(args.options)
    args.debug = args.debug or options.debug
    use_threads(options)
    if options.format == "parquet" and options.output is None:
        raise UsageError("parquet is binary: name a file with -o FILE")
    if isinstance(args.store, str) and is_server_address(args.store):
        if options.work_rules is not None:
            raise UsageError("--work-rules has no effect: a server has those that it was started with")
        if options.threads is not None:
            raise UsageError("--threads has no effect: a server has as many as it was started with")
        from tilescope.cli.server_run import server_run
        from tilescope.tiler.tools.figure_text import Shown

        with server_run(args.store) as run_there:
            answer = run_there.ask(chosen_tool, _values(chosen_tool, options, run_there.tick_ps, run_there.zero))
            _write_answer(answer, chosen_tool, options, Shown(run_there.tick_ps, run_there.track_name, run_there.zero))
        return 0
    with local_store(args.store) as store:
        _ask(store, chosen_tool, options)
    return 0


def _values(chosen_tool: AnyTool, options: argparse.Namespace, tick_ps: int, zero: int) -> dict[str, str]:
    """The fields of the question that the options name, as text; times in ticks."""
    from tilescope.cli.spans import ticks_text
    from tilescope.tiler.tools import parameters, text_of

    values: dict[str, str] = {}
    for parameter in parameters(chosen_tool.question):
        given = getattr(options, parameter.name)
        if given is not None:
            text = text_of(given)
            if parameter.unit == "ticks":
                text = ticks_text(parameter.option, text, tick_ps, zero if parameter.is_moment else 0)
            values[parameter.name] = text
    return values


def _ask(path: Path, chosen_tool: AnyTool, options: argparse.Namespace) -> None:
    from tilescope.cli.option_words import option_words
    from tilescope.cli.spans import zero_of
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.query import QueryReader, finish
    from tilescope.tiler.store.validation import must_make_sense
    from tilescope.tiler.tools import BuildRef, Scope, ask, from_text, parameters, references
    from tilescope.tiler.tools.figure_text import Shown, track_names

    rules = work_rules_of(options)
    with option_words(parameters(chosen_tool.question)), ExitStack() as opened:

        def reader(store: Path) -> QueryReader:
            return QueryReader(opened.enter_context(closing(open_run(store))), rules)

        with must_make_sense(path):
            main = reader(path)
            tick_ps, zero = main.tick_ps, zero_of(main.manifest)
        question = from_text(chosen_tool.question, _values(chosen_tool, options, tick_ps, zero))
        with must_make_sense(path):
            refs = references(question, BuildRef).values()
            others = {ref: reader(opened.enter_context(local_store(path_or_address(ref)))) for ref in refs}
            answer = finish(ask(chosen_tool, Scope(main, others), question))
            names = track_names(main.tree)
    _write_answer(answer, chosen_tool, options, Shown(tick_ps, lambda track: names.get(track, ""), zero))


def _write_answer(answer: Answer, chosen_tool: AnyTool, options: argparse.Namespace, shown: Shown) -> None:
    """Writes an answer in the words of the options of its tool."""
    from tilescope.cli.option_words import in_option_words
    from tilescope.tiler.tools import parameters

    tool_parameters = parameters(chosen_tool.question)
    if options.format in ("text", "brief"):
        notes = [replace(note, text=in_option_words(note.text, tool_parameters)) for note in answer.notes]
        facts = [replace(fact, note=in_option_words(fact.note, tool_parameters)) for fact in answer.facts]
        headline = answer.headline
        if headline is not None:
            headline = replace(headline, text=in_option_words(headline.text, tool_parameters))
        answer = replace(answer, headline=headline, notes=notes, facts=facts)
    _write(answer, options, shown)


def tool_parser(tool: AnyTool) -> argparse.ArgumentParser:
    """The options of one tool, made from its question."""
    from tilescope.cli.parser import HelpFormatter, Parser
    from tilescope.tiler.tools import parameters

    parser = Parser(
        prog=f"tilescope ask STORE {tool.id}",
        description=f"{tool.title}: {tool.help}.",
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    for parameter in parameters(tool.question):
        _add_option(parser, parameter)
    add_work_rules_option(parser)
    add_threads_option(parser, TOOL_LIMIT)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="how the answer is written, brief: its headline and its notes alone, in 20 lines at most; default: text",
    )
    output.add_argument(
        "--table", metavar="NAME", help="only this table; csv and parquet need one where there are more"
    )
    output.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to a file instead of the terminal")
    output.add_argument("--debug", action="store_true", help="show tracebacks")
    return parser


def _add_option(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    help_text = parameter.help.rstrip(".")
    if help_text[1:2].islower():
        help_text = help_text[0].lower() + help_text[1:]
    if parameter.limits:
        help_text += f", {parameter.limits}"
    if parameter.type == "flag":
        parser.add_argument(
            parameter.option, dest=parameter.name, action=argparse.BooleanOptionalAction, help=_escaped(help_text)
        )
        return
    if parameter.default not in (None, ""):
        default = parameter.default
        help_text += f"; default: {default:,}" if isinstance(default, int) else f"; default: {default}"
    parser.add_argument(
        parameter.option,
        dest=parameter.name,
        metavar="TIME" if parameter.unit == "ticks" else parameter.metavar,
        choices=parameter.choices or None,
        required=parameter.is_required,
        help=_escaped(help_text),
    )


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def _write(answer: Answer, options: argparse.Namespace, shown: Shown) -> None:
    from tilescope.cli.whole_file import whole_file

    if options.output is None:
        _write_text(answer, options, shown, sys.stdout)
        return
    with whole_file(options.output) as file:
        if options.format == "parquet":
            from tilescope.cli.answer_output import write_parquet

            write_parquet(answer.only_table(options.table), file)
            return
        text = io.TextIOWrapper(file, "utf-8", newline="")
        _write_text(answer, options, shown, text)
        text.flush()
        text.detach()  # the file is closed by who opened it


def _write_text(answer: Answer, options: argparse.Namespace, shown: Shown, file: IO[str]) -> None:
    from tilescope.cli.answer_output import write_csv, write_json
    from tilescope.cli.answer_text import write_brief, write_text

    if options.format == "csv":
        write_csv(answer.only_table(options.table), file)
    elif options.format == "json":
        write_json(answer, options.table, file)
    elif options.format == "brief":
        write_brief(answer, shown, file)
    else:
        write_text(answer, options.table, shown, file)
