"""Flows in plain Python: from a reader's rows and the slices of a store to the edges that there must be."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tilescope.tiler.columns import EventFlag, Phase, TrackKind
from tilescope.tiler.device_lines import is_device_process
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.lookup.launches import launched_work
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey, Part, SliceFlag, TileFlag, decode_page, decompress, part_of
from tilescope.tiler.readers import open_trace
from tilescope.tiler.records.flow_ends import FlowEnds
from tilescope.tiler.records.launches import Launches, LaunchWay
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.store.run_store import RunStore
from tilescope.tiler.store.store import need

Edge = tuple[int, int, int, int, int, int]  # track, ordinal and tick of the one end, and of the other


@dataclass(frozen=True)
class End:
    phase: int
    tick: int
    key: int
    track: int
    ordinal: int | None


@dataclass(frozen=True)
class Correlated:
    """A slice with a correlation."""

    number: int
    is_of_device: bool
    track: int
    ordinal: int
    tick: int


@dataclass
class Expected:
    edges: Counter[Edge]
    counts: dict[str, str]  # as the manifest has them
    derived: Counter[Edge] = field(default_factory=Counter)


def expected_flows(file: Path, store: RunStore) -> Expected:
    """What the store should hold of the file that it was built from."""
    ends, correlated = read_ends(file, store)
    expected = join(ends)
    tree = json.loads(decompress(need(store, TRACKS)))
    devices = {group["id"] for group in tree["groups"] if is_device_process(group["name"], group["detail"])}
    derive(expected, correlated, {track["id"] for track in tree["tracks"] if track["group"] in devices})
    return expected


def derive(expected: Expected, correlated: list[Correlated], on_devices: Collection[int]) -> None:
    """Adds the edges from launches to works of devices that no flow joins, how many works several launches have, and
    what is left on either side. `on_devices`: the tracks of devices, whatever their slices have.
    """
    launches = {(one.track, one.ordinal) for one in correlated if not one.is_of_device}
    works = {(slice_.track, slice_.ordinal) for slice_ in correlated if slice_.is_of_device}
    flows = [((a, b), (c, d)) for a, b, _, c, d, _ in expected.edges if (a, b) in launches and (c, d) in works]
    joined = {work for _, work in flows}
    by_number: dict[int, list[Correlated]] = defaultdict(list)
    for one in correlated:
        if not one.is_of_device:
            by_number[one.number].append(one)
    ambiguous = 0
    shared: set[tuple[int, int]] = set()
    for one in correlated:
        if one.is_of_device and (one.track, one.ordinal) not in joined:
            of_number = by_number.get(one.number, [])
            if len(of_number) > 1:
                ambiguous += 1
                shared |= {(launch.track, launch.ordinal) for launch in of_number}
            if len(of_number) == 1:
                (launch,) = of_number
                expected.derived[launch.track, launch.ordinal, launch.tick, one.track, one.ordinal, one.tick] += 1
    pairs = [*flows, *(((a, b), (c, d)) for a, b, _, c, d, _ in expected.derived)]
    pairs += [((a, b), (c, d)) for a, b, _, c, d, _ in expected.edges if c in on_devices and a not in {-1, *on_devices}]
    expected.counts |= {
        "derived": str(expected.derived.total()),
        "ambiguous": str(ambiguous),
        "calls_without_work": str(len(launches - shared - {launch for launch, _ in pairs})),
        "work_without_launch": str(len(works - {work for _, work in pairs})),
    }


def join(ends: list[End]) -> Expected:
    by_key: dict[int, list[End]] = defaultdict(list)
    for end in ends:
        if end.key >= 0:
            by_key[end.key].append(end)
    edges: list[tuple[End, End]] = []
    dangling: Counter[str] = Counter(without_id=sum(end.key < 0 for end in ends))
    for group in by_key.values():
        group.sort(key=lambda end: (end.tick, end.phase))
        starts = [end for end in group if end.phase == Phase.FLOW_START]
        giver: End | None = None
        given: set[int] = set()
        for end in group:
            source = None
            if end.phase != Phase.FLOW_START:
                source = giver
                if source is None and end.phase == Phase.FLOW_END and len(starts) == 1:
                    source = starts[0]
                if source is None:
                    dangling["ends_without_start"] += 1
                else:
                    edges.append((source, end))
                    given.add(id(source))
            if end.phase != Phase.FLOW_END:
                giver = end
        dangling["starts_without_end"] += sum(end.phase != Phase.FLOW_END and id(end) not in given for end in group)
    bound: Counter[Edge] = Counter()
    for a, b in edges:
        if a.ordinal is None or b.ordinal is None:
            dangling["without_slice"] += 1
        else:
            bound[a.track, a.ordinal, a.tick, b.track, b.ordinal, b.tick] += 1
    kinds = ("starts_without_end", "ends_without_start", "without_id", "without_slice")
    return Expected(bound, {"edges": str(bound.total())} | {kind: str(dangling[kind]) for kind in kinds})


def innermost(start: np.ndarray, end: np.ndarray, tick: int) -> int | None:
    """The last slice around the tick, or else the last that ends at it."""
    around = np.flatnonzero((start <= tick) & ((end > tick) | (start == tick)))
    if not len(around):
        around = np.flatnonzero(end == tick)
    return int(around[-1]) if len(around) else None


def following(start: np.ndarray, tick: int) -> int | None:
    """The first slice from the tick on."""
    later = np.flatnonzero(start >= tick)
    return int(later[0]) if len(later) else None


def read_ends(file: Path, store: RunStore) -> tuple[list[End], list[Correlated]]:
    """All flow ends of the file, bound, and its slices with a correlation."""
    manifest = store.manifest()
    reader = open_trace(file)
    rows = [
        (int(track), int(phase), int(time) * 1000 + int(ps), int(duration) * 1000 + int(dps), int(key), int(flags))
        for chunk in reader.chunks()
        for track, phase, time, ps, duration, dps, key, flags in zip(
            chunk.track,
            chunk.phase,
            chunk.time_ns,
            np.zeros(len(chunk)) if chunk.time_ps is None else chunk.time_ps,
            chunk.duration_ns,
            np.zeros(len(chunk)) if chunk.duration_ps is None else chunk.duration_ps,
            np.full(len(chunk), -1) if chunk.key is None else chunk.key,
            chunk.flags,
            strict=True,
        )
    ]
    summary = reader.summary()
    reader.close()
    zero_ps = (int(manifest["origin_ns"]) - summary.base_time_ns) * 1000
    tree = json.loads(decompress(need(store, TRACKS)))
    groups = {group["id"]: (group["name"], group["detail"]) for group in tree["groups"]}
    shown = {
        (*groups[track["group"]], track["name"], track["detail"]): track["id"]
        for track in tree["tracks"]
        if track["kind"] == "slice"
    }
    assert len(shown) == sum(track["kind"] == "slice" for track in tree["tracks"])

    def place(track: int) -> int:
        thread = summary.tracks[track]
        process = summary.processes[thread.process]
        return int(shown.get((process.name, process.detail, thread.name, thread.detail), -1))

    slices = slices_of(store)
    none = np.zeros(0, np.int64)
    owner: dict[int, int] = {}  # of each track: its event before, counted in file order
    events: dict[int, list[tuple[int, int]]] = defaultdict(list)
    found: list[tuple[int, int, int, int, int | None]] = []
    keyed: list[tuple[int, int, int, int]] = []  # track, its event, tick, key
    for track, phase, time, duration, key, flags in rows:
        tick = (time - zero_ps) // manifest["tick_ps"]
        if phase < Phase.FLOW_START:
            owner[track] = len(events[track])
            if key < -1:
                keyed.append((track, len(events[track]), tick, key))
            events[track].append((tick, -duration))
            continue
        ordinal: int | None
        if summary.tracks[track].kind == TrackKind.FLOW:
            start, end = slices.get(place(track), (none, none))
            to_next = phase == Phase.FLOW_END and not flags & EventFlag.BIND_ENCLOSING
            ordinal = following(start, tick) if to_next else innermost(start, end, tick)
            found.append((phase, tick, key, track, ordinal))
        else:
            found.append((phase, tick, key, track, -1 - owner[track]))
    rank: dict[int, dict[int, int]] = {}
    owned = {track for _, _, _, track, ordinal in found if ordinal is not None and ordinal < 0}
    for track in owned | {track for track, *_ in keyed}:
        order = sorted((event, position) for position, event in enumerate(events[track]))
        rank[track] = {position: ordinal for ordinal, (_, position) in enumerate(order)}
    ends = [
        End(phase, tick, key, place(track), rank[track][-1 - o] if o is not None and o < 0 else o)
        for phase, tick, key, track, o in found
    ]
    correlated = [
        Correlated(-2 - key >> 1, bool(-2 - key & 1), place(track), rank[track][event], tick)
        for track, event, tick, key in keyed
    ]
    if summary.format == "xspace":
        correlated = list(correlated_by_arguments(store, tree, slices))
    return ends, correlated


def correlated_by_arguments(
    store: RunStore, tree: dict[str, Any], slices: dict[int, tuple[np.ndarray, np.ndarray]]
) -> Iterator[Correlated]:
    """Slices of an XSpace with a correlation: as the details of each event have it."""
    planes = {group["id"]: (group["detail"] or group["name"], group["name"]) for group in tree["groups"]}
    for track in tree["tracks"]:
        is_of_device = any(text.startswith("/device:") for text in planes[track["group"]])
        if track["kind"] != "slice" or (is_of_device and not track["name"].startswith("Stream")):
            continue
        for ordinal, tick in enumerate(slices.get(track["id"], ([], []))[0]):
            event = event_details(store, track["id"], ordinal)
            assert event is not None
            for arg in event["args"]:
                if arg["name"] == "correlation_id":
                    yield Correlated(int(arg["value"]), is_of_device, track["id"], ordinal, int(tick))


def slices_of(store: RunStore) -> dict[int, tuple[np.ndarray, np.ndarray]]:
    """Starts and ends of the slices of each track, by ordinal."""
    found: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for key, value in store.records():
        if key[:1] != b"P":
            continue
        block = PageKey(*PAGE.numbers_in(key)).block
        for tile in decode_page(decompress(part_of(value, Part.PAGE) or b"")):
            if tile.flags & TileFlag.LEAF:
                for k in np.flatnonzero(tile.slices.flags & SliceFlag.REACHES_IN == 0):
                    start, length = int(tile.slices.start[k]), int(tile.slices.duration[k])
                    found[block * TRACKS_PER_BLOCK + tile.slot].append((int(tile.slices.ordinal[k]), start, length))
    out = {}
    for track, rows in found.items():
        columns = np.array(sorted(rows), np.int64)
        assert (columns[:, 0] == np.arange(len(columns))).all()
        out[track] = columns[:, 1], columns[:, 1] + columns[:, 2]
    return out


def at_start(store: RunStore, track: int, ordinal: int) -> tuple[int, int, int]:
    """A slice with the tick at which it starts."""
    event = event_details(store, track, ordinal)
    assert event is not None
    return track, ordinal, int(event["start"])


def stored_edges(store: RunStore, *, incoming: bool = False) -> Counter[Edge]:
    """The edges as the slices that they leave have them, or those at which they arrive."""
    edges: Counter[Edge] = Counter()
    for key, value in store.records():
        track = int.from_bytes(key[1:5], "big")
        chunks = [Launches.decode(decompress(value), track)] if key[:1] == b"l" and incoming else []
        if key[:1] == b"m" and not incoming:
            chunks = list(launched_work(store, track))
        for launches in chunks:
            for k in np.flatnonzero(launches.way == LaunchWay.CORRELATION):
                own = at_start(store, track, int(launches.ordinal[k]))
                partner = at_start(store, int(launches.partner_track[k]), int(launches.partner_ordinal[k]))
                edges[partner + own if incoming else own + partner] += 1
        if key[:1] != b"F":
            continue
        ends = FlowEnds.decode(decompress(value), track)
        for k in np.flatnonzero(ends.incoming == int(incoming)):
            own = track, int(ends.ordinal[k]), int(ends.tick[k])
            partner = int(ends.partner_track[k]), int(ends.partner_ordinal[k]), int(ends.partner_tick[k])
            edges[partner + own if incoming else own + partner] += 1
    return edges
