"""Track events as trace events: slices, instants, counters, flows, with their arguments and call stacks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from tilescope.tiler.readers.perfetto.annotations import arguments
from tilescope.tiler.readers.perfetto.sequence import Sequence, text
from tilescope.tiler.readers.perfetto.tracks import DescribedTracks, TrackPlace
from tilescope.tiler.readers.translated.event_text import Event

_BEGIN, _END, _INSTANT, _COUNTER = 1, 2, 3, 4
_PHASES: Final = {_BEGIN: "B", _END: "E", _INSTANT: "i"}
_FLOW_OUT, _FLOW_IN, _FLOW_BOTH = 2, 1, 3
_MICROSECOND_NS: Final = 1000
_ASYNC: Final = frozenset("bensTpFNOD")
_MOST_FRAMES: Final = 1000
_MOST_CATEGORIES: Final = 64
_PRINTABLE: Final = range(0x21, 0x7F)


class TrackEvents:
    """Track events of all sequences. Counts what is left out in `ignored`."""

    def __init__(self, tracks: DescribedTracks, ignored: dict[str, int]) -> None:
        self._tracks = tracks
        self._ignored = ignored
        self._open_flows: set[int] = set()

    def events(self, event: Any, time_ns: int, sequence: Sequence) -> Iterator[Event]:
        """The trace events of one track event at a time of the trace's clock."""
        legacy = event.legacy_event if event.HasField("legacy_event") else None
        if event.type == _COUNTER:
            yield from self._counter(event, time_ns, sequence)
        elif event.type in _PHASES:
            yield from self._slice(event, legacy, _PHASES[event.type], time_ns, sequence)
        elif legacy is not None and legacy.phase in _PRINTABLE:
            yield from self._slice(event, legacy, chr(legacy.phase), time_ns, sequence)
        else:
            self._count("events_of_another_type")
        yield from self._extra_counters(event, time_ns, sequence)

    def _slice(self, event: Any, legacy: Any, phase: str, time_ns: int, sequence: Sequence) -> Iterator[Event]:
        place = self._place(event, legacy, sequence)
        if place.name:
            self._count("slices_on_tracks_of_counters")
            return
        common: dict[str, object] = {"pid": place.pid, "tid": place.tid, "ts": time_ns}
        shown = common | {"ph": phase}
        name = self._name(event, legacy, sequence)
        category = self._category(event, sequence)
        if name is not None:
            shown["name"] = name
        elif phase != "E":
            shown["name"] = "[no name]"
        if category:
            shown["cat"] = category
        args = arguments(event.debug_annotations, sequence)
        if stack := _stack(event, sequence):
            args["call stack"] = stack
        for kind in ("correlation_id", "correlation_id_str"):
            if event.HasField(kind):
                value = getattr(event, kind)
                args["correlation id"] = text(value) if isinstance(value, bytes) else value
        if args:
            shown["args"] = args
        if legacy is not None:
            _add_legacy(shown, legacy, phase)
        yield shown
        if phase not in ("B", "X", "i", "I"):
            return
        for flow in (*event.flow_ids, *event.flow_ids_old):
            yield self._flow(common, flow, is_last=False)
        for flow in (*event.terminating_flow_ids, *event.terminating_flow_ids_old):
            yield self._flow(common, flow, is_last=True)
        if legacy is not None and legacy.HasField("bind_id"):
            binding = {"cat": "flow", "name": "flow", "id": f"bind {legacy.bind_id}"}
            if legacy.flow_direction in (_FLOW_IN, _FLOW_BOTH):
                yield common | binding | {"ph": "f", "bp": "e"}
            if legacy.flow_direction in (_FLOW_OUT, _FLOW_BOTH):
                yield common | binding | {"ph": "s"}

    def _flow(self, common: dict[str, object], flow: int, *, is_last: bool) -> Event:
        """The first event of a flow begins it, others are steps, unless they say that they end it."""
        is_open = flow in self._open_flows
        phase = "f" if is_last else "t" if is_open else "s"
        if is_last:
            self._open_flows.discard(flow)
        else:
            self._open_flows.add(flow)
        return common | {
            "ph": phase,
            "cat": "flow",
            "name": "flow",
            "id": str(flow),
            **({"bp": "e"} if is_last else {}),
        }

    def _counter(self, event: Any, time_ns: int, sequence: Sequence) -> Iterator[Event]:
        uuid = self._uuid(event, sequence)
        if event.HasField("double_counter_value"):
            yield from self._sample(uuid, event.double_counter_value, time_ns, sequence)
        elif event.HasField("counter_value"):
            yield from self._sample(uuid, event.counter_value, time_ns, sequence)
        else:
            self._count("counters_without_value")

    def _extra_counters(self, event: Any, time_ns: int, sequence: Sequence) -> Iterator[Event]:
        tracks = event.extra_counter_track_uuids or sequence.counter_tracks
        for uuid, value in zip(tracks, event.extra_counter_values, strict=False):
            yield from self._sample(uuid, value, time_ns, sequence)
        doubles = event.extra_double_counter_track_uuids or sequence.double_counter_tracks
        for uuid, double in zip(doubles, event.extra_double_counter_values, strict=False):
            yield from self._sample(uuid, double, time_ns, sequence)

    def _sample(self, uuid: int, value: float, time_ns: int, sequence: Sequence) -> Iterator[Event]:
        counter = self._tracks.counter(uuid)
        if counter is None or value - value != 0:
            self._count("counters_without_track" if counter is None else "counters_without_value")
            return
        if counter.is_incremental:
            value = sequence.values[uuid] = sequence.values.get(uuid, 0) + value
        value *= counter.multiplier
        if value - value != 0:
            self._count("counters_without_value")
            return
        place = self._tracks.place(uuid)
        series = counter.unit or "value"
        yield {
            "ph": "C",
            "name": place.name,
            "pid": place.pid,
            "ts": time_ns,
            "args": {series: value},
        }

    def _place(self, event: Any, legacy: Any, sequence: Sequence) -> TrackPlace:
        if legacy is not None and (legacy.pid_override or legacy.tid_override):
            pid, tid = sequence.thread or (0, 0)
            return TrackPlace(legacy.pid_override or pid, legacy.tid_override or tid)
        if not event.HasField("track_uuid") and sequence.track is None and sequence.thread is not None:
            return TrackPlace(*sequence.thread)
        return self._tracks.place(self._uuid(event, sequence))

    @staticmethod
    def _uuid(event: Any, sequence: Sequence) -> int:
        return int(event.track_uuid if event.HasField("track_uuid") else sequence.track or 0)

    @staticmethod
    def _name(event: Any, legacy: Any, sequence: Sequence) -> str | None:
        if event.HasField("name"):
            return text(event.name)
        number = event.name_iid or (legacy.name_iid if legacy is not None else 0)
        if not number:
            return None
        return sequence.name("event_names", number) or f"name {number}"

    @staticmethod
    def _category(event: Any, sequence: Sequence) -> str:
        interned = (sequence.name("event_categories", number) for number in event.category_iids[:_MOST_CATEGORIES])
        return ",".join([*(name for name in interned if name), *map(text, event.categories)])

    def _count(self, reason: str) -> None:
        self._ignored[reason] = self._ignored.get(reason, 0) + 1


