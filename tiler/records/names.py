"""Pages of names."""

from __future__ import annotations

from tilescope.tiler.records.record import Available, Record

NAMES = Record(
    "N",
    "page",
    "the page of names {page}",
    Available.AT_ONCE,
    doc="names and categories of events, by name id",
    proof="that there are as many as the manifest says: tiles have their ids alone",
)
