"""Windows of the parts of steps of a host and its GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.values import ValueKind
from tilescope.tiler.facts.step_times.event_parts import CODE_OF, HOST_PARTS, NONE
from tilescope.tiler.facts.step_times.host_tracks import Codes, HostTracks, stream_codes, thread_codes
from tilescope.tiler.facts.step_times.links import GROUP, Numbers, TrackLinks, track_links
from tilescope.tiler.facts.step_times.parts import StepPart
from tilescope.tiler.facts.step_times.spans import StepSpans
from tilescope.tiler.facts.step_times.spread import Nodes, Spreading
from tilescope.tiler.query import EVERYTHING, Interruptible, QueryReader, Reading
from tilescope.tiler.query.arguments import ArgumentReader
from tilescope.tiler.query.events import Events
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

_LAUNCHES: Final = -1  # the kind of the keys that launches have; the trace's own are not negative
_COMPUTE_32, _COMPUTE_16 = CODE_OF[StepPart.DEVICE_COMPUTE_32], CODE_OF[StepPart.DEVICE_COMPUTE_16]
_LAUNCH: Final = CODE_OF[StepPart.LAUNCH]
_PREPARES: Final = [CODE_OF[StepPart.HOST_COMPUTE], CODE_OF[StepPart.COMPILE], CODE_OF[StepPart.WAIT_INPUT]]

# Spans are put together when there are so many: some 16 MB.
_SPANS_AT_ONCE: Final = 1 << 20


def part_spans(
    reader: QueryReader, tracks: HostTracks, steps: StepSpans, work_steps: Mapping[int, Ints]
) -> Interruptible[list[Windows]]:
    """Windows of each of `HOST_PARTS`: no two of them share a tick.

    `work_steps`: of streams whose launches say to which steps their work belongs, rows of these by ordinal. Raises
    DamagedStore, NotBuilt.
    """
    of_threads = yield from thread_codes(reader, tracks)
    of_streams = yield from stream_codes(reader, tracks)
    belongs = yield from _belonging(reader, tracks, steps, work_steps)
    gathered = _Gathered(tracks, steps)
    for track in (*tracks.threads, *tracks.streams):
        codes = of_streams.get(track, of_threads)
        plan = reader.plan(track, EVERYTHING)
        for events in Reading(reader).events(plan, plan.leaf_runs):
            gathered.add(events, codes[events.name + 1], belongs[track])
            yield
    windows_descending, above = [], Windows.from_spans([], [])
    for code in range(len(HOST_PARTS) - 1, 0, -1):
        here = gathered.taken(code)
        windows_descending.append(here.without(above))
        above = above.joined(here)
        yield
    return [Windows.from_spans([], []), *reversed(windows_descending)]


@dataclass(frozen=True, slots=True)
class _Belongs:
    """Steps of the events of one track, by ordinal, or else by the nodes that they lie in; -1 none."""

    step: Ints | None
    nodes: tuple[Nodes, Ints] | None
    is_half: Flags
    launches: Flags

    def steps_of(self, events: Events) -> Ints:
        """Rows of the steps that events belong to."""
        if self.step is not None:
            return self.step[events.ordinal]
        assert self.nodes is not None
        nodes, step = self.nodes
        node = nodes.around(events.start, events.start + events.duration)
        return np.append(step, -1)[node]


class _Gathered:
    """Gathers when what happens in steps."""

    def __init__(self, tracks: HostTracks, steps: StepSpans) -> None:
        self._steps = steps
        self._with_devices = bool(tracks.streams)
        # Slices that are steps are no parts of them.
        self._markers = {
            track: np.concatenate(
                [marker_series.rows.ordinal[marker_series.rows.track == track] for marker_series in tracks.series]
            )
            for series in tracks.series
            for track in series.tracks
        }
        within = Windows.from_spans(steps.start, steps.stop)
        self._outside = EVERYTHING.without(within)
        self._waiting: list[list[tuple[Ints, Ints]]] = [[] for _ in HOST_PARTS]
        self._merged = [Windows.from_spans([], []) for _ in HOST_PARTS]
        self._count = 0

    def add(self, events: Events, codes: Codes, belongs: _Belongs) -> None:
        """Takes some events of a track."""
        start, stop, code = events.start, events.start + events.duration, codes.astype(np.int64)
        if events.track in self._markers:
            code[np.isin(events.ordinal, self._markers[events.track])] = NONE
        step = belongs.steps_of(events)
        code[step < 0] = NONE
        if len(self._steps):
            start = np.maximum(start, self._steps.start[step])
            stop = np.minimum(stop, self._steps.stop[step])
        code[(code == _COMPUTE_32) & belongs.is_half[events.ordinal]] = _COMPUTE_16
        if self._with_devices:
            code[np.isin(code, _PREPARES) & belongs.launches[events.ordinal]] = _LAUNCH
        code[stop <= start] = NONE
        for part in np.unique(code[code != NONE]).tolist():
            which = code == part
            self._waiting[part].append((start[which], stop[which]))
            self._count += int(which.sum())
        if self._count > _SPANS_AT_ONCE:
            for part in range(len(HOST_PARTS)):
                self._merged[part] = self._merge(part)
            self._count = 0

    def taken(self, code: int) -> Windows:
        """Windows in steps in which something of a part happens."""
        return self._merge(code).without(self._outside)

    def _merge(self, code: int) -> Windows:
        waiting, self._waiting[code] = self._waiting[code], []
        if not waiting:
            return self._merged[code]
        starts, stops = (np.concatenate(column) for column in zip(*waiting, strict=True))
        return self._merged[code].joined(Windows.from_spans(starts, stops))


def _belonging(
    reader: QueryReader, tracks: HostTracks, steps: StepSpans, work_steps: Mapping[int, Ints]
) -> Interruptible[dict[int, _Belongs]]:
    """By track: as launches or the trace say it, or else by what events hand on to others."""
    arguments = ArgumentReader(reader.store)
    row_of = {key: row for row, key in enumerate(zip(steps.pass_.tolist(), steps.number.tolist(), strict=True))}
    groups = _groups(arguments, tracks, row_of)
    spreading, nodes_of, links_of = Spreading(), dict[int, Nodes](), dict[int, tuple[Flags, Flags]]()
    belongs: dict[int, _Belongs] = {}
    for track in (*tracks.threads, *tracks.streams):
        is_stream = track in tracks.streams
        links = yield from track_links(reader, arguments, track, pairs=not groups and not is_stream, shapes=is_stream)
        if track in work_steps:
            belongs[track] = _Belongs(work_steps[track], None, links.is_half, links.correlation.is_there)
            continue
        if groups:
            step = _looked_up(groups, links.group)
            if is_stream:
                step[~links.correlation.is_there] = -1
            belongs[track] = _Belongs(step, None, links.is_half, links.correlation.is_there)
            continue
        nodes = Nodes.apart(links.start, links.stop) if is_stream else _nodes(tracks, track, links, row_of)
        nodes_of[track], links_of[track] = nodes, (links.is_half, links.correlation.is_there)
        _hand_on(spreading, track, nodes, links, is_stream=is_stream)
    if groups:
        return belongs
    of_nodes = yield from spreading.steps()
    for track, nodes in nodes_of.items():
        step = of_nodes[track]
        belongs[track] = (
            _Belongs(step, None, *links_of[track])
            if track in tracks.streams
            else _Belongs(None, (nodes, step), *links_of[track])
        )
    return belongs


def _hand_on(spreading: Spreading, track: int, nodes: Nodes, links: TrackLinks, *, is_stream: bool) -> None:
    first = spreading.add(track, nodes)
    linked = np.flatnonzero(links.correlation.is_there)
    node_numbers = (
        first + linked if is_stream else _numbers(nodes.around(links.start[linked], links.stop[linked]), first)
    )
    hand = spreading.takes if is_stream else spreading.makes
    hand(np.full(len(linked), _LAUNCHES), links.correlation.value[linked], node_numbers)
    for (kind, id_), hand in ((links.makes, spreading.makes), (links.takes, spreading.takes)):
        linked = np.flatnonzero(kind.is_there & id_.is_there)
        hand(
            kind.value[linked],
            id_.value[linked],
            _numbers(nodes.around(links.start[linked], links.stop[linked]), first),
        )


def _numbers(places: Ints, first: int) -> Ints:
    return np.where(places >= 0, places + first, -1)


def _nodes(tracks: HostTracks, track: int, links: TrackLinks, row_of: Mapping[tuple[int, int], int]) -> Nodes:
    """Slices of a thread that are steps, and those that take something up."""
    taking = np.flatnonzero(links.takes[0].is_there & links.takes[1].is_there)
    start, stop, step = [links.start[taking]], [links.stop[taking]], [np.full(len(taking), -1)]
    for series in tracks.series:
        which = np.flatnonzero(series.rows.track == track)
        rows = series.rows.take(which)
        start.append(rows.start)
        stop.append(rows.stop)
        keys = zip(rows.pass_.tolist(), rows.number.tolist(), strict=True)
        step.append(np.array([row_of.get(key, -1) for key in keys], np.int64))
    return Nodes.from_unordered(np.concatenate(start), np.concatenate(stop), np.concatenate(step))


def _groups(arguments: ArgumentReader, tracks: HostTracks, row_of: Mapping[tuple[int, int], int]) -> dict[int, int]:
    """Rows of steps by the groups that the trace says they are, where it does."""
    row_of_group: dict[int, int] = {}
    for series in tracks.series:
        for track in series.tracks:
            rows = series.rows.take(series.rows.track == track)
            rows = rows.take(np.argsort(rows.ordinal, kind="stable"))
            for part in arguments.values(track, rows.ordinal, [GROUP]):
                with_group = np.flatnonzero(part.values[0].kind == ValueKind.INTEGER)
                for part_row in with_group.tolist():
                    row = part.which.start + part_row
                    key = int(rows.pass_[row]), int(rows.number[row])
                    if key in row_of:
                        row_of_group[int(part.values[0].bits[part_row])] = row_of[key]
    return row_of_group


def _looked_up(groups: Mapping[int, int], numbers: Numbers) -> Ints:
    """Rows of the steps of some groups, -1 none."""
    names = np.array(sorted(groups), np.int64)
    rows = np.array([groups[name] for name in names.tolist()], np.int64)
    position = np.minimum(np.searchsorted(names, numbers.value), len(names) - 1)
    return np.where(numbers.is_there & (names[position] == numbers.value), rows[position], -1)
