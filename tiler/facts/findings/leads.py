"""Leads of findings: from an infeed to what fills it on the host, from a collective to the device that it waits for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tilescope.tiler.facts.findings.device_events import longest_event, work_at
from tilescope.tiler.facts.findings.device_time import DeviceTime, TimePart
from tilescope.tiler.facts.findings.finding import Cause, Lead, Spot
from tilescope.tiler.facts.findings.host_kinds import HostKind
from tilescope.tiler.facts.findings.host_threads import HostThreads
from tilescope.tiler.facts.findings.host_time import open_slices
from tilescope.tiler.facts.findings.losses import DeviceGroup
from tilescope.tiler.facts.findings.roofs import SlowOperation
from tilescope.tiler.facts.findings.where import short
from tilescope.tiler.facts.matrix_unit import is_product
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import QueryReader
from tilescope.tiler.records.device.xla_words import CUSTOM_CALL

# Cores of these have a matrix unit beside those for vectors and scalars.
_TPU: Final = "TPU"

# What is less of a value is not worth a word.
_LEAST_PADDING: Final = 0.1


def infeed_leads(reader: QueryReader, lane: DeviceTime, threads: HostThreads) -> list[Lead]:
    """From the longest infeed of a device to the event of its host that ends it; none where that was not recorded."""
    infeed = longest_event(reader, lane, TimePart.INFEED)
    if infeed is None:
        return []
    name, waiting = infeed
    text = f"{lane.device.name} waits for its batch in {name}: see input_pipeline for what the host does meanwhile"
    enqueue = _enqueue(reader, threads, waiting)
    if enqueue is None:
        return [Lead(text, waiting)]
    return [Lead(f"{text}, which ends with {enqueue[0]}", enqueue[1])]


def _enqueue(reader: QueryReader, threads: HostThreads, waiting: Spot) -> tuple[str, Spot] | None:
    """The last slice on a thread of the host that hands over a batch while an infeed waits."""
    last: tuple[int, int] | None = None
    for track, times in threads.times[HostKind.ENQUEUE].items():
        meanwhile = times.clipped(waiting.start, waiting.stop)
        if len(meanwhile) and (last is None or meanwhile.stop > last[0]):
            last = meanwhile.stop, track
    if last is None:
        return None
    tick, track = last
    events = open_slices(reader, track, tick - 1)
    events = events.take(threads.kinds[events.name + 1] == HostKind.ENQUEUE)
    if not len(events):
        return None
    start = int(events.start[0])
    spot = Spot(track, start, start + int(events.duration[0]), int(events.ordinal[0]))
    return short(reader.names[int(events.name[0])].text), spot


def late_leads(
    reader: QueryReader, group: DeviceGroup, late: Sequence[int], part: TimePart | None, least: float
) -> list[Lead]:
    """From the collective in which a device waits longest to what keeps the late one.

    `late`: places of the devices that others wait for, and the part of their time that makes them late, where that is
    not computation; none where nobody waits `least` ticks of a step.
    """
    waits = (group.communication - group.shortest).mean(axis=1)
    waits[group.waiting != group.waiting[late[0]]] = 0
    waits[list(late)] = 0
    waiter = int(np.argmax(waits))
    collective = longest_event(reader, group.lanes[waiter], TimePart.COMMUNICATION) if waits[waiter] >= least else None
    if collective is None:
        return []
    name, waiting = collective
    device = group.lanes[late[0]]
    text = f"In {name} {group.lanes[waiter].device.name} waits for {device.device.name}"
    work = longest_event(reader, device, part)
    if work is not None:
        return [Lead(f"{text}, which comes late from {work[0]}", work[1])]
    work = work_at(reader, device, (waiting.start + waiting.stop) // 2)
    if work is None:
        return [Lead(f"{text}, which is idle then", Spot(device.device.tracks[0].track, waiting.start, waiting.stop))]
    return [] if work[0] == name else [Lead(f"{text}, which is in {work[0]} then", work[1])]


def operation_leads(slow: SlowOperation, device: str) -> list[Lead]:
    """From an operation with few FLOPs to what makes it one. `device`: the kind of device, such as "TPU v6 Lite"."""
    if slow.cause is Cause.MEMORY_BOUND and slow.padding >= _LEAST_PADDING:
        return [Lead(f"{percent_text(slow.padding, 0)} of its value is padding, which is moved, too (see op_profile)")]
    metadata = slow.operation.metadata
    # A custom call is a kernel that may use any unit.
    is_vector = not is_product(slow.operation) and metadata.category != CUSTOM_CALL
    if slow.cause is not Cause.INEFFICIENT_OP or not device.startswith(_TPU) or not is_vector:
        return []
    text = (
        f"{metadata.name} runs on vector and scalar units: written as a convolution or matrix product, where it can be,"
    )
    return [Lead(f"{text} it runs on the matrix unit (see op_profile)")]
