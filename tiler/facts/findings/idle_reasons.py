"""Idle time of devices by reason, in any windows, for those who look at it without steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from tilescope.tiler.facts import Device
from tilescope.tiler.facts.findings.blame import IdleBlame
from tilescope.tiler.facts.findings.device_times import times_of_devices
from tilescope.tiler.facts.findings.finding import Spot
from tilescope.tiler.facts.findings.frames import NO_STEP, Frames
from tilescope.tiler.facts.findings.host_threads import HostThreads, host_threads_of
from tilescope.tiler.facts.findings.idle_causes import Wait, idle_causes
from tilescope.tiler.facts.findings.where import SEPARATOR, culprit_parts, culprit_spot
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.windows import Windows, windows_digest

WAIT_TITLES: Final[Mapping[Wait, str]] = {
    Wait.INPUT: "the next batch",
    Wait.SYNC: "the host, which waited for the device",
    Wait.ALLOCATION: "device memory, allocated or freed",
    Wait.COMPILATION: "compilation",
    Wait.PAUSE: "something else on the host: a checkpoint, garbage collection",
    Wait.COLLECTIVE: "communication on threads of the host",
    Wait.LAUNCH: "the host, which prepares and launches work",
    Wait.OUTPUT: "the host, which takes results",
    Wait.TO_HOST: "the host, which waited for a copy",
    Wait.QUEUED: "the device itself: the work was launched before",
}


@dataclass(frozen=True, slots=True)
class IdleReason:
    """Idle time of devices for one reason, in ticks; `where` is the culprit of most of it, "" unknown."""

    wait: Wait
    ticks: int
    where: str
    spot: Spot | None


_REASONS: Final = KeyedRunCache[bytes, Sequence[IdleReason]]("idle_reasons", "Idle time of devices by reason")


def idle_reasons(reader: QueryReader, devices: Sequence[tuple[Device, Windows]]) -> Interruptible[Sequence[IdleReason]]:
    """Idle time of devices in windows of each, the most first: it adds up to all of it. Raises DamagedStore."""
    windows_of = {device.tracks[0].track: windows for device, windows in devices}
    key = windows_digest(list(windows_of), windows_of.__getitem__)
    reasons = _REASONS.get(reader, key)
    return _REASONS.keep(reader, key, (yield from _find(reader, devices))) if reasons is None else reasons


def _find(reader: QueryReader, devices: Sequence[tuple[Device, Windows]]) -> Interruptible[Sequence[IdleReason]]:
    ticks = dict.fromkeys(Wait, 0)
    blame = {wait: IdleBlame() for wait in Wait}
    by_file: dict[int, HostThreads] = {}
    tracks = frozenset[int]().union(*(device.track_ids for device, _ in devices))
    looked_at = [windows for _, windows in devices if len(windows)]
    if not looked_at:
        return []
    span = Windows.single(min(windows.start for windows in looked_at), max(windows.stop for windows in looked_at))
    # A device is idle where none of its own tracks works: what goes on beside them, asynchronously, does not count.
    working = [replace(device, beside=()) for device, windows in devices if len(windows)]
    none = [np.full(len(windows), NO_STEP) for windows in looked_at]
    frames = [Frames(row, row, part.starts, part.stops) for row, part in zip(none, looked_at, strict=True)]
    for time in times_of_devices(reader, working, frames):
        if time is None:
            yield
            continue
        file = reader.file_of(time.device.tracks[0].track)
        if file not in by_file:
            by_file[file] = yield from host_threads_of(reader, reader.steps, file, tracks, span)
        causes = yield from idle_causes(reader, time, by_file[file])
        for wait in Wait:
            ticks[wait] += int(causes.ticks[wait].sum())
            blame[wait].join(causes.blame[wait])
    rows = [_reason(reader, wait, ticks[wait], blame[wait]) for wait in Wait if ticks[wait]]
    return sorted(rows, key=lambda row: -row.ticks)


def _reason(reader: QueryReader, wait: Wait, ticks: int, blame: IdleBlame) -> IdleReason:
    culprit = blame.greatest
    if culprit is None:
        return IdleReason(wait, ticks, "", None)
    where = SEPARATOR.join(culprit_parts(reader, blame))
    return IdleReason(wait, ticks, where, culprit_spot(reader, blame, culprit))
