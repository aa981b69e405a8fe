"""Writes the events of the store at STORE, or of a part of it, as trace-event JSON, or its tables.

The file opens in Perfetto, in chrome://tracing and in Tilescope itself. Times are exact. Events that overlap the span
are written whole, with their arguments, together with the flows that begin and end in the span. A whole run that was
made of a trace-event file is written as it was there: the same pids, tids, flow ends and members. Derived lanes, which
`tilescope ask STORE lanes` lists, are on threads of their own, marked: Tilescope leaves them out. What FILE ends with
says its format: .json, or .folded, .collapsed or .txt for stacks, each with .gz behind it compressed. Of other
formats, slices of one track that overlap only in part are written on further threads of the same name, because viewers
nest what is on one thread. With --stacks, or such a FILE, it is the call tree, a line for each stack: names from the
outermost on with ; between, and ticks, or bytes, that are its own.

With .parquet, .arrow, .csv, .duckdb or .jsonl FILE has tables, those of `tilescope query`: --tables names them, and by
default it is slices, in a database all but args. Several tables are one database, or a folder with a file for each.
Parquet, Arrow and CSV take pyarrow, and databases DuckDB: both are in the extra sql.

A time is either a number of ticks since the run's origin, or has a unit: 1.5ms, from the origin or, where outliers lie
apart, from the start of all else. Spans are [start, end).

Examples:

    tilescope export run.store -o run.json.gz
    tilescope export run.store --start 1.2s --end 1.3s -o slow.json.gz
    tilescope export run.store --steps 7 --tracks 0-12 -o step7.json
    tilescope export run.store --lanes overlap.2 -o run.json
    tilescope export run.store --stacks device -o run.folded
    tilescope export run.store --columns name,start,duration -o slices.parquet
    tilescope export run.store --tables slices,tracks,steps -o run.duckdb
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from tilescope.cli.export_format import FORMATS, ExportFormat, export_format
from tilescope.cli.say import complain
from tilescope.cli.stores import add_store_argument, local_store

if TYPE_CHECKING:
    from tilescope.tiler.query import QueryReader

_EVENT: Final = re.compile(rb'"ph":"[^M]')  # anything but the names of processes and threads

NAME = "export"
HELP = "write events as trace-event JSON, or tables as Parquet, Arrow, CSV or DuckDB"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    add_store_argument(parser)
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to write it; default: standard output")
    parser.add_argument("--start", metavar="TIME", help="first tick of the span; default: the start of the run")
    parser.add_argument("--end", metavar="TIME", help="first tick after the span; default: the end of the run")
    parser.add_argument("--steps", metavar="STEPS", help="only these steps, as in 5 or 5-9")
    parser.add_argument("--step-name", metavar="NAME", help="slices of this name are the steps; default: those marked")
    parser.add_argument("--tracks", metavar="TRACKS", help="only these tracks, as in 1,5,8-12; default: all")
    parser.add_argument(
        "--stacks",
        choices=("time", "device", "bytes"),
        help="in place of events the call tree as collapsed stacks, weighed by this; default: time for .folded",
    )
    parser.add_argument(
        "--format", choices=tuple(FORMATS), help="the format, where FILE does not say it; default: json"
    )
    parser.add_argument("--tables", metavar="TABLES", help="which tables, as in slices,steps; default: see above")
    parser.add_argument("--columns", metavar="COLUMNS", help="which columns of the one table; default: all")
    parser.add_argument("--name", action="append", metavar="NAME", help="only slices of this name; may be repeated")
    parser.add_argument("--lanes", metavar="LANES", help="derived lanes too, as in overlap.2,queues.3; default: none")


def run(args: argparse.Namespace) -> int:
    """Writes the file, and says what it is."""
    with local_store(args.store) as store:
        return _export(store, args)


def _export(path: Path, args: argparse.Namespace) -> int:
    from tilescope.cli.clock_lines import complain_of_clocks
    from tilescope.cli.option_words import option_words
    from tilescope.cli.say import say
    from tilescope.cli.whole_file import whole_file
    from tilescope.tiler.errors import UsageError
    from tilescope.tiler.export import ExportQuestion
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.printable_text import printable
    from tilescope.tiler.query import QueryReader
    from tilescope.tiler.size_text import size_text
    from tilescope.tiler.store.validation import must_make_sense
    from tilescope.tiler.tools import parameters

    if args.output is None and sys.stdout.isatty():
        raise UsageError("name a file with -o FILE, or redirect the output")
    chosen_format = export_format(args.output, args.stacks, args.format)
    if chosen_format.is_of_tables:
        from tilescope.cli.export_tables import export_tables

        return export_tables(path, args, chosen_format)
    for option in ("tables", "columns", "name"):
        if getattr(args, option) is not None:
            raise UsageError(f"--{option} is for tables: name a file that ends with .parquet, .arrow, .csv or .duckdb")
    if chosen_format is ExportFormat.STACKS and args.stacks is None:
        args.stacks = "time"
    words = option_words(parameters(ExportQuestion))
    with words, closing(open_run(path)) as store, must_make_sense(path):
        complain_of_clocks(path, store)
        pieces = _watched(_pieces(QueryReader(store), args), is_stacks=args.stacks is not None)
        if args.output is None:
            _write(pieces, sys.stdout.buffer)
            return 0
        with whole_file(args.output) as file:
            _write(_zipped(pieces) if args.output.name.endswith(".gz") else pieces, file)
    say(f"{printable(str(args.output))}: {size_text(args.output.stat().st_size)}")
    return 0


def _pieces(reader: QueryReader, args: argparse.Namespace) -> Iterator[bytes]:
    from tilescope.cli.spans import ticks_text, zero_of
    from tilescope.tiler.errors import UsageError
    from tilescope.tiler.export import ExportQuestion, collapsed_stacks, pieces
    from tilescope.tiler.tools import from_text

    values = {name: getattr(args, name) for name in ("start", "end", "steps", "step_name", "tracks", "lanes")}
    given = {name: text for name, text in values.items() if text is not None}
    for name in given.keys() & {"start", "end"}:
        given[name] = ticks_text(f"--{name}", given[name], reader.tick_ps, zero_of(reader.manifest))
    if args.stacks is not None:
        if "lanes" in given:
            raise UsageError("--lanes are of events: not with --stacks")
        return collapsed_stacks(reader, {**given, "weight": args.stacks})
    return pieces(reader, from_text(ExportQuestion, given))


def _watched(pieces: Iterator[bytes], *, is_stacks: bool) -> Iterator[bytes]:
    """The same; says so at the end where there was no event among them, or no stack."""
    has_any = False
    for piece in pieces:
        has_any = has_any or (bool(piece) if is_stacks else _EVENT.search(piece) is not None)
        yield piece
    if not has_any and is_stacks:
        complain("there are no stacks with this weight in what was asked for: the file is empty")
    elif not has_any:
        complain("there are no events in what was asked for: the file has names of processes and threads alone")


def _zipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    from tilescope.tiler.export import GzipStream

    stream = GzipStream()
    for piece in pieces:
        yield stream.piece(piece, last=False)
    yield stream.piece(b"", last=True)


def _write(pieces: Iterator[bytes], to: IO[bytes]) -> None:
    for piece in pieces:
        to.write(piece)
    to.flush()