def _stack(event: Any, sequence: Sequence) -> list[str]:
    """Functions of a call stack, the outermost first."""
    if event.HasField("callstack"):
        return [text(frame.function_name) for frame in event.callstack.frames[:_MOST_FRAMES]]
    if not event.callstack_iid:
        return []
    frames = sequence.callstacks.get(event.callstack_iid, [])[:_MOST_FRAMES]
    return [sequence.name("function_names", sequence.frames.get(frame, 0)) or "[unknown]" for frame in frames]


def _add_legacy(shown: dict[str, object], legacy: Any, phase: str) -> None:
    if phase == "X":
        shown["dur"] = legacy.duration_us * _MICROSECOND_NS
    if phase in _ASYNC or phase == "f":
        for kind, key in (("unscoped_id", "id"), ("local_id", "local"), ("global_id", "global")):
            if legacy.HasField(kind):
                number = str(getattr(legacy, kind))
                scoped = f"{text(legacy.id_scope)}:{number}" if legacy.id_scope else number
                shown |= {"id": scoped} if key == "id" else {"id2": {key: scoped}}
    if phase == "f" and legacy.bind_to_enclosing:
        shown["bp"] = "e"
    if phase in ("i", "I") and legacy.instant_event_scope in (1, 2):
        shown["s"] = "gp"[legacy.instant_event_scope - 1]
