"""The manifest of a store."""

from __future__ import annotations

from tilescope.tiler.records.record import Available, Record

MANIFEST = Record(
    "M",
    "",
    "the manifest",
    Available.AT_ONCE,
    doc="what is said of the run as a whole, and what ingest counted of each track",
    proof="everything else: its counts are what the other records are held against",
)
