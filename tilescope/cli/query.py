"""Runs one statement of SQL over the tables of a run.

STORE is a store, an archive or its address, a trace, a run folder or a log directory (then it is the newest run), or
the URL of a server that was started with --allow-sql, with ?run=ID for another run than the newest; traces are indexed
into the cache, as `tilescope view` does. The tables are slices, instants, counters, flows, args,
names, tracks, steps, processes and runs: the page on SQL of the documentation lists their columns. Times are ticks.
Only what a statement needs is read: columns, and of slices the tracks, the span of `start` and the name that it asks
for.

Statements select; nothing can be written, and no file can be read. It takes DuckDB and pyarrow, which are in the extra
sql.

Examples:

    tilescope query run.store "select name, count(*), sum(duration) from slices group by name order by 3 desc limit 10"
    tilescope query run.store "select * from steps" --format csv -o steps.csv
    tilescope query run.store "select count(*) from slices where start < ticks('1.5ms')"
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from tilescope.cli.addresses import is_server_address
from tilescope.cli.sizes import parse_size
from tilescope.cli.stores import add_store_argument, local_store

if TYPE_CHECKING:
    from tilescope.tiler.sql import SqlAnswer

NAME = "query"
HELP = "run SQL over the tables of a run"

_WIDEST: Final = 60  # characters of a cell of the text format
_LONGEST_S: Final = 86_400.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the arguments."""
    add_store_argument(parser)
    parser.add_argument("statement", metavar="SQL", help="one statement, which selects")
    parser.add_argument("--format", choices=("text", "csv", "json"), default="text", help="default: text")
    parser.add_argument("--limit", type=int, default=10_000, metavar="N", help="the most rows; default: 10,000")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="default: 30")
    parser.add_argument("--memory", type=parse_size, metavar="SIZE", help="of DuckDB; default: 1GB")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write to a file instead of the terminal")


def run(args: argparse.Namespace) -> int:
    """Runs the statement, and prints or writes its rows."""
    from tilescope.cli.say import complain
    from tilescope.cli.whole_file import whole_file

    answer = _answer(args)
    if args.output is None:
        _WRITERS[args.format](answer, sys.stdout)
        sys.stdout.flush()
    else:
        with whole_file(args.output) as file:
            text = io.TextIOWrapper(file, "utf-8", newline="")
            _WRITERS[args.format](answer, text)
            text.flush()
            text.detach()  # the file is closed by who opened it
    if answer.is_cut:
        how = "--limit takes more" if len(answer.rows) == args.limit else "those after them are too large"
        complain(f"there are more rows than the first {len(answer.rows):,}: {how}")
    return 0


def _answer(args: argparse.Namespace) -> SqlAnswer:
    from tilescope.tiler.errors import UsageError

    seconds = 30.0 if args.timeout is None else args.timeout
    if args.limit < 0 or not 0 < seconds <= _LONGEST_S:
        raise UsageError("--limit is 0 or more, --timeout more than 0 and at most a day")
    if isinstance(args.store, str) and is_server_address(args.store):
        from tilescope.cli.server_run import server_run
        from tilescope.tiler.schema import MOST_SQL_ROWS

        if args.timeout is not None or args.memory is not None:
            raise UsageError("--timeout and --memory have no effect: a server has limits of its own")
        if args.limit > MOST_SQL_ROWS:
            raise UsageError(f"--limit is at most {MOST_SQL_ROWS:,} for a server")
        with server_run(args.store) as run_there:
            return run_there.sql(args.statement, args.limit)
    from tilescope.tiler.sql import SqlLimits, ask_sql

    limits = SqlLimits(seconds, 10**9 if args.memory is None else args.memory, args.limit)
    with local_store(args.store) as store:
        return ask_sql(store, args.statement, limits)


def _write_text(answer: SqlAnswer, out: IO[str]) -> None:
    """Columns below each other; what is not printable is escaped, as names of traces are a stranger's."""
    from tilescope.tiler.printable_text import printable

    rows = [[printable(column.name)[:_WIDEST] for column in answer.columns]]
    rows += [["" if cell is None else printable(str(cell))[:_WIDEST] for cell in row] for row in answer.rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        out.write("  ".join(map(str.ljust, row, widths)).rstrip() + "\n")


def _write_csv(answer: SqlAnswer, out: IO[str]) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([column.name for column in answer.columns])
    writer.writerows(answer.rows)
    out.write(text.getvalue())


def _write_json(answer: SqlAnswer, out: IO[str]) -> None:
    """Whole numbers are texts, as 64 bits of them are in all JSON here."""
    rows = [
        [str(cell) if isinstance(cell, int) and not isinstance(cell, bool) else cell for cell in row]
        for row in answer.rows
    ]
    columns = [{"name": column.name, "type": column.type} for column in answer.columns]
    json.dump({"columns": columns, "rows": rows, "cut": answer.is_cut}, out)
    out.write("\n")


_WRITERS: Final = {"text": _write_text, "csv": _write_csv, "json": _write_json}
