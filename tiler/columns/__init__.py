"""Events as columns, and what describes them."""

from tilescope.tiler.columns.chunk import EventChunk, EventFlag, Phase
from tilescope.tiler.columns.summary import EventCounts, Process, Track, TrackKind, TraceSummary

__all__ = ["EventChunk", "EventCounts", "EventFlag", "Phase", "Process", "Track", "TrackKind", "TraceSummary"]
