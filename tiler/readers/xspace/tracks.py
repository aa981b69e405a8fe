"""The tracks of an XSpace: one for the slices of each line, and for each series of its lines of counters."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from msgspec import Struct

from tilescope.tiler import _native
from tilescope.tiler.columns import CorrelationStat, Span, Track, TrackKind
from tilescope.tiler.device_lines import DEVICE_PREFIX, is_stream
from tilescope.tiler.natural_order import natural_key
from tilescope.tiler.readers.xspace.names import Line, line_names, line_ranks

# What a stat is called that has the one number of its event: the track's name does without.
_PLAIN_STATS = ("value", "counter_value", "")

_CORRELATION = "correlation_id"
_MAX_CORRELATION_IDS = 8  # a plane may call a million stats so: each event is compared with all of them


class LineTrack(Struct, frozen=True):
    """Content of a track: the slices of a line, or one series of its counters."""

    line: int
    series: int | None
    events: int
    flow_ends: int
    span: Span


def line_tracks(
    lines: Sequence[_native.XSpaceLine], counters: Mapping[int, _native.XSpaceCounters], starts_ns: Sequence[int]
) -> list[LineTrack]:
    """The tracks, line by line. A line that holds nothing but samples has no track of slices."""
    tracks = []
    for number, (line, start_ns) in enumerate(zip(lines, starts_ns, strict=True)):
        series = counters[number].series if number in counters else []
        if line.events or not series:
            span = _span(line, start_ns) if line.events else Span()
            tracks.append(LineTrack(number, None, line.events, line.flow_ends, span))
        tracks += [LineTrack(number, k, single.samples, 0, _span(single, start_ns)) for k, single in enumerate(series)]
    return tracks


def described(
    tracks: Sequence[LineTrack],
    lines: Sequence[_native.XSpaceLine],
    counters: Mapping[int, _native.XSpaceCounters],
    planes: Sequence[_native.XSpacePlane],
    names: Sequence[str],
) -> list[Track]:
    """The tracks as people see them; `names` are those of events. Series of counters stand behind the lines."""
    plane_names = [plane.name for plane in planes]
    called = [Line(line.plane, line.id, line.display_name or line.name) for line in lines]
    of_lines = line_names(plane_names, called)
    ranks = line_ranks(plane_names, called, of_lines)
    of_series = _series_names(lines, counters, planes, names)

    def name(track: LineTrack) -> str:
        return of_lines[track.line] if track.series is None else of_series[track.line, track.series]

    def place(number: int) -> tuple[bool, int, list[tuple[int, str]], int]:
        track = tracks[number]
        if track.series is None:
            return False, ranks[track.line], [], number
        return True, 0, natural_key(name(track)), number

    sort_index = [0] * len(tracks)
    for rank, number in enumerate(sorted(range(len(tracks)), key=place)):
        sort_index[number] = rank
    ids = [_correlation_ids(plane) for plane in planes]

    def correlation(track: LineTrack) -> CorrelationStat | None:
        line = lines[track.line]
        is_on_device = plane_names[line.plane].startswith(DEVICE_PREFIX)
        # Lines of a device that are made of its streams would have their work twice.
        if track.series is not None or not ids[line.plane] or (is_on_device and not is_stream(name(track))):
            return None
        return CorrelationStat(ids[line.plane], is_on_device)

    return [
        Track(
            lines[track.line].plane,
            TrackKind.SLICE if track.series is None else TrackKind.COUNTER,
            name(track),
            f"line {lines[track.line].id}",
            sort_index=rank,
            correlation=correlation(track),
        )
        for track, rank in zip(tracks, sort_index, strict=True)
    ]


def counter_notes(counters: Mapping[int, _native.XSpaceCounters]) -> list[str]:
    """Notes on counters that are not shown as such."""
    beyond = [
        line_counters
        for line_counters in counters.values()
        if line_counters.beyond_events or line_counters.beyond_numbers
    ]
    if not beyond:
        return []
    most, events = len(beyond[0].series), sum(line_counters.beyond_events for line_counters in beyond)
    numbers = sum(line_counters.beyond_numbers for line_counters in beyond)
    where = "a line has" if len(beyond) == 1 else f"{len(beyond):,} lines have"
    parts = [f"the first {most} are tracks"]
    parts += [f"events of others that are shown as slices: {events:,}"] if events else []
    parts += [f"numbers of others that are only among the arguments: {numbers:,}"] if numbers else []
    return [f"{where} more than {most} counters: {'; '.join(parts)}"]


def correlation_notes(planes: Sequence[_native.XSpacePlane]) -> list[str]:
    """Notes on stats of launches that join nothing."""
    beyond = sum(max(list(plane.stat_names.values()).count(_CORRELATION) - _MAX_CORRELATION_IDS, 0) for plane in planes)
    if not beyond:
        return []
    what = f"1 stat {_CORRELATION} joins" if beyond == 1 else f"{beyond:,} stats {_CORRELATION} join"
    return [f"{what} no launches: the first {_MAX_CORRELATION_IDS} of a plane do"]


def _correlation_ids(plane: _native.XSpacePlane) -> list[int]:
    return [number for number, name in plane.stat_names.items() if name == _CORRELATION][:_MAX_CORRELATION_IDS]


def _span(events: _native.XSpaceLine | _native.XSpaceSeries, start_ns: int) -> Span:
    return Span(start_ns + events.first_ps // 1000, start_ns + events.end_ns, events.end_ps, events.any_ps)


def _series_names(
    lines: Sequence[_native.XSpaceLine],
    counters: Mapping[int, _native.XSpaceCounters],
    planes: Sequence[_native.XSpacePlane],
    names: Sequence[str],
) -> dict[tuple[int, int], str]:
    """By line and series: the name of the events, and that of the stat where they have several."""
    result: dict[tuple[int, int], str] = {}
    namesakes: defaultdict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)
    for line, line_counters in counters.items():
        stats_of_name = Counter(series.name_index for series in line_counters.series)
        for number, series in enumerate(line_counters.series):
            event, stat = names[series.name_index], planes[lines[line].plane].stat_names.get(series.stat_id, "")
            single = stats_of_name[series.name_index] == 1 and stat in (*_PLAIN_STATS, event)
            name = event if single else f"{event} · {stat or f'[stat {series.stat_id}]'}"
            result[line, number] = name
            namesakes[lines[line].plane, name].append((line, number))
    for (_, name), members in namesakes.items():
        if len(members) > 1:
            ordered = sorted(members, key=lambda place: (lines[place[0]].id, place))
            for place, member in enumerate(ordered, 1):
                result[member] = f"{name} #{place}"
    return result
