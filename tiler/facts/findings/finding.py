"""A finding: a cause that costs time, where, in which steps, and how much."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Cause(StrEnum):
    """The closed list of causes."""

    INPUT = "input"
    LAUNCH = "launch"
    SYNC = "sync"
    COLLECTIVE = "collective"
    STRAGGLER = "straggler"
    UNEVEN_WORK = "uneven_work"
    COPY_TO_DEVICE = "copy_h2d"
    COPY_TO_HOST = "copy_d2h"
    COPY = "copy"
    RECOMPILATION = "recompile"
    HOST_PAUSE = "host_pause"
    ALLOCATOR = "allocator"
    INEFFICIENT_OP = "inefficient_op"
    PADDING = "padding"
    MEMORY_BOUND = "memory_bound"
    TINY_KERNELS = "tiny_kernels"
    PIPELINE_BUBBLE = "pipeline_bubble"
    IDLE_DEVICES = "idle_devices"
    HOST_ONLY = "host_only"
    OUTPUT = "output"
    UNCLEAR = "unclear"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Spot:
    """A stretch of the timeline that shows a cause, on the track of the culprit, in ticks; `ordinal` of its event."""

    track: int
    start: int
    stop: int
    ordinal: int | None = None

    @property
    def event(self) -> str | None:
        """The event as answers have it, `track.ordinal`; None where no single one shows the cause."""
        return None if self.ordinal is None else f"{self.track}.{self.ordinal}"


@dataclass(frozen=True, slots=True)
class Lead:
    """A way on from a finding, in a sentence, with the place in the timeline, if it leads to one."""

    text: str
    place: Spot | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A cause. `steps`: the numbers of those that it makes longer; none: all, or a span without steps.

    Where a host is to blame, `steps` are its own, in which that begins: devices may lose the time behind these.
    `loss`: ticks by which the mean step, or the span, would be shorter without it; `share` of the mean step.
    """

    cause: Cause
    where: str
    steps: tuple[int, ...]
    loss: int
    share: float
    sentence: str
    place: Spot | None
    leads: tuple[Lead, ...] = ()
    is_slow_all_over: bool = False  # a host that does nothing else in these steps, and takes longer
