"""Writes the run in the store at STORE as one read-only file: an archive.

Each subcommand that reads a store reads an archive, too: `tilescope view run.tsarc`. It is smaller than the store by
a tenth, and has the same records with their checksums. It is written in two passes, with little memory; FILE is there
whole, or not at all.

--without leaves out parts that take much room: arguments of events, operations of devices. What needs them says so
then, and so do the warnings of `tilescope info`; `tilescope verify` can prove nothing of such a file. --answers
keeps what tools answer about the whole run, for pages that no server answers; another question than the usual one
stands behind the tool, as in 'op_profile?by=program&limit=20'.

--site writes a folder for any web server or bucket: the viewer, the archive beside it, and the headers that both need,
for nginx and for Caddy. Its pages read the archive themselves; `?archive=URL` opens another one.

Examples:

    tilescope archive run.store -o run.tsarc
    tilescope archive run.store -o run.tsarc --without arguments,operations
    tilescope archive run.store -o run.tsarc --answers overview,op_profile
    tilescope archive run.store --site public/ --answers overview
"""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from tilescope.cli.option_rules import only_with
from tilescope.cli.progress import ProgressDisplay
from tilescope.cli.say import complain, say
from tilescope.cli.stores import add_store_argument, local_store
from tilescope.cli.text import seconds_text
from tilescope.tiler.printable_text import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tilescope.tiler.store.archive.writer import ArchiveSummary
    from tilescope.tiler.store.store import Store

NAME = "archive"
HELP = "write a run as one file for any web server"

SUFFIX = ".tsarc"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    add_store_argument(parser)
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="where to write it; default: in the DIR of --site"
    )
    parser.add_argument("--without", metavar="PARTS", default="", help="leave out arguments, operations, or both")
    parser.add_argument(
        "--answers", metavar="TOOLS", default="", help="keep the answers of these tools, as in overview,stats"
    )
    parser.add_argument("--site", type=Path, metavar="DIR", help="write the viewer as well, for a web server")
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="another web server (https://HOST): this viewer reads its archives, and its pages this one; repeatable",
    )
    only_with(parser, "--site", "--allow-origin")


def run(args: argparse.Namespace) -> int:
    """Writes the archive, and says how large it is."""
    from tilescope.tiler.errors import UsageError

    if args.output is None and args.site is None:
        raise UsageError("name a file with -o FILE, or a folder with --site DIR")
    with local_store(args.store) as store:
        return _archive(store, args)


def _archive(path: Path, args: argparse.Namespace) -> int:
    from tilescope.cli.archive_site import write_site
    from tilescope.cli.whole_file import whole_file
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.store.archive.left_out import checked_parts
    from tilescope.tiler.store.archive.writer import write_archive
    from tilescope.tiler.store.clocks import clock_shifts
    from tilescope.tiler.store.validation import must_make_sense

    without, tools = checked_parts(_names(args.without)), _names(args.answers)
    begin = time.monotonic()
    with closing(open_run(path)) as store, must_make_sense(path), ProgressDisplay() as display:
        output = args.output or args.site / f"{path.resolve().stem}{SUFFIX}"
        if args.site is not None:
            write_site(args.site, output, args.allow_origin)
        answers = _answers(store, tools, display)
        with whole_file(output) as file:
            summary = write_archive(
                store,
                file,
                without=without,
                answers=answers,
                shifts=clock_shifts(path, store.manifest()),
                progress=lambda fraction, what: display.update(what, fraction),
            )
    for line in _lines(output, summary, list(answers), time.monotonic() - begin):
        say(line)
    return 0


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _answers(store: Store, names: Sequence[str], display: ProgressDisplay) -> Mapping[str, bytes]:
    """Answers of tools about the whole run, as JSON. A tool that has no answer is told of, and left out."""
    if not names:
        return {}
    from tilescope.cli.page_questions import page_questions
    from tilescope.tiler.errors import NotAvailable
    from tilescope.tiler.query import QueryReader, finish
    from tilescope.tiler.tools import Scope, answer_json, ask, from_text, tool

    questions = {}
    reader = QueryReader(store)
    for name in [*names, *(question for each in names for question in page_questions(each, reader))]:
        tool_id, _, fields = name.partition("?")
        chosen_tool = tool(tool_id)
        questions[name] = chosen_tool, from_text(chosen_tool.question, dict(parse_qsl(fields)))
    answers: dict[str, bytes] = {}
    for name, (chosen_tool, question) in questions.items():
        display.update(f"asking {chosen_tool.id}", 0.0)
        try:
            answer = finish(ask(chosen_tool, Scope(reader, {}), question))
        except NotAvailable as error:
            if name in names:
                complain(f"{name}: no answer is kept: {error}")
            continue
        answers[name] = answer_json.encode(answer)
    return answers


def _lines(output: Path, summary: ArchiveSummary, answers: Sequence[str], seconds: float) -> list[str]:
    from tilescope.tiler.count_text import plural
    from tilescope.tiler.size_text import size_text

    records = plural(summary.records, "record", "records")
    lines = [f"{printable(str(output))}: {size_text(summary.size_bytes)}, {records} ({seconds_text(seconds)})"]
    lines.append(f"  first screen  {size_text(summary.boot_bytes)} at the beginning of the file")
    if summary.left_out_bytes:
        lines.append(f"  left out      {size_text(summary.left_out_bytes)}")
    if answers:
        lines.append(f"  answers       {', '.join(answers)}")
    return lines
