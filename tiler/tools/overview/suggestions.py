"""Suggestions for a program: rules over the figures of an overview, each with its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from tilescope.tiler.facts.operations import Operation
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.tools.answer import Note

BARRIER_SHARE: Final = 0.10
SHUFFLE_SHARE: Final = 0.30
DEBUG_SHARE: Final = 0.05
SPARSE_SHARE: Final = 0.10
OFFLOAD_SHARE: Final = 0.10
OFFLOAD_MEMORY: Final = 0.50
BUSY_UNIT: Final = 0.70  # of a unit that limits a program
SLACK_UNIT: Final = 0.50  # of one that does not

# Where a core waits for a collective that goes on beside it.
ASYNC_DONE: Final = frozenset({"all-gather-done", "all-reduce-done", "collective-permute-done", "async-done"})
SHUFFLES: Final = frozenset(
    {
        *("broadcast", "concatenate", "data formatting", "dynamic-slice", "dynamic-update-slice", "gather", "pad"),
        *("reverse", "scatter", "select", "select-and-scatter", "shuffle", "slice", "sort"),
    }
)
# Whatever rules look at.
RULED: Final = ASYNC_DONE | SHUFFLES


@dataclass(frozen=True, slots=True)
class SeenAt:
    """Place in the timeline at which a figure can be seen."""

    track: int | None = None
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Shares that rules look at; None: not known. `sparse` and the two words are of the time of steps."""

    sparse: float | None = None
    barrier: float | None = None
    debug: float | None = None  # of the host that prints most
    mxu: float | None = None  # use of the matrix units, and of the memory's bandwidth
    hbm: float | None = None
    memory: float | None = None  # the most of the devices' memory that is in use
    span: int = 0  # of the devices, ps
    operations: Sequence[Operation] = ()  # of categories that rules are about
    places: dict[str, SeenAt] = field(default_factory=dict)  # by the name of a figure

    @property
    def waits_for_collectives(self) -> float:
        """The share of the time of devices in which they wait for asynchronous collectives."""
        waits = sum(operation.own for operation in self.operations if operation.metadata.category in ASYNC_DONE)
        return waits / self.span if self.span else 0.0

    @property
    def is_latency_bound(self) -> bool:
        """True if neither the matrix units nor the memory are used much."""
        return self.mxu is not None and self.hbm is not None and max(self.mxu, self.hbm) < SLACK_UNIT


def suggestions(evidence: Evidence) -> list[Note]:
    """Suggestions that follow from the figures, with them."""
    return [*_waits(evidence), *_operations(evidence), *_offload(evidence), *_bounds(evidence)]


def _note(evidence: Evidence, place: str, text: str) -> Note:
    seen = evidence.places.get(place, SeenAt())
    return Note("warning", text, seen.start, seen.end, seen.track)


def _waits(evidence: Evidence) -> Iterator[Note]:
    if evidence.barrier is not None and evidence.barrier >= BARRIER_SHARE:
        yield _note(
            evidence,
            "barrier",
            f"Cores wait for each other at barriers {percent(evidence.barrier)} of the time of steps: look for the one "
            "that comes last, and divide the work more evenly.",
        )
    if evidence.debug is not None and evidence.debug >= DEBUG_SHARE:
        yield _note(
            evidence,
            "debug",
            f"debug_print takes {percent(evidence.debug)} of the time of steps on one host: take it out of the "
            "program.",
        )
    if evidence.is_latency_bound and evidence.sparse is not None and evidence.sparse > SPARSE_SHARE:
        yield _note(
            evidence,
            "sparse",
            f"Cores wait for the sparse core {percent(evidence.sparse)} of the time of steps: make its tables smaller "
            "or spread them, or overlap it with the dense part.",
        )


def _operations(evidence: Evidence) -> Iterator[Note]:
    rules = (
        (
            SHUFFLES,
            SHUFFLE_SHARE,
            "Slices, gathers and pads",
            "choose layouts and shapes that need less of it",
        ),
    )
    for categories, least, what, advice in rules:
        operations = [
            operation
            for operation in evidence.operations
            if operation.metadata.category in categories and operation.own
        ]
        share = sum(operation.own for operation in operations) / evidence.span if evidence.span else 0.0
        if share < least:
            continue
        first = max(operations, key=lambda operation: operation.own)
        text = (
            f"{what}: {percent(share)} of the time of devices, {first.metadata.name} alone "
            f"{percent(first.own / evidence.span)}: {advice} (see hlo_stats)."
        )
        yield Note("warning", text, track=first.track)


def _offload(evidence: Evidence) -> Iterator[Note]:
    share = evidence.waits_for_collectives
    if share <= OFFLOAD_SHARE or evidence.memory is None or evidence.memory >= OFFLOAD_MEMORY:
        return
    first = max(
        (operation for operation in evidence.operations if operation.metadata.category in ASYNC_DONE),
        key=lambda operation: operation.own,
    )
    text = (
        f"Cores wait for asynchronous collectives {percent(share)} of their time, most in {first.metadata.name}, while "
        f"at most {percent(evidence.memory)} of their memory is in use: start them earlier, or let sparse cores do "
        "them."
    )
    yield Note("warning", text, track=first.track)


def _bounds(evidence: Evidence) -> Iterator[Note]:
    if evidence.mxu is None or evidence.hbm is None:
        return
    used = f"matrix units {percent(evidence.mxu)}, memory {percent(evidence.hbm)}"
    if evidence.mxu > BUSY_UNIT and evidence.hbm < SLACK_UNIT:
        yield Note("info", f"The program is bound by computation ({used}): fewer or cheaper FLOPs make it faster.")
    elif evidence.hbm > BUSY_UNIT and evidence.mxu < SLACK_UNIT:
        yield Note(
            "info",
            f"The program is bound by memory ({used}): fuse operations, keep data in smaller types, recompute less.",
        )


def percent(share: float | None) -> str:
    """As it is written in a sentence."""
    return "–" if share is None else percent_text(share)
