"""Note on work of devices whose launch was not recorded."""

from __future__ import annotations

from collections.abc import Sequence

from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools.answer import Note


def launch_notes(reader: QueryReader) -> Sequence[Note]:
    """None of a run that is still being indexed, and of one whose work has all its launches."""
    count = reader.manifest.flows.work_without_launch if reader.is_whole else 0
    if not count:
        return []
    what = "1 slice of a device" if count == 1 else f"{count:,} slices of devices"
    return [Note("info", f"Of {what} the run has no launch: the step of such work is the one in which it starts.")]
