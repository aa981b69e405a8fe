"""State of one sequence of packets, which its writer sends piece by piece, and begins anew where it says so."""

from __future__ import annotations

from typing import Any, Final

from msgspec import Struct, field

NEEDS_STATE: Final = 2
STATE_CLEARED: Final = 1
LONGEST_TEXT: Final = 65_536  # bytes; nobody reads more of a name

_NAMES: Final = ("event_categories", "event_names", "debug_annotation_names", "gpu_specifications")
_STRINGS: Final = ("debug_annotation_string_values", "function_names")


class Sequence(Struct):
    """Interned texts by their numbers, defaults, and sums of what is written as differences."""

    is_valid: bool = False  # whether nothing was lost since its state was begun
    texts: dict[str, dict[int, str]] = field(default_factory=dict)
    frames: dict[int, int] = field(default_factory=dict)  # number of a function's name
    callstacks: dict[int, list[int]] = field(default_factory=dict)
    counters: dict[int, dict[int, str]] = field(default_factory=dict)  # names of GPU counters
    clock: int = 0
    track: int | None = None
    counter_tracks: list[int] = field(default_factory=list)
    double_counter_tracks: list[int] = field(default_factory=list)
    thread: tuple[int, int] | None = None  # pid and tid of the older descriptor
    time_us: int = 0  # of events that say differences
    values: dict[int, float] = field(default_factory=dict)  # of counters that say differences

    def clear(self) -> None:
        """Begins anew."""
        fresh = Sequence(is_valid=True)
        for name in self.__struct_fields__:
            setattr(self, name, getattr(fresh, name))

    def take_defaults(self, defaults: Any) -> None:
        """Takes the defaults of packets."""
        self.clock = defaults.timestamp_clock_id
        events = defaults.track_event_defaults
        self.track = events.track_uuid if events.HasField("track_uuid") else None
        self.counter_tracks = list(events.extra_counter_track_uuids)
        self.double_counter_tracks = list(events.extra_double_counter_track_uuids)

    def take_interned(self, data: Any) -> int:
        """Takes texts and stacks; returns the bytes of these."""
        size = 0
        for kind in _NAMES:
            for entry in getattr(data, kind):
                self.texts.setdefault(kind, {})[entry.iid] = text(entry.name)
                size += len(entry.name)
        for kind in _STRINGS:
            for entry in getattr(data, kind):
                self.texts.setdefault(kind, {})[entry.iid] = text(entry.str)
                size += len(entry.str)
        for frame in data.frames:
            self.frames[frame.iid] = frame.function_name_id
            size += 64
        for stack in data.callstacks:
            self.callstacks[stack.iid] = list(stack.frame_ids)
            size += 64 + 8 * len(stack.frame_ids)
        for entry in data.gpu_counter_descriptors:
            self.counters[entry.iid] = {spec.counter_id: text(spec.name) for spec in entry.counter_descriptor.specs}
        return size

    def name(self, kind: str, number: int) -> str | None:
        """An interned text; None for a number that was never said."""
        return self.texts.get(kind, {}).get(number)


def text(content: bytes) -> str:
    """A text of the schema, whatever its bytes are."""
    return content[:LONGEST_TEXT].decode("utf-8", "replace")
