"""Records of the arguments of events."""

from __future__ import annotations

from tilescope.tiler.records.record import Available, Record

ARGUMENTS = Record(
    "D",
    "track event",
    "track {track}: arguments from event {event} on",
    Available.WITH_TRACK,
    doc="the arguments of neighbouring events, as their reader found them",
    proof="that each event has its place: what the file said is known to nobody else",
)
ARGUMENT_TABLES = Record(
    "A",
    "file",
    "the table of arguments of file {file}",
    Available.AT_END,
    doc="what events of a file share, and what decodes their arguments",
    proof="that it can be decoded",
)
ARGUMENT_TABLE_PAGES = Record(
    "E",
    "file page",
    "the tables of arguments of file {file}, page {page}",
    Available.AT_END,
    doc="entries of these tables",
    proof="that there are as many as the table says",
)
