"""Events as columns, and what describes them."""

from tilescope.tiler.columns.chunk import EventChunk, EventFlag, Phase
from tilescope.tiler.columns.summary import EventCounts, Process, TraceSummary, Track, TrackKind

__all__ = ["EventChunk", "EventCounts", "EventFlag", "Phase", "Process", "TraceSummary", "Track", "TrackKind"]
