"""Tracks of a store by its records: expectations that the checks hold its tiles against, and names for messages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tilescope.tiler.columns import TrackKind
from tilescope.tiler.device_lines import is_device_process
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.pages import TRACKS_PER_BLOCK, decompress
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.store import Store, need

SLICE_KINDS = (TrackKind.SLICE, TrackKind.ASYNC, TrackKind.INSTANT)


@dataclass(frozen=True, slots=True)
class TrackEntry:
    """A track as ingest counted it."""

    id: int
    group: int
    kind: TrackKind
    name: str
    rows: int
    events: int
    busy: int  # ticks
    fingerprint: int  # of its slices, as docs/page-format.md has it
    details: int  # events that have an entry in a chunk of arguments
    flows_out: int  # flows of its file that leave its slices
    flows_in: int  # and that arrive
    pairs_out: int  # launches by correlation alone that its slices are
    pairs_in: int  # and slices that have such a launch
    steps: int  # of its slices
    operations: int  # events that are operations of a device: all of them or none
    span: tuple[int, int] | None  # from the start of its first event to the end of the last; None without events
    frames: bool  # names nothing in a rollup
    children: tuple[int, ...]  # of a rollup
    on_device: bool  # its process stands for a device

    @property
    def block(self) -> int:
        return self.id // TRACKS_PER_BLOCK

    @property
    def slot(self) -> int:
        return self.id % TRACKS_PER_BLOCK


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The run, as its manifest and its track tree describe it."""

    location: str
    end: int  # tick
    root_level: int
    names: int
    names_per_page: int
    files: tuple[str, ...]  # encoding of the arguments of each
    counts: dict[str, int]  # events as written in the files, by kind
    flow_edges: int  # flows of the files
    derived_edges: int
    families: tuple[str, ...] | None  # None in stores that were written before there were any
    tracks: tuple[TrackEntry, ...]

    @classmethod
    def read(cls, store: Store) -> Catalogue:
        """Reads both records, and checks that they agree. Raises DamagedStore."""
        inner = store.internals()
        try:
            return cls._parse(store.location, inner, json.loads(decompress(need(store, TRACKS))))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise DamagedStore(f"{store.location}: the manifest or the track tree is damaged: {error!r}") from error

    @classmethod
    def _parse(cls, location: str, inner: Mapping[str, Any], tree: dict[str, Any]) -> Catalogue:
        public = inner["public"]
        if len(tree["tracks"]) != len(inner["tracks"]) or len(inner["tracks"]) != public["tracks"]:
            raise DamagedStore(f"{location}: manifest and track tree differ in the number of tracks")
        is_device = [is_device_process(str(group["name"]), str(group["detail"])) for group in tree["groups"]]
        tracks = tuple(
            _track(location, number, inner["tracks"][number], shown, is_device)
            for number, shown in enumerate(tree["tracks"])
        )
        for track in tracks:
            if not 0 <= track.rows <= max(1, track.events):
                raise DamagedStore(f"{location}: track {track.id}: {track.rows} rows for {track.events} events")
            _check_children(location, track, tracks)
        if public["blocks"] != -(-len(tracks) // TRACKS_PER_BLOCK):
            raise DamagedStore(f"{location}: the manifest has {public['blocks']} blocks for {len(tracks)} tracks")
        return cls(
            location,
            int(public["end"]),
            int(public["root_level"]),
            int(public["names"]["count"]),
            int(public["names"]["page_size"]),
            tuple(file["args_encoding"] for file in inner["files"]),
            {kind: int(count) for kind, count in public["events"].items()},
            int(public["flows"]["edges"]),
            int(public["flows"]["derived"]),
            tuple(public["families"]) if "families" in public else None,
            tracks,
        )

    def block(self, block: int) -> tuple[TrackEntry, ...]:
        """The tracks of a block, by slot."""
        return self.tracks[block * TRACKS_PER_BLOCK : (block + 1) * TRACKS_PER_BLOCK]

    def events_of(self, *kinds: TrackKind) -> int:
        """Number of events on the tracks of these kinds."""
        return sum(track.events for track in self.tracks if track.kind in kinds)

    def tile_error(self, track: int, level: int, index: int, what: str) -> DamagedStore:
        """The error for something wrong with a tile."""
        return DamagedStore(f"{self.location}: {self.tile_name(track, level, index)}: {what}")

    def tile_name(self, track: int, level: int, index: int) -> str:
        """Name of a tile in messages."""
        return f"{self.track_name(track)}, level {level}, tile {index}"

    def track_error(self, track: int, what: str) -> DamagedStore:
        """The error for something wrong with a track as a whole."""
        return DamagedStore(f"{self.location}: {self.track_name(track)}: {what}")

    def track_name(self, track: int) -> str:
        """Name of a track in messages."""
        name = self.tracks[track].name if track < len(self.tracks) else "no such track"
        return f"track {track} ({name!r})"


def _track(
    location: str, number: int, counted: dict[str, Any], shown: dict[str, Any], is_device: Sequence[bool]
) -> TrackEntry:
    for key in ("kind", "name", "busy"):
        if counted[key] != shown[key]:
            what = f"{key} is {counted[key]} in the manifest, {shown[key]} in the track tree"
            raise DamagedStore(f"{location}: track {number}: {what}")
    shown_span = [shown["first"], shown["last"]] if "first" in shown else None
    if counted.get("span") != shown_span or counted.get("frames") != shown.get("frames"):
        raise DamagedStore(f"{location}: track {number}: manifest and track tree differ in what it spans or frames")
    if (shown_span is None) != (counted["events"] == 0):
        raise DamagedStore(f"{location}: track {number}: {counted['events']} events, and it spans {shown_span}")
    if str(counted["events"]) != shown["events"] or shown["id"] != number:
        raise DamagedStore(f"{location}: track {number}: manifest and track tree differ")
    group = int(shown["group"])
    if not 0 <= group < len(is_device):
        raise DamagedStore(f"{location}: track {number} is in group {group}, which there is not")
    return TrackEntry(
        number,
        group,
        TrackKind(counted["kind"]),
        str(counted["name"]),
        int(shown["rows"]),
        int(counted["events"]),
        int(counted["busy"]),
        int(counted["fingerprint"], 16),
        int(counted["details"]),
        *_flow_ends(counted["flow_ends"]),
        *_flow_ends(counted["pair_ends"]),
        int(counted["steps"]),
        int(counted["operations"]),
        _span(counted.get("span")),
        bool(counted.get("frames", False)),
        tuple(counted.get("children", ())),
        is_device[group],
    )


def _span(ticks: list[str] | None) -> tuple[int, int] | None:
    if ticks is None:
        return None
    first, last = ticks
    return int(first), int(last)


def _flow_ends(counts: list[int]) -> tuple[int, int]:
    leaving, arriving = counts
    return int(leaving), int(arriving)


def _check_children(location: str, track: TrackEntry, tracks: tuple[TrackEntry, ...]) -> None:
    if track.kind != TrackKind.ROLLUP:
        return
    children = [tracks[child] for child in track.children]
    if len(set(track.children)) != len(children) or any(child.kind not in SLICE_KINDS for child in children):
        raise DamagedStore(f"{location}: track {track.id}: its list of children is damaged")
    spans = [child.span for child in children if child.span is not None]
    span = (min(first for first, _ in spans), max(last for _, last in spans)) if spans else None
    if track.span != span:
        raise DamagedStore(f"{location}: track {track.id}: it does not span what its tracks do")
    events, busy = sum(child.events for child in children), sum(child.busy for child in children)
    if (events, busy) != (track.events, track.busy):
        raise DamagedStore(
            f"{location}: track {track.id} ({track.name!r}): its tracks have {events} events and {busy} busy ticks, "
            f"not {track.events} and {track.busy}"
        )
