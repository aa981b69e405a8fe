"""Tables of a run as files: what `tilescope export` writes with -o FILE.parquet and the like."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tilescope.cli.export_format import ExportFormat

if TYPE_CHECKING:
    from tilescope.tiler.export.table_files import TableExport
    from tilescope.tiler.query import QueryReader

# Ends of the names of files, of a folder of several tables.
_SUFFIXES: Final = {
    ExportFormat.PARQUET: "parquet",
    ExportFormat.ARROW: "arrow",
    ExportFormat.CSV: "csv",
    ExportFormat.JSON_TABLES: "jsonl",
}


def export_tables(path: Path, args: argparse.Namespace, chosen_format: ExportFormat) -> int:
    """Writes the tables that were asked for, and says what it wrote. Raises UsageError, `StoreError`s and OSError."""
    from tilescope.cli.clock_lines import complain_of_clocks
    from tilescope.cli.option_words import option_words
    from tilescope.cli.say import say
    from tilescope.cli.whole_file import whole_file, whole_path
    from tilescope.tiler.errors import UsageError
    from tilescope.tiler.export.table_files import TableFormat, write_database, write_table
    from tilescope.tiler.mount import open_run
    from tilescope.tiler.printable_text import printable
    from tilescope.tiler.query import QueryReader
    from tilescope.tiler.size_text import size_text
    from tilescope.tiler.store.validation import must_make_sense
    from tilescope.tiler.tools import SpanQuestion, parameters

    if args.lanes is not None:
        raise UsageError("--lanes are of trace-event JSON: tables have slices alone")
    if args.output is None and chosen_format is ExportFormat.DUCKDB:
        raise UsageError("a database is a file: name it with -o FILE.duckdb")
    with option_words(parameters(SpanQuestion)), closing(open_run(path)) as store, must_make_sense(path):
        complain_of_clocks(path, store)
        exports = list(_exports(QueryReader(store), args, chosen_format))
        if args.output is None:
            if len(exports) > 1:
                raise UsageError("several tables are several files: name a folder with -o")
            write_table(exports[0], TableFormat(_SUFFIXES[chosen_format]), sys.stdout.buffer)
            sys.stdout.buffer.flush()
            return 0
        if chosen_format is ExportFormat.DUCKDB:
            with whole_path(args.output) as part:
                write_database(exports, part)
        elif len(exports) == 1:
            with whole_file(args.output) as file:
                write_table(exports[0], TableFormat(_SUFFIXES[chosen_format]), file)
        else:
            with whole_path(args.output) as part:
                part.mkdir()
                for export in exports:
                    with (part / f"{export.table.name}.{_SUFFIXES[chosen_format]}").open("wb") as file:
                        write_table(export, TableFormat(_SUFFIXES[chosen_format]), file)
    size = sum(file.stat().st_size for file in (args.output.iterdir() if args.output.is_dir() else (args.output,)))
    say(f"{printable(str(args.output))}: {', '.join(export.table.name for export in exports)}, {size_text(size)}")
    return 0


def _exports(reader: QueryReader, args: argparse.Namespace, chosen_format: ExportFormat) -> Iterator[TableExport]:
    from tilescope.cli.spans import ticks_text, zero_of
    from tilescope.tiler.errors import UsageError
    from tilescope.tiler.export.table_files import TableExport
    from tilescope.tiler.query import finish
    from tilescope.tiler.tables import TABLES, TablePart, run_table
    from tilescope.tiler.tools import Scope, SpanQuestion, from_text

    default = ",".join(name for name in TABLES if name != "args") if chosen_format is ExportFormat.DUCKDB else "slices"
    names = dict.fromkeys(name.strip() for name in (args.tables or default).split(","))
    tables = [run_table(name) for name in names]
    if args.columns is not None and len(tables) > 1:
        raise UsageError("--columns are of one table: name it with --tables")
    columns = None if args.columns is None else [name.strip() for name in args.columns.split(",")]
    if columns is not None:
        tables[0].check(columns)
    given = {name: getattr(args, name) for name in ("start", "end", "steps", "step_name", "tracks")}
    fields = {name: text for name, text in given.items() if text is not None}
    for name in fields.keys() & {"start", "end"}:
        fields[name] = ticks_text(f"--{name}", fields[name], reader.tick_ps, zero_of(reader.manifest))
    question = from_text(SpanQuestion, fields)
    scope = Scope(reader)
    windows = finish(scope.windows(question))
    if (words := scope.outside_text(question)) is not None:
        raise UsageError(words)
    tracks = None if question.tracks is None else list(question.tracks)
    part = TablePart(tracks, windows.on_track, None if args.name is None else frozenset(args.name))
    for table in tables:
        yield TableExport(reader, table, columns or table.column_names, part)
