"""Events as columns, and what describes them."""

from tilescope.tiler.columns.activity import Activity
from tilescope.tiler.columns.chunk import EventChunk, EventFlag, Phase
from tilescope.tiler.columns.span import Span
from tilescope.tiler.columns.summary import EventCounts, Process, TraceSummary, Track, TrackKind

__all__ = [
    "Activity",
    "EventChunk",
    "EventCounts",
    "EventFlag",
    "Phase",
    "Process",
    "Span",
    "TraceSummary",
    "Track",
    "TrackKind",
]
