"""Layout of a run's tracks: the screen from top to bottom, and the rollups behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import cast

from msgspec import UNSET, Struct, field, structs

from tilescope.tiler import schema
from tilescope.tiler.columns import DeviceFile, Process, TraceSummary, Track, TrackKind
from tilescope.tiler.device_lines import MODULE_LINES, STEP_LINES, is_one_of
from tilescope.tiler.distinct_names import DistinctNames
from tilescope.tiler.indexing.reading.ranks import rank_labels
from tilescope.tiler.indexing.tracks.folder_hosts import folder_hosts
from tilescope.tiler.indexing.tracks.track_facts import TrackFacts
from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.readers.formats import formats
from tilescope.tiler.readers.layouts import FileLabel

# What the host of files is called that do not say where they come from.
_NO_HOST = "host"

# Kinds whose events a rollup sums.
_SUMMED = (TrackKind.SLICE, TrackKind.ASYNC, TrackKind.INSTANT)


class Group(Struct):
    """The run, a host or a process."""

    id: int
    parent: int | None
    kind: schema.GroupKind
    name: str
    detail: str
    rollup: int | None = None  # its rollup track


class PlacedTrack(Struct, frozen=True):
    """A track at its place. Its id is its position on the screen, or behind all of the screen for rollups."""

    id: int
    group: int
    kind: TrackKind
    name: str
    detail: str
    file: int  # -1: a rollup
    source: int  # number of the track in its file
    weight: int  # rows that are to be read for it
    frames: bool = False  # steps or modules of a device, which name nothing in a rollup: they are always there
    children: tuple[int, ...] = ()  # of a rollup: the tracks that it sums

    def to_schema(self, facts: TrackFacts, lanes: int) -> schema.Track:
        """As clients are told of it."""
        least, greatest = facts.value_range or (UNSET, UNSET)
        first, last = map(str, facts.span) if facts.span else (UNSET, UNSET)
        return schema.Track(
            id=self.id,
            group=self.group,
            kind=cast("schema.TrackKind", self.kind.value),  # all but FLOW, which has no place
            name=self.name,
            detail=self.detail,
            rows=facts.rows,
            events=str(facts.events),
            busy=str(facts.busy),
            first=first,
            last=last,
            frames=self.frames or UNSET,
            lanes=lanes if self.kind == TrackKind.ROLLUP else UNSET,
            min=least,
            max=greatest,
        )


class Layout(Struct):
    """All groups and tracks of a run."""

    groups: list[Group] = field(default_factory=list)
    tracks: list[PlacedTrack] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)  # of each file, as its group is called; empty: of none

    def lanes_of(self, track: PlacedTrack, facts: Mapping[int, TrackFacts]) -> int:
        """Number of rows that the tracks of a rollup have together; at least 1."""
        return max(1, sum(facts[child].rows for child in track.children))

    def to_schema(self, facts: Mapping[int, TrackFacts]) -> schema.TrackTree:
        """As clients are told of it."""
        groups = [schema.Group(**structs.asdict(group)) for group in self.groups]
        tracks = [track.to_schema(facts[track.id], self.lanes_of(track, facts)) for track in self.tracks]
        return schema.TrackTree(groups=groups, tracks=tracks)


def lay_out(
    summaries: Sequence[TraceSummary],
    weight_of: Callable[[int, int], int],
    paths: Sequence[Path] = (),
    *,
    is_shard: bool = False,
) -> Layout:
    """Places all tracks. `weight_of(file, track)` says how many rows are to be read for a track.

    `paths`: of the files, whose folders are hosts of those that name none; without paths all are in one folder.
    `is_shard`: other files of the run are elsewhere.
    """
    layout = Layout()
    names = _host_names(summaries, weight_of, folder_hosts(paths) or [""] * len(summaries), is_shard)
    # What has no host and no processes, as a saved page, is of the run: it makes no host beside those that were traced.
    placed = [k for k, summary in enumerate(summaries) if names[k] or summary.processes] or range(len(summaries))
    files = sorted(placed, key=lambda k: natural_key(names[k]))
    hosts_by_file = _hosts_by_file(summaries, names)
    hosts = dict.fromkeys(
        host for file in files for host in sorted({*hosts_by_file[file]} or {names[file]}, key=natural_key)
    )
    layout.hosts = _file_hosts(summaries, names, frozenset(placed), [*hosts])
    what = "hosts"
    if all(summaries[file].rank is not None for file in files):
        what = "ranks"
    elif all(summaries[file].device_file is not None or summaries[file].tables for file in files):
        what = "devices"
    run = _group(layout, None, "run", f"{len(hosts)} {what}") if len(hosts) > 1 else None
    for host in hosts:
        group = _group(layout, run, "host", host or _NO_HOST)
        for file in sorted(files, key=lambda file: _has_counters_alone(summaries[file])):
            processes = [number for number, name in enumerate(hosts_by_file[file]) if name == host]
            if processes:
                _place_file(layout, group, file, summaries[file], processes, weight_of)
    _place_rollups(layout)
    return layout


def _has_counters_alone(summary: TraceSummary) -> bool:
    """True for a file whose tracks stand below those of others: counters beside a timeline."""
    return bool(summary.tracks) and all(track.kind == TrackKind.COUNTER for track in summary.tracks)


def _host_names(
    summaries: Sequence[TraceSummary], weight_of: Callable[[int, int], int], folders: Sequence[str], is_shard: bool
) -> list[str]:
    """The host of each file. Some formats have one file per host: several with one name are hosts of their own.

    So are the ranks of a job, and the folders of timelines that name neither host nor rank nor device, with the tables
    in them.
    """
    names: list[str] = []
    distinct = DistinctNames()

    def used_processes(file: int) -> set[int]:
        tracks = enumerate(summaries[file].tracks)
        return {track.process for number, track in tracks if weight_of(file, number)}

    devices = {(place.capture, place.device) for summary in summaries if (place := summary.device_file) is not None}
    captures_of = Counter(device for _, device in devices)
    in_folders = {folder for summary, folder in zip(summaries, folders, strict=True) if summary.processes}
    labels = rank_labels(summaries, used_processes, is_shard=is_shard)
    for summary, label, folder in zip(summaries, labels, folders, strict=True):
        if label is not None:
            names.append(label)
            continue
        name = summary.hostname or (_device_label(summary, devices, captures_of) if len(devices) > 1 else "")
        has_place = summary.processes or (summary.tables and folder in in_folders)
        if not name and has_place and summary.rank is None and summary.device_file is None:
            name = folder
        if formats()[summary.format].is_of_one_host:
            name = distinct.add(name)
        names.append(name)
    return names


def _file_hosts(
    summaries: Sequence[TraceSummary], names: Sequence[str], placed: Collection[int], hosts: Sequence[str]
) -> list[str]:
    """The host of each file, as its group is called, among these; empty for what has none and is not placed."""
    # Tables are where a timeline without a host is, be they drawn or not, or else on the only host there is.
    other = _NO_HOST if "" in hosts else hosts[0] if len(hosts) == 1 else ""
    has_place = [k in placed or bool(summary.tables) for k, summary in enumerate(summaries)]
    return [name or (other if has_place[k] else "") for k, name in enumerate(names)]


def _hosts_by_file(summaries: Sequence[TraceSummary], names: Sequence[str]) -> list[list[str]]:
    """The hosts of the processes of each file, by number of the process: those that it says, or else its own."""
    hosts_by_file: list[list[str]] = []
    distinct = DistinctNames()  # of files that say a host of one name each means another
    for summary, name in zip(summaries, names, strict=True):
        own = sorted({process.host for process in summary.processes if process.host})
        called = {host: distinct.add(host) for host in own}
        hosts_by_file.append([called.get(process.host, name) for process in summary.processes])
    return hosts_by_file


def _device_label(summary: TraceSummary, devices: Collection[tuple[str, str]], captures_of: Mapping[str, int]) -> str:
    """The device of a file, with its capture where several captures have a device of that number, as counted."""
    place = summary.device_file or _place_of_tables(summary, devices)
    if place is None:
        return ""
    is_single = bool(place.device) and captures_of[place.device] == 1
    device = f"device {place.device}" if place.device else ""
    return str(FileLabel(host="" if is_single else place.capture, device=device))


def _place_of_tables(summary: TraceSummary, devices: Collection[tuple[str, str]]) -> DeviceFile | None:
    """The device of a file of tables that says its capture alone, where the capture is of a single device."""
    capture = summary.tables[0].capture if summary.tables else ""
    of_capture = [device for its_capture, device in devices if its_capture == capture]
    return DeviceFile(capture, of_capture[0], ()) if capture and len(of_capture) == 1 else None


def _group(layout: Layout, parent: int | None, kind: schema.GroupKind, name: str, detail: str = "") -> int:
    layout.groups.append(Group(len(layout.groups), parent, kind, name, detail))
    return layout.groups[-1].id


def _place_file(
    layout: Layout,
    host: int,
    file: int,
    summary: TraceSummary,
    processes: Sequence[int],
    weight_of: Callable[[int, int], int],
) -> None:
    """Places some of a file's processes below a host."""
    tracks_of: list[list[int]] = [[] for _ in summary.processes]
    emptied: set[int] = set()  # processes whose ends of async slices have moved, or whose slices are in another file
    for source in _by_sort_index(summary.tracks):
        track = summary.tracks[source]
        may_be_emptied = track.kind == TrackKind.ASYNC or summary.device_file is not None
        if may_be_emptied and weight_of(file, source) == 0:
            emptied.add(track.process)
        elif track.kind != TrackKind.FLOW:
            tracks_of[track.process].append(source)
    for number in sorted(processes, key=lambda k: summary.processes[k].sort_index):
        if number in emptied and not tracks_of[number]:
            continue
        process = summary.processes[number]
        group = _group(layout, host, "process", process.name, process.detail)
        framing = _framing(process, summary, [source for source in tracks_of[number] if weight_of(file, source)])
        for source in tracks_of[number]:
            track, place, weight = summary.tracks[source], len(layout.tracks), weight_of(file, source)
            layout.tracks.append(
                PlacedTrack(place, group, track.kind, track.name, track.detail, file, source, weight, source in framing)
            )


