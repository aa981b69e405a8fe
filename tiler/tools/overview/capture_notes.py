"""Notes on what a capture has beside its timeline, and with which option of the profiler the rest is recorded."""

from __future__ import annotations

from tilescope.tiler.errors import StoredLast
from tilescope.tiler.facts.ascend.recorded_parts import recorded_parts
from tilescope.tiler.query import QueryReader
from tilescope.tiler.tools.answer import Note


def capture_notes(reader: QueryReader) -> list[Note]:
    """The notes; none while the run is indexed, and of runs of other profilers. Raises DamagedStore."""
    try:
        parts = recorded_parts(reader)
    except StoredLast:
        return []
    notes = []
    if parts.recorded:
        texts = ", ".join(f"{part.title} (see {part.tool})" for part in parts.recorded)
        notes.append(Note("info", f"recorded beside the timeline: {texts}"))
    if parts.lacking:
        texts = ", ".join(f"{part.title} ({part.option})" for part in parts.lacking)
        notes.append(Note("info", f"not in this capture, with the argument of Profiler that records it: {texts}"))
    return notes
