"""Files of a run whose clocks lie decades apart: times since 1970 in some, counts from elsewhere in others.

They make no common span. Those that count are put where the others begin, and said to be of another clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from msgspec import structs

from tilescope.tiler.count_text import plural
from tilescope.tiler.indexing.reading.file_events import TraceFile

_YEAR_NS: Final = 31_556_952_000_000_000
_FIRST_DATE_NS: Final = 30 * _YEAR_NS  # profilers write no dates before 2000
_LAST_DATE_NS: Final = 130 * _YEAR_NS  # what lies later is no date, but a time that cannot be true
_LONGEST_COUNT_NS: Final = 10 * _YEAR_NS  # and no machine is up for longer


def align_epochs(files: Sequence[TraceFile | None]) -> list[TraceFile | None]:
    """The files, in which those without a date begin with the first that has one. A warning says so."""
    dated = [file for file in files if file is not None and _FIRST_DATE_NS <= _start_ns(file) < _LAST_DATE_NS]
    counted = [file for file in files if file is not None and 0 <= _end_ns(file) < _LONGEST_COUNT_NS]
    if not dated or not counted:
        return list(files)
    first, undated = min(dated, key=_start_ns), min(counted, key=_start_ns)
    shift_ns = _start_ns(first) - _start_ns(undated)
    more = f" (and those of {plural(len(counted) - 1, 'file', 'files')} more)" if len(counted) > 1 else ""
    warning = (
        f"its times{more} are no dates, and those of {first.path.name} are: they are set as if both began together, "
        "and cannot be compared"
    )
    paths = {file.path for file in counted}
    return [
        _moved(file, shift_ns, warning if file is undated else "") if file is not None and file.path in paths else file
        for file in files
    ]


def _start_ns(file: TraceFile) -> int:
    """The start of the first event; -1 without events."""
    first_ns = file.events.span.first_ns if file.events.events else None
    return -1 if first_ns is None else first_ns + file.summary.base_time_ns


def _end_ns(file: TraceFile) -> int:
    """The end of the last event; -1 without events."""
    return -1 if _start_ns(file) < 0 else file.events.span.last_ns + file.summary.base_time_ns


def _moved(file: TraceFile, shift_ns: int, warning: str) -> TraceFile:
    summary = file.summary
    warnings = [*summary.warnings, warning] if warning else summary.warnings
    return structs.replace(
        file, summary=replace(summary, base_time_ns=summary.base_time_ns + shift_ns, warnings=warnings)
    )
