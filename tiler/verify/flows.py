"""Flow ends: in order, of slices that there are, and each with exactly one partner that says the same of it.

An end says of itself its track, ordinal and time; its slice's start and name are looked up in the leaves. It says all
of that of its partner, too. What all ends say of themselves must be what their partners say of them, as multisets.
Their number has no limit, so they are compared as sums of 64-bit hashes, two for each track.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tilescope.tiler import _native
from tilescope.tiler.columns import TrackKind
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.records.flow_ends import FLOW_ENDS, FlowEnds
from tilescope.tiler.records.record import Record
from tilescope.tiler.store.store import unexpected
from tilescope.tiler.verify.catalogue import Catalogue, TrackEntry
from tilescope.tiler.verify.columns import Ints, hash_rows
from tilescope.tiler.verify.leaf_slices import LeafSlices
from tilescope.tiler.verify.memory import ProofMemory
from tilescope.tiler.verify.page_reader import inflate, inflated_bytes
from tilescope.tiler.verify.prover import Take
from tilescope.tiler.verify.report import Tally

# Ends that are looked at at a time: a chunk has millions where one slice has so many.
_PIECE = 8192


class FlowRecordCheck:
    """Takes all chunks of flow ends in the order of their keys."""

    def __init__(self, catalogue: Catalogue, slices: LeafSlices, memory: ProofMemory, tally: Tally) -> None:
        self._catalogue = catalogue
        self._slices = slices
        self._memory = memory
        self._tally = tally
        tracks = len(catalogue.tracks)
        self._counts = np.zeros((tracks, 2), np.int64)  # that leave, that arrive
        self._own_hashes = np.zeros((tracks, 2), np.uint64)  # by the ends of a track of themselves
        self._heard = np.zeros((tracks, 2), np.uint64)  # of them by their partners
        self._finished = False
        self._last = -1, -1  # track and slice of the last end of the chunk before

    @property
    def takes(self) -> Mapping[Record, Take]:
        """Its kinds of records."""
        return {FLOW_ENDS: self.take}

    def take(self, key: bytes, value: bytes) -> None:
        """Checks a chunk. Raises DamagedStore."""
        number = int.from_bytes(key[1:5], "big")
        tracks = self._catalogue.tracks
        if number >= len(tracks) or tracks[number].kind != TrackKind.SLICE:
            raise unexpected(self._catalogue.location, key)
        track = tracks[number]
        with self._memory.taken(len(value) + inflated_bytes(value)):
            try:
                chunk = _native.ProveFlowChunk(inflate(value), number)
            except (DamagedStore, ValueError) as error:
                raise self._error(track, f"flow ends are damaged: {error}") from error
            before: FlowEnds | None = None
            while (columns := chunk.read(_PIECE)) is not None:
                ends = FlowEnds(*columns)
                if before is None and FLOW_ENDS.numbers_in(key)[1] != int(ends.ordinal[0]):
                    raise self._error(track, f"flow ends of event {ends.ordinal[0]} are stored as those of another")
                self._take(track, ends, before)
                before = ends.take(slice(-1, None))
        self._tally["flow_chunks"] += 1

    def _take(self, track: TrackEntry, ends: FlowEnds, before: FlowEnds | None) -> None:
        """Checks ends of a chunk, of which `before` is the one before them."""
        number = track.id
        self._check_order(track, ends, before)
        self._check_partners(track, ends)
        slices = self._slices.find(track, ends.ordinal, "flow ends")
        own = [np.full(len(ends), number), ends.ordinal, ends.tick]
        partner = [ends.partner_track, ends.partner_ordinal, ends.partner_tick]
        end_hashes = hash_rows([ends.incoming, *own, slices.start, slices.name, *partner])
        heard = hash_rows([1 - ends.incoming, *partner, ends.partner_start, ends.partner_name, *own])
        for side in (0, 1):
            self._own_hashes[number : number + 1, side] += end_hashes[ends.incoming == side].sum(dtype=np.uint64)
            arriving = ends.incoming == 1 - side
            np.add.at(self._heard[:, side], ends.partner_track[arriving], heard[arriving])
            self._counts[number, side] += np.count_nonzero(ends.incoming == side)

    def finish(self) -> None:
        """To be called after the last chunk: compares what ends say of themselves with what their partners say."""
        if self._finished:
            return
        self._finished = True
        for track in self._catalogue.tracks:
            leaving, arriving = self._counts[track.id].tolist()
            if (leaving, arriving) != (track.flows_out, track.flows_in):
                what = (
                    f"{leaving} flows leave it and {arriving} arrive, at ingest {track.flows_out} and {track.flows_in}"
                )
                raise self._error(track, what)
            for side, what in enumerate(("leave", "arrive at")):
                if self._own_hashes[track.id, side] != self._heard[track.id, side]:
                    raise self._error(track, f"flows that {what} it are not those that the other ends name")
        leaving, arriving = self._counts.sum(axis=0).tolist()
        if not leaving == arriving == self._catalogue.flow_edges:
            what = f"{leaving} flow ends leave and {arriving} arrive, of {self._catalogue.flow_edges} flows"
            raise DamagedStore(f"{self._catalogue.location}: {what}")
        self._tally["flow_edges"] += leaving

    def _check_order(self, track: TrackEntry, ends: FlowEnds, before: FlowEnds | None) -> None:
        """By slice, outgoing before incoming, by time; all ends of a slice in one chunk."""
        if ((ends.incoming < 0) | (ends.incoming > 1)).any():
            raise self._error(track, "a flow end neither leaves nor arrives")
        rank, tick = (ends.ordinal << 1) | ends.incoming, ends.tick
        if before is not None:
            rank, tick = np.append((before.ordinal << 1) | before.incoming, rank), np.append(before.tick, tick)
        late = (rank[1:] < rank[:-1]) | ((rank[1:] == rank[:-1]) & (tick[1:] < tick[:-1]))
        again = before is None and track.id == self._last[0] and int(ends.ordinal[0]) <= self._last[1]
        if late.any() or again:
            raise self._error(track, f"flow ends from event {ends.ordinal[0]} on are out of order")
        self._last = track.id, int(ends.ordinal[-1])
        self._check_range(track, ends.ordinal, track.events, "of event")
        self._check_range(track, ends.tick, self._catalogue.end + 1, "at tick")

    def _check_partners(self, track: TrackEntry, ends: FlowEnds) -> None:
        tracks = self._catalogue.tracks
        self._check_range(track, ends.partner_track, len(tracks), "with partner on track")
        for partner in np.unique(ends.partner_track).tolist():
            if tracks[partner].kind != TrackKind.SLICE:
                raise self._error(track, f"a flow end has its partner on track {partner}, which holds no slices")
            those = ends.partner_ordinal[ends.partner_track == partner]
            self._check_range(track, those, tracks[partner].events, f"with partner on track {partner}: event")

    def _check_range(self, track: TrackEntry, values: Ints, stop: int, what: str) -> None:
        wrong = np.flatnonzero((values < 0) | (values >= stop))
        if len(wrong):
            raise self._error(track, f"a flow end {what} {values[wrong[0]]}, which there is not")

    def _error(self, track: TrackEntry, what: str) -> DamagedStore:
        return self._catalogue.track_error(track.id, what)