def _framing(process: Process, summary: TraceSummary, used: Sequence[int]) -> set[int]:
    """Used tracks of a process that only say what the others are about, if there are others."""
    if not process.is_device:
        return set()
    summed = [source for source in used if summary.tracks[source].kind in _SUMMED]
    framing = {source for source in summed if is_one_of(summary.tracks[source].name, STEP_LINES | MODULE_LINES)}
    return framing if len(framing) < len(summed) else set()


def _place_rollups(layout: Layout) -> None:
    """Gives a rollup to each group below which there are slices. Groups that would have the same one share it."""
    parts: list[list[int]] = [[] for _ in layout.groups]  # groups below that have a rollup
    children: list[list[int]] = [[] for _ in layout.groups]
    for track in layout.tracks:
        if track.weight and track.kind in _SUMMED:
            children[track.group].append(track.id)
    for group in reversed(layout.groups):  # those below come after
        for part in reversed(parts[group.id]):
            children[group.id] += children[part]
        if children[group.id] and group.parent is not None:
            parts[group.parent].append(group.id)
    for group in layout.groups:
        if children[group.id] and len(parts[group.id]) != 1:
            group.rollup = len(layout.tracks)
            weight = sum(layout.tracks[child].weight for child in children[group.id])
            layout.tracks.append(
                PlacedTrack(
                    group.rollup,
                    group.id,
                    TrackKind.ROLLUP,
                    group.name,
                    "",
                    -1,
                    -1,
                    weight,
                    children=tuple(children[group.id]),
                )
            )
    for group in reversed(layout.groups):
        if len(parts[group.id]) == 1:
            group.rollup = layout.groups[parts[group.id][0]].rollup


def _by_sort_index(items: Sequence[Track]) -> list[int]:
    return sorted(range(len(items)), key=lambda k: items[k].sort_index)
