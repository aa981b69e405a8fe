"""Progress of a run of shards: one bar over all tasks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from msgspec import Struct

from tilescope.tiler.shards.session import Pulse
from tilescope.tiler.shards.task import Work


class ShardProgress(Struct, frozen=True):
    """A moment of a run of shards."""

    work: Work
    fraction: float  # of this work on all shards, 0 to 1, by the bytes of their files
    events: int  # read so far, as far as workers say
    tasks_done: int
    tasks: int


ShardCallback = Callable[[ShardProgress], None]
"""May raise Cancelled, or whatever else stops the command."""


def progress_of(
    work: Work, size_by_task: Mapping[str, int], reported: Collection[str], pulses: Mapping[str, Pulse]
) -> ShardProgress:
    """The progress of tasks, of which these have a report; pulses are of those that have begun."""
    total, done, events = 0, 0.0, 0
    for task, size_bytes in size_by_task.items():
        weight = max(1, size_bytes)
        pulse = pulses.get(task)
        total += weight
        events += 0 if pulse is None else max(0, pulse.events)
        if task in reported:
            done += weight
        elif pulse is not None:
            done += weight * min(1.0, max(0.0, pulse.fraction))
    return ShardProgress(work, done / max(1, total), events, len(reported), len(size_by_task))
