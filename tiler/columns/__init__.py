"""Events as columns, and what describes them."""

from tilescope.tiler.columns.activity import Activity
from tilescope.tiler.columns.attachment import Attachment
from tilescope.tiler.columns.census import Census, Crowd, Length
from tilescope.tiler.columns.chunk import EventChunk, EventFlag, Phase
from tilescope.tiler.columns.origin import Identity, Label, TrackOrigin
from tilescope.tiler.columns.side_table import SideColumn, SideTable
from tilescope.tiler.columns.slices import MakeColumn, SliceColumns, SliceFlowEnds, TickScale
from tilescope.tiler.columns.span import Span
from tilescope.tiler.columns.summary import (
    ArgsTables,
    Clock,
    CorrelationStat,
    DeviceClock,
    DeviceFile,
    DrawnWaits,
    EventCounts,
    JobRank,
    Process,
    RowMove,
    TellingTables,
    TraceSummary,
    Track,
    TrackKind,
)

__all__ = [
    "Activity",
    "ArgsTables",
    "Attachment",
    "Census",
    "Clock",
    "CorrelationStat",
    "Crowd",
    "DeviceClock",
    "DeviceFile",
    "DrawnWaits",
    "EventChunk",
    "EventCounts",
    "EventFlag",
    "Identity",
    "JobRank",
    "Label",
    "Length",
    "MakeColumn",
    "Phase",
    "Process",
    "RowMove",
    "SideColumn",
    "SideTable",
    "SliceColumns",
    "SliceFlowEnds",
    "Span",
    "TellingTables",
    "TickScale",
    "TraceSummary",
    "Track",
    "TrackKind",
    "TrackOrigin",
]
