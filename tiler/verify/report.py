"""The counts of a verification."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

# The report while it is being made: its fields by name.
Tally = Counter[str]


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """Counts of what was checked. Whatever was wrong raised `DamagedStore`, so all of this is right."""

    tracks: int = 0  # with events
    events: int = 0  # slices, instants and counter samples, each once
    tiles: int = 0
    leaves: int = 0
    pages: int = 0
    page_bytes: int = 0  # as stored
    individuals: int = 0  # in tiles that are no leaves
    bins: int = 0
    rollup_tracks: int = 0
    rollup_bins: int = 0
    counter_bins: int = 0
    samples: int = 0
    overview_entries: int = 0
    histograms: int = 0
    histogram_rows: int = 0
    spreads: int = 0
    page_names: int = 0
    names: int = 0
    details_chunks: int = 0
    details_events: int = 0
    flow_edges: int = 0
    flow_chunks: int = 0
    flow_tiles: int = 0
    written_flow_ends: int = 0  # as their files have them
    launches: int = 0  # as the tracks have them: each is on its host's and on its device's
    steps: int = 0
    operations: int = 0
    metadata_rows: int = 0
    own_texts: int = 0  # tracks of which it is listed what texts events have themselves
    attachments: int = 0
    attached_bytes: int = 0  # uncompressed
    tables: int = 0  # beside the events
    table_cells: int = 0

    def lines(self) -> list[str]:
        """A fact a line, for people."""
        plural = "" if self.rollup_tracks == 1 else "s"
        return [
            f"{self.tiles:,} tiles on {self.pages:,} pages ({self.page_bytes:,} bytes): every byte is as it was "
            "written, and every tile is where the shapes say",
            f"{self.events:,} events on {self.tracks:,} tracks: each is in exactly one of {self.leaves:,} leaves, "
            "and repeated in all that it reaches into; counts and busy time are those of ingest",
            f"{self.bins:,} bins and {self.individuals:,} single slices above the leaves: "
            "count, busy time, name, share and longest, computed anew from the events, are the same",
            f"{self.rollup_bins:,} bins of {self.rollup_tracks:,} rollup{plural}: equal to the events of their tracks",
            f"{self.counter_bins:,} counter bins and {self.samples:,} samples: equal to one another",
            f"{self.flow_edges:,} flows in {self.flow_chunks:,} chunks: both ends name each other, and real slices; "
            f"{self.flow_tiles:,} tiles of flows, equal to the ends that lie in them; "
            f"{self.written_flow_ends:,} flow ends as their files have them",
            f"{self.launches:,} launches: all flows between hosts and devices, and pairs that both sides name",
            f"{self.overview_entries:,} entries of the overview: equal to the events of their tracks",
            f"{self.histograms:,} histograms with {self.histogram_rows:,} rows, and spreads of durations: equal to "
            "those of the events",
            f"{self.page_names:,} names on pages: each starts there, and no other does",
            f"{self.steps:,} steps: each is a slice of its track",
            f"{self.operations:,} operations of devices: computed anew from the arguments, they are the same",
            f"{self.metadata_rows:,} rows of metadata of operations: each says what its entries say",
            f"texts of stats on {self.own_texts:,} tracks: listed as the arguments have them",
            f"{self.names:,} names; arguments of {self.details_events:,} events in {self.details_chunks:,} chunks",
            f"{self.attachments:,} attachments of {self.attached_bytes:,} bytes: each is what was stored",
            f"{self.tables:,} tables with {self.table_cells:,} cells: each is what was stored",
        ]
