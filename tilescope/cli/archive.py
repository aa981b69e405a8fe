"""Writes the run in the store at STORE as one read-only file: an archive.

Each subcommand that reads a store reads an archive, too: `tilescope view run.tsarc`. It is smaller than the store by
a tenth, and has the same records with their checksums. It is written in two passes, with little memory; FILE is there
whole, or not at all.

--without leaves out parts that take much room: arguments of events, operations of devices. What needs them says so
then, and so do the warnings of `tilescope info`; `tilescope verify` can prove nothing of such a file. --answers
keeps what tools answer about the whole run, as JSON, for programs that read the file themselves.

Examples:

    tilescope archive run.store -o run.tsarc
    tilescope archive run.store -o run.tsarc --without arguments,operations
    tilescope archive run.store -o run.tsarc --answers overview,op_profile
"""

from __future__ import annotations

import argparse
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from tilescope.cli.progress import ProgressDisplay
from tilescope.cli.say import complain, printable, say
from tilescope.cli.stores import refuse_address
from tilescope.cli.text import seconds_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tilescope.tiler.store.archive.writer import ArchiveSummary
    from tilescope.tiler.store.store import Store

NAME = "archive"
HELP = "write a run as one read-only file"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    parser.add_argument("store", type=refuse_address, metavar="STORE", help="a store, as `tilescope index` writes it")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="where to write it")
    parser.add_argument("--without", metavar="PARTS", default="", help="leave out arguments, operations, or both")
    parser.add_argument(
        "--answers", metavar="TOOLS", default="", help="keep the answers of these tools, as in overview,stats"
    )


def run(args: argparse.Namespace) -> int:
    """Writes the archive, and says how large it is."""
    from tilescope.cli.stores import refuse_file
    from tilescope.cli.whole_file import whole_file
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.store.archive.left_out import checked_parts
    from tilescope.tiler.store.archive.writer import write_archive
    from tilescope.tiler.store.validation import must_make_sense

    refuse_file(args.store)
    without, tools = checked_parts(_names(args.without)), _names(args.answers)
    begin = time.monotonic()
    with closing(open_run(args.store)) as store, must_make_sense(args.store), ProgressDisplay() as display:
        answers = _answers(store, tools, display)
        with whole_file(args.output) as file:
            summary = write_archive(
                store,
                file,
                without=without,
                answers=answers,
                progress=lambda fraction, what: display.update(what, fraction),
            )
    for line in _lines(args.output, summary, list(answers), time.monotonic() - begin):
        say(line)
    return 0


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _answers(store: Store, names: Sequence[str], display: ProgressDisplay) -> Mapping[str, bytes]:
    """Answers of tools about the whole run, as JSON. A tool that has no answer is told of, and left out."""
    if not names:
        return {}
    from tilescope.tiler.errors import NotAvailable
    from tilescope.tiler.query import QueryReader, finish
    from tilescope.tiler.tools import Scope, answer_json, ask, from_text, tool

    chosen_tools = [tool(name) for name in dict.fromkeys(names)]
    answers: dict[str, bytes] = {}
    reader = QueryReader(store)
    for chosen_tool in chosen_tools:
        display.update(f"asking {chosen_tool.id}", 0.0)
        try:
            answer = finish(ask(chosen_tool, Scope(reader, {}), from_text(chosen_tool.question, {})))
        except NotAvailable as error:
            complain(f"{chosen_tool.id}: no answer is kept: {error}")
            continue
        answers[chosen_tool.id] = answer_json.encode(answer)
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
