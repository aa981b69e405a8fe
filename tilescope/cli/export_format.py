"""Formats of exported files, by what their names end with."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Final

from tilescope.tiler.errors import UsageError


class ExportFormat(StrEnum):
    """A format of an exported file."""

    EVENTS = "trace-event JSON"
    STACKS = "collapsed stacks"
    PARQUET = "Parquet"
    ARROW = "Arrow"
    CSV = "CSV"
    DUCKDB = "DuckDB"
    JSON_TABLES = "JSON tables"

    @property
    def is_of_tables(self) -> bool:
        """True of formats that tables are written in."""
        return self not in (ExportFormat.EVENTS, ExportFormat.STACKS)


_FORMATS: Final = {
    ".json": ExportFormat.EVENTS,
    ".trace": ExportFormat.EVENTS,
    ".folded": ExportFormat.STACKS,
    ".collapsed": ExportFormat.STACKS,
    ".txt": ExportFormat.STACKS,
    ".parquet": ExportFormat.PARQUET,
    ".arrow": ExportFormat.ARROW,
    ".csv": ExportFormat.CSV,
    ".duckdb": ExportFormat.DUCKDB,
    ".jsonl": ExportFormat.JSON_TABLES,
}


# Values of --format.
FORMATS: Final = {
    "json": ExportFormat.EVENTS,
    "stacks": ExportFormat.STACKS,
    "parquet": ExportFormat.PARQUET,
    "arrow": ExportFormat.ARROW,
    "csv": ExportFormat.CSV,
    "duckdb": ExportFormat.DUCKDB,
    "json-tables": ExportFormat.JSON_TABLES,
}


def export_format(output: Path | None, weight: str | None, named: str | None = None) -> ExportFormat:
    """The format by the end of the file's name, before .gz; without one by the values of --format and of --stacks.

    Raises UsageError where the name ends with that of no format, or of another one than they are for.
    """
    by_option = None if named is None else FORMATS[named]
    if weight is not None and by_option not in (None, ExportFormat.STACKS):
        raise UsageError(f"--stacks writes {ExportFormat.STACKS}, and --format {named} does not")
    default = by_option or (ExportFormat.EVENTS if weight is None else ExportFormat.STACKS)
    suffix = "" if output is None else Path(output.name.removesuffix(".gz")).suffix.lower()
    is_special = output is not None and output.exists() and not (output.is_file() or output.is_dir())
    if not suffix or is_special:  # a pipe or a device
        return default
    of_name = _FORMATS.get(suffix)
    if of_name is None:
        raise UsageError(
            f"{output}: no format that export writes ends with {suffix}: "
            f"{', '.join(f'{name} for {kind}' for name, kind in _FORMATS.items())}"
        )
    if weight is not None and of_name is not ExportFormat.STACKS:
        raise UsageError(
            f"{output}: {suffix} is for {of_name}, and --stacks writes {ExportFormat.STACKS}: name it .folded"
        )
    if output is not None and of_name.is_of_tables and output.name.endswith(".gz"):
        raise UsageError(f"{output}: tables are not compressed again: name it {output.name.removesuffix('.gz')}")
    is_json = by_option is ExportFormat.JSON_TABLES and of_name is ExportFormat.EVENTS
    if by_option not in (None, of_name) and not is_json:
        raise UsageError(f"{output}: {suffix} is for {of_name}, and --format says {by_option}")
    return by_option or of_name
