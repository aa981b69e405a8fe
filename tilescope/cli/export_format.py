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


_FORMATS: Final = {
    ".json": ExportFormat.EVENTS,
    ".trace": ExportFormat.EVENTS,
    ".folded": ExportFormat.STACKS,
    ".collapsed": ExportFormat.STACKS,
    ".txt": ExportFormat.STACKS,
}


def export_format(output: Path | None, weight: str | None) -> ExportFormat:
    """The format by the end of the file's name, before .gz; without one by `weight`, the value of --stacks.

    Raises UsageError where the name ends with that of no format, or of another one than --stacks is for.
    """
    default = ExportFormat.EVENTS if weight is None else ExportFormat.STACKS
    suffix = "" if output is None else Path(output.name.removesuffix(".gz")).suffix.lower()
    if not suffix or (output is not None and output.exists() and not output.is_file()):  # a pipe or a device
        return default
    named = _FORMATS.get(suffix)
    if named is None:
        raise UsageError(
            f"{output}: no format that export writes ends with {suffix}: "
            f"{', '.join(f'{name} for {kind}' for name, kind in _FORMATS.items())}"
        )
    if weight is not None and named is not ExportFormat.STACKS:
        raise UsageError(
            f"{output}: {suffix} is for {named}, and --stacks writes {ExportFormat.STACKS}: name it .folded"
        )
    return named
