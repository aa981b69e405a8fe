"""One event with all that is known of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from tilescope.client.kinds import EventKind


class Argument(NamedTuple):
    """An argument of an event: any JSON value; integers beyond 2**53 - 1 are decimal text, so that none is rounded."""

    name: str
    value: Any


@dataclass(frozen=True, slots=True)
class CallStack:
    """A call stack that an argument refers to."""

    argument: str  # sf: where the event begins; esf: where it ends
    frames: tuple[str, ...]  # names, the outermost frame first


@dataclass(frozen=True, slots=True)
class FlowPartner:
    """The slice at the other end of a flow."""

    track: int
    ordinal: int
    name: str
    start: int
    derived: bool  # no flow of the file leads there: both slices have the same correlation


@dataclass(frozen=True, slots=True)
class Event:
    """An event. Times are ticks. `dict(event.args)` has the arguments by name, the last where a name is repeated."""

    track: int
    ordinal: int
    kind: EventKind
    name: str
    category: str
    start: int
    duration: int
    row: int  # nesting depth, 0 is the top
    flags: tuple[str, ...]  # open, renamed, aggregated, clamped, no_duration
    value: float | None  # of counter samples
    args: tuple[Argument, ...]  # in the order of the file
    flows_in: tuple[FlowPartner, ...]  # from which flows arrive; at most 100
    flows_in_count: int | None  # all of them; None while the run is indexed
    flows_out: tuple[FlowPartner, ...]
    flows_out_count: int | None
    stacks: tuple[CallStack, ...]

    @classmethod
    def from_json(cls, event: Mapping[str, Any]) -> Event:
        """From the JSON of docs/api.md."""
        flows = event["flows"] or {"in": (), "in_count": None, "out": (), "out_count": None}
        return cls(
            event["track"],
            int(event["ordinal"]),
            event["kind"],
            event["name"],
            event["category"],
            int(event["start"]),
            int(event["duration"]),
            event["row"],
            tuple(event["flags"]),
            event["value"],
            tuple(Argument(arg["name"], arg["value"]) for arg in event["args"]),
            tuple(map(_partner, flows["in"])),
            _count(flows["in_count"]),
            tuple(map(_partner, flows["out"])),
            _count(flows["out_count"]),
            tuple(CallStack(stack["argument"], tuple(stack["frames"])) for stack in event["stacks"]),
        )

    of = from_json  # its name in version 0.2.0


def _count(text: str | None) -> int | None:
    return None if text is None else int(text)


def _partner(partner: Mapping[str, Any]) -> FlowPartner:
    place = partner["track"], int(partner["ordinal"])
    return FlowPartner(*place, partner["name"], int(partner["start"]), partner["derived"])
