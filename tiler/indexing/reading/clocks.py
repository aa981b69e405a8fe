"""Files of a run that have lost their clock: their times are put where those of the other hosts are.

The time of a capture stands in one place of an XSpace, behind all events. So a file that is cut short counts from 0,
decades away from the other hosts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from msgspec import structs

from tilescope.tiler.indexing.reading.file_events import TraceFile


def align_lost_clocks(files: Sequence[TraceFile | None]) -> list[TraceFile | None]:
    """The files, in which a lost clock is that of the capture that began first. A warning says so.

    Hosts of a run begin to capture at about the same time. A file whose times are since the epoch needs no clock.
    """
    starts = [(file.summary.clock.start_ns, file) for file in files if file and file.summary.clock]
    start_ns, first = min(
        ((start, file) for start, file in starts if start), key=lambda entry: entry[0], default=(0, None)
    )
    return [file if file is None or first is None else _aligned(file, start_ns, first) for file in files]


def _aligned(file: TraceFile, start_ns: int, first: TraceFile) -> TraceFile:
    summary, clock = file.summary, file.summary.clock
    if clock is None or clock.start_ns or not file.events.events or clock.latest_track_ns >= start_ns // 2:
        return file
    warning = (
        "the host's clock is missing, which stands at the end of the file (profile_start_time): its times are set as "
        f"if its capture had begun with that of {first.path.name}"
    )
    summary = replace(summary, base_time_ns=start_ns, warnings=[*summary.warnings, warning])
    return structs.replace(file, summary=summary)
