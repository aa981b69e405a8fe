"""Findings of a run: all causes looked at, each with what steps would be shorter by without it, the greatest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.facts import Device, devices_of
from tilescope.tiler.facts.findings.amount_of_work import has_more_work
from tilescope.tiler.facts.findings.blame import IdleBlame
from tilescope.tiler.facts.findings.busy_names import busiest_name
from tilescope.tiler.facts.findings.candidates import (
    CauseTime,
    affected,
    candidates,
    communication,
    late_devices,
    straggler,
)
from tilescope.tiler.facts.findings.device_events import busiest_track, longest_event
from tilescope.tiler.facts.findings.device_time import DeviceTime, TimePart
from tilescope.tiler.facts.findings.device_times import times_of_devices
from tilescope.tiler.facts.findings.finding import Cause, Finding, Lead, Spot
from tilescope.tiler.facts.findings.frames import Frames, WarmUp, common_frames, frames_of
from tilescope.tiler.facts.findings.host_kinds import HostKind
from tilescope.tiler.facts.findings.host_only import host_only
from tilescope.tiler.facts.findings.host_steps import host_steps
from tilescope.tiler.facts.findings.host_threads import HostThreads, host_threads_of
from tilescope.tiler.facts.findings.host_time import open_slices
from tilescope.tiler.facts.findings.idle_causes import Wait, idle_causes
from tilescope.tiler.facts.findings.input_stages import stages, waits_for_others
from tilescope.tiler.facts.findings.leads import infeed_leads, late_leads, operation_leads
from tilescope.tiler.facts.findings.losses import DeviceGroup, group_of
from tilescope.tiler.facts.findings.named_operation import named_operation_text
from tilescope.tiler.facts.findings.participants import are_all_recorded
from tilescope.tiler.facts.findings.passing import are_passing
from tilescope.tiler.facts.findings.roofs import Roofs, SlowOperation, roofs_of
from tilescope.tiler.facts.findings.sentences import (
    NO_HOST,
    SLOW_ALL_OVER,
    Loss,
    finding_sentence,
    healthy_sentence,
    idle_devices_sentence,
    no_work_sentence,
    slow_detail,
)
from tilescope.tiler.facts.findings.traced_waits import traced_wait
from tilescope.tiler.facts.findings.waiting_groups import waiting_groups
from tilescope.tiler.facts.findings.where import (
    SEPARATOR,
    culprit_parts,
    culprit_spot,
    device_names,
    short,
)
from tilescope.tiler.facts.findings.working_devices import cut_devices, working_devices
from tilescope.tiler.facts.operations.operation_table import OpTable
from tilescope.tiler.facts.operations.rates import Peaks
from tilescope.tiler.facts.operators_end import operators_end
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.windows import Windows

Ints = NDArray[np.int64]

# What costs less of a step is not worth a word.
LEAST_SHARE: Final = 0.03

# Part of a loss that a stage of input takes at least, if it is to blame.
_STAGE: Final = 0.3

# Part of a pause that is in one place at least, if that is to blame alone: a step may be longer all over.
_IN_ONE_PLACE: Final = 0.3

# Parts of a device's time of which an operation is named, the longest.
_OF_OPERATIONS: Final = (TimePart.COMMUNICATION, TimePart.TO_DEVICE, TimePart.TO_HOST, TimePart.COPY)

# Causes that the host of a device has.
_HOST_CAUSES: Final = frozenset(
    {
        *(Cause.INPUT, Cause.LAUNCH, Cause.TINY_KERNELS, Cause.SYNC, Cause.RECOMPILATION, Cause.HOST_PAUSE),
        *(Cause.ALLOCATOR, Cause.OUTPUT),
    }
)


@dataclass(frozen=True, slots=True)
class RunFindings:
    """Findings, the greatest loss first; at least one where a run has devices that work. Times in ticks.

    `step`: the mean time of a step, or of the span where `steps` is 0. `warm_up`: the first recorded step, if it is
    left out. `behind`: steps behind the last recorded operator, which are left out.
    """

    rows: Sequence[Finding]
    step: int
    steps: int
    warm_up: WarmUp | None
    behind: int = 0


NO_PEAKS: Final = Peaks()

NO_FINDINGS: Final = RunFindings((), 0, 0, None)


def findings_of(
    reader: QueryReader,
    steps: RunSteps,
    devices: Sequence[Device],
    span: TickRange,
    numbers: tuple[int, int] | None = None,
    *,
    device_count: int = 0,
    operations: OpTable | None = None,
    peaks: Peaks = NO_PEAKS,
) -> Interruptible[RunFindings]:
    """Findings about some devices in a span, and in steps of these numbers. `device_count`: with those that are idle.

    `operations` of these devices there, and the peaks of one of them. Raises DamagedStore, NotBuilt.
    """
    frames: list[tuple[Device, Frames]] = []
    is_behind = False
    for device in devices:
        device_frames = yield from frames_of(reader, steps, device, span, numbers)
        if len(device_frames):
            frames.append((device, device_frames))
        else:
            is_behind |= bool(device_frames.behind) or span.start >= (yield from operators_end(reader, device))
    if not frames and (is_behind or cut_devices(reader, devices)):
        return NO_FINDINGS
    if not frames and devices:
        return RunFindings([_no_work()], 0, 0, None)
    run_devices = yield from devices_of(reader)
    if not frames:
        host = yield from host_only(reader, steps, span, has_devices=bool(run_devices))
        return NO_FINDINGS if host is None else RunFindings([host], 0, 0, None)
    lanes: list[DeviceTime] = []
    causes = []
    threads: list[HostThreads] = []
    by_file: dict[int, HostThreads] = {}
    device_tracks = frozenset[int]().union(*(device.track_ids for device in devices))
    all_common = common_frames([part for _, part in frames])
    whole = Windows.single(
        min(int(common.begin[0]) for common in all_common), max(int(common.end[-1]) for common in all_common)
    )
    for lane in times_of_devices(reader, [device for device, _ in frames], all_common):
        if lane is None:
            yield
            continue
        if not lane.works:  # it is idle, or only copied to
            continue
        file = reader.file_of(lane.device.tracks[0].track)
        if file not in by_file:
            by_file[file] = yield from host_threads_of(reader, steps, file, device_tracks, whole)
        causes.append((yield from idle_causes(reader, lane, by_file[file])))
        threads.append(by_file[file])
        lanes.append(lane.without_idle())
    if not lanes:
        return NO_FINDINGS if cut_devices(reader, devices) else RunFindings([_no_work()], 0, 0, all_common[0].warm_up)
    waiting = yield from waiting_groups(reader, [lane.device for lane in lanes])
    group = group_of(lanes, causes, waiting)
    are_all = len(lanes) > 1 and len(devices) == len(run_devices) and bool(group.communication.any())
    if are_all:
        are_all = yield from are_all_recorded(reader, run_devices, operations)
    are_alike = lanes[0].frames.are_steps or not any(part.are_steps for _, part in frames)
    finder = _Finder(reader, steps, group, threads, operations, peaks, are_all=are_all, are_alike=are_alike)
    working = yield from working_devices(reader, devices, lanes)
    cut = cut_devices(reader, devices) - {device.group for device in working}
    return (yield from finder.findings(working, max(device_count, len(devices)) - len(cut)))


def _no_work() -> Finding:
    return Finding(Cause.NONE, "", (), 0, 0.0, no_work_sentence(), None)


class _Finder:
    """The findings of one group of devices.

    `are_all`: they are several that communicate, with no other as far as is known; `are_alike`: their frames are of
    the same steps.
    """

    def __init__(
        self,
        reader: QueryReader,
        steps: RunSteps,
        group: DeviceGroup,
        threads: Sequence[HostThreads],
        operations: OpTable | None,
        peaks: Peaks,
        *,
        are_all: bool,
        are_alike: bool,
    ) -> None:
        self._reader = reader
        self._steps = steps
        self._are_all = are_all
        self._are_alike = are_alike
        self._operations = operations
        self._peaks = peaks
        self._group = group
        self._lanes = group.lanes
        self._behind = max((lane.frames.behind for lane in group.lanes), default=0)
        self._threads = threads
        self._frames = group.lanes[0].frames
        self._step = max(round(group.mean_step), 1)
        self._late = late_devices(group)

    def findings(self, working: Sequence[Device], device_count: int) -> Interruptible[RunFindings]:
        """All that cost enough; one of a healthy run where none does. `device_count`: with those that do not work."""
        reader, group = self._reader, self._group
        enqueued = np.stack(list(map(self._enqueued, self._lanes, self._threads)))
        causes = list(candidates(group, enqueued))
        shared = communication(group, is_passing=(yield from are_passing(reader, self._lanes)))
        if shared.cause is not Cause.PIPELINE_BUBBLE:
            causes += yield from self._late_candidates()
        if self._are_all:
            causes.append(shared)
        rows: list[Finding] = []
        for candidate in self._worth_a_word(causes):
            row = yield from self._finding(candidate)
            is_of_host = candidate.cause in (Cause.LAUNCH, Cause.HOST_PAUSE)
            is_known = not is_of_host or any(threads.tracks for threads in self._threads)
            rows += [row] if is_known else (yield from self._without_host(candidate, row))
        roofs = Roofs(None, 0.0)
        if self._operations is not None:
            roofs = yield from roofs_of(reader, self._operations, self._peaks, self._step)
        yield
        rows += [self._slow_operation(slow) for slow in roofs.slow if slow.loss >= LEAST_SHARE * self._step]
        rows.sort(key=lambda row: -row.loss)
        if not self._are_all and shared.loss >= LEAST_SHARE * self._step:
            place = sum(row.loss > shared.loss for row in rows)
            rows[place:place] = yield from self._unclear(shared)
        if device_count > len(working):
            idle = self._idle_devices(working, device_count)
            # Of the time of all devices, the causes take that of those at work alone.
            place = sum(row.loss * len(working) > idle.loss * device_count for row in rows)
            rows.insert(place, idle)
        rows = rows or [self._healthy(roofs)]
        steps = len(self._frames) if self._frames.are_steps else 0
        return RunFindings(rows, self._step, steps, self._warm_up(), self._behind)

    def _worth_a_word(self, causes: Sequence[CauseTime]) -> list[CauseTime]:
        """Causes that cost enough, and that would if the first were mended: it hides what is shorter."""
        least = LEAST_SHARE * self._step
        seen = sorted((cause for cause in causes if cause.loss >= least), key=lambda cause: -cause.loss)
        if not seen:
            return []
        rest = self._group.without(seen[0].amount)
        hidden = [
            replace(cause, losses=rest.losses(cause.amount), is_hidden=True) for cause in causes if cause not in seen
        ]
        return [*seen, *(cause for cause in hidden if cause.loss >= least)]

    def _warm_up(self) -> WarmUp | None:
        """The first recorded step where it took longest."""
        parts = [lane.frames.warm_up for lane in self._lanes if lane.frames.warm_up is not None]
        return max(parts, key=lambda part: part.ticks, default=None)

    def _unclear(self, shared: CauseTime) -> Interruptible[list[Finding]]:
        """Communication of some devices, and what it may be: that of all alike, or waiting for one that is late."""
        collective = yield from self._finding(replace(shared, cause=Cause.COLLECTIVE))
        unclear = yield from self._finding(replace(shared, cause=Cause.UNCLEAR))
        late = replace(collective, cause=Cause.STRAGGLER, where="another device, which is not among these")
        sentence = f"{collective.where}: it may wait for another device; record all, and look at them as one run"
        return [unclear, collective, replace(late, sentence=sentence)]

    def _without_host(self, candidate: CauseTime, row: Finding) -> Interruptible[list[Finding]]:
        """Idle time before work without its host, and what it may be: not late data where a step trace has no waits."""
        wait = yield from traced_wait(self._reader, self._steps, self._lanes)
        of_each = float(candidate.losses[affected(candidate.losses)].mean())
        unclear, fed, launched = (
            self._row(cause, row.where, row.steps, candidate.loss, of_each, row.place, "", reason)
            for cause, reason in ((Cause.UNCLEAR, NO_HOST), (Cause.INPUT, ""), (candidate.cause, ""))
        )
        may_be = "it may be so: record the host's threads with the devices"
        may = (fed, launched) if wait is None or wait >= LEAST_SHARE * self._step else (launched,)
        return [unclear, *(replace(part, sentence=f"{part.sentence}; {may_be}") for part in may)]

    def _idle_devices(self, working: Sequence[Device], device_count: int) -> Finding:
        names = [device.name for device in working]
        share = 1 - len(names) / device_count
        track = busiest_track(self._reader, self._lanes[0].device)
        place = Spot(track, int(self._frames.begin[0]), int(self._frames.end[0]))
        sentence = idle_devices_sentence(names, device_count)
        return Finding(Cause.IDLE_DEVICES, ", ".join(names), (), round(share * self._step), share, sentence, place)

    def _enqueued(self, lane: DeviceTime, threads: HostThreads) -> Ints:
        """Ticks of infeed of each frame in which the host moves data that is ready."""
        infeed = lane.spans[TimePart.INFEED]
        rest = infeed.without(threads.any_time(HostKind.ENQUEUE))
        return lane.frames.ticks_in(infeed) - lane.frames.ticks_in(rest)

    @property
    def _wait_for_each_other(self) -> bool:
        """True if the devices communicate, or one program launches their work."""
        files = {self._reader.file_of(lane.device.tracks[0].track) for lane in self._lanes}
        return bool(self._group.communication.any()) or len(files) == 1

    def _late_candidates(self) -> Interruptible[list[CauseTime]]:
        """Devices that compute longer than the others."""
        late = self._late
        if late is None or not (self._are_alike and self._wait_for_each_other):
            return []
        if late.excess.max(axis=0).mean() < LEAST_SHARE * self._step:
            return []
        means = self._group.computation.mean(axis=1)
        waiting = self._group.waiting
        others = [place for place in late.others if waiting[place] == waiting[late.places[0]]]
        other = sorted(others, key=lambda place: float(means[place]))[(len(others) - 1) // 2]
        is_uneven = yield from has_more_work(self._reader, self._lanes[late.places[0]], self._lanes[other])
        return [straggler(self._group, late, is_uneven=is_uneven)]

    def _finding(self, candidate: CauseTime) -> Interruptible[Finding]:
        are_affected = affected(candidate.losses)
        frames = self._frames
        is_host = candidate.cause in _HOST_CAUSES
        places = candidate.devices
        if candidate.cause in (Cause.STRAGGLER, Cause.UNEVEN_WORK) and self._late is not None:
            places = self._late.places
        names = device_names(self._reader, self._lanes, places, of_host=is_host)
        parts, place = yield from self._culprit(candidate, places[0])
        numbers: tuple[int, ...] = ()
        if frames.are_steps and not are_affected.all():
            numbers = yield from self._numbers(candidate, places[0], are_affected)
        if place is not None and frames.are_steps:
            place = _with_steps(place, self._lanes[places[0]].frames, has_good=bool(numbers))
        where = SEPARATOR.join(part for part in (names, *parts) if part)
        detail = self._detail(candidate) or self._about_operation(candidate, parts)
        of_each = float(candidate.losses[are_affected].mean())
        is_slow = self._is_slow_all_over(candidate, places[0])
        reason = SLOW_ALL_OVER if is_slow else ""
        row = self._row(candidate.cause, where, numbers, candidate.loss, of_each, place, detail, reason)
        return replace(row, leads=tuple(self._leads(candidate, places)), is_slow_all_over=is_slow)

    def _leads(self, candidate: CauseTime, places: Sequence[int]) -> list[Lead]:
        """Ways on from a cause that some devices have."""
        first = places[0]
        leads = []
        if candidate.part is TimePart.INFEED:
            leads += infeed_leads(self._reader, self._lanes[first], self._threads[first])
        if len(places) < len(self._lanes):
            leads += late_leads(self._reader, self._group, places, candidate.part, LEAST_SHARE * self._step)
        return leads

    def _blame(self, candidate: CauseTime, place: int) -> IdleBlame:
        """The culprits of the idle time that a cause has on a device."""
        if candidate.wait is None:
            return IdleBlame()
        blame = self._group.causes[place].blame[candidate.wait]
        if candidate.cause is not Cause.HOST_PAUSE or candidate.wait is not Wait.LAUNCH:
            return blame
        if not self._is_slow_all_over(candidate, place):
            return blame.only_longest()
        step, frames = int(np.argmax(candidate.losses)), self._lanes[place].frames
        return blame.within(int(frames.begin[step]), int(frames.end[step])) or blame.only_longest()

    def _is_slow_all_over(self, candidate: CauseTime, place: int) -> bool:
        """True of a pause that is in no one place: the host does what it does in each step, and takes longer."""
        if candidate.cause is not Cause.HOST_PAUSE or candidate.wait is not Wait.LAUNCH:
            return False
        most = self._group.causes[place].blame[candidate.wait].most
        return bool(most) and max(most.values()) < _IN_ONE_PLACE * int(candidate.losses.max())

    def _numbers(
        self, candidate: CauseTime, place: int, are_affected: NDArray[np.bool_]
    ) -> Interruptible[tuple[int, ...]]:
        """The steps that have a cause: those of the host, where it is to blame, and those of devices."""
        frames = self._lanes[place].frames.take(are_affected)
        culprit = self._blame(candidate, place).greatest
        if culprit is None or candidate.cause not in _HOST_CAUSES:
            return tuple(frames.number.tolist())
        return (yield from host_steps(self._reader, self._steps, self._threads[place], culprit, frames))

    def _row(
        self,
        cause: Cause,
        where: str,
        numbers: tuple[int, ...],
        loss: float,
        of_each: float,
        place: Spot | None,
        detail: str,
        reason: str = "",
    ) -> Finding:
        """A finding with its sentence. `of_each`: ticks that are lost in each of its steps."""
        tick_ps, share = self._reader.tick_ps, min(loss / self._step, 1.0)  # a step is rounded to whole ticks
        times = Loss(
            _rounded(loss, tick_ps),
            _rounded(self._step, tick_ps),
            share,
            numbers,
            _rounded(of_each, tick_ps),
            self._frames.are_steps,
            alone=int(self._frames.number[0]) if self._behind and len(self._frames) == 1 else None,
        )
        sentence = finding_sentence(cause, where, times, detail, reason)
        return Finding(cause, where, numbers, round(loss), share, sentence, place)

    def _culprit(self, candidate: CauseTime, place: int) -> Interruptible[tuple[list[str], Spot | None]]:
        """The names of the culprit on a device or its host, and where it can be seen."""
        lane, threads = self._lanes[place], self._threads[place]
        blame = self._blame(candidate, place)
        if candidate.cause is Cause.INPUT:
            culprit = blame.greatest
            if culprit is None or waits_for_others(self._reader.names[culprit.leaf].text):
                frame = int(np.argmax(candidate.losses))
                windows = Windows.single(int(lane.frames.begin[frame]), int(lane.frames.end[frame]))
                prepared = yield from stages(self._reader, threads, HostKind.INPUT, windows)
                if prepared.ticks and max(prepared.ticks.values()) >= _STAGE * candidate.losses[frame]:
                    blame = prepared
        is_on_host = candidate.cause is not Cause.COPY_TO_HOST or candidate.part is None
        if candidate.cause is Cause.OUTPUT:
            blame = yield from stages(self._reader, threads, HostKind.OUTPUT, lane.spans[TimePart.OUTFEED])
        if candidate.cause in (Cause.COPY_TO_HOST, Cause.OUTPUT):
            event = longest_event(self._reader, lane, candidate.part)
            if event is not None:
                return [event[0], *culprit_parts(self._reader, blame)], event[1]
        culprit = blame.greatest
        if culprit is not None and is_on_host:
            spot = culprit_spot(self._reader, blame, culprit)
            if candidate.wait is Wait.COLLECTIVE:
                names = open_slices(self._reader, culprit.track, (spot.start + spot.stop) // 2).name[-1:].tolist()
                texts = [short(self._reader.names[name].text) for name in names]
                return [*texts, self._reader.tree.tracks[culprit.track].name], spot
            return culprit_parts(self._reader, blame), spot
        if candidate.part is not None and candidate.part is not TimePart.COMPUTATION:
            event = longest_event(self._reader, lane, candidate.part)
            return ([], None) if event is None else ([event[0]], event[1])
        frame = int(np.argmax(candidate.losses))
        track = busiest_track(self._reader, lane.device)
        return [], Spot(track, int(lane.frames.begin[frame]), int(lane.frames.end[frame]))

    def _detail(self, candidate: CauseTime) -> str:
        """Figures of the others, which tell how it is known."""
        group = self._group
        if candidate.cause in (Cause.STRAGGLER, Cause.UNEVEN_WORK) and self._late is not None:
            means = group.computation.mean(axis=1)
            late = _rounded(float(means[self._late.places].mean()), self._reader.tick_ps)
            others = _rounded(float(np.median(means[self._late.others])), self._reader.tick_ps)
            verb = "it computes" if len(self._late.places) == 1 else "they compute"
            hidden = ", seen when what stands first is mended" if candidate.is_hidden else ""
            return f"{verb} {late} a step, the others {others}{hidden}"
        if candidate.is_hidden:
            return "seen when what stands first is mended"
        if candidate.cause is Cause.INPUT and 1 < len(group.lanes) != len(candidate.devices):
            return "the others wait for it in communication"
        return ""

    def _about_operation(self, candidate: CauseTime, parts: Sequence[str]) -> str:
        """Words about the operation that is named first, if one is: places on the host follow it."""
        if candidate.part not in _OF_OPERATIONS or self._operations is None or not parts:
            return ""
        return named_operation_text(self._reader, self._operations, candidate.part, parts[0])

    def _slow_operation(self, slow: SlowOperation) -> Finding:
        metadata = slow.operation.metadata
        parts = [metadata.name, metadata.provenance]
        where = SEPARATOR.join(dict.fromkeys(part for part in parts if part))
        place = Spot(slow.operation.track, int(self._frames.begin[0]), int(self._frames.end[0]))
        row = self._row(slow.cause, where, (), slow.loss, slow.loss, place, slow_detail(slow))
        return replace(row, leads=tuple(operation_leads(slow, self._peaks.device)))

    def _healthy(self, roofs: Roofs) -> Finding:
        group = self._group
        total = float(group.time.sum())
        computing = float(group.computation.sum()) / total if total else 0.0
        idle = float(sum(lane.idle_ticks.sum() for lane in self._lanes)) / total if total else 0.0
        operation = roofs.greatest
        if operation is not None and operation.metadata.name:
            parts = [operation.metadata.name, operation.metadata.provenance]
            name, share = SEPARATOR.join(dict.fromkeys(part for part in parts if part)), roofs.share
        else:
            name, share = busiest_name(self._reader, self._lanes)
        track = busiest_track(self._reader, self._lanes[0].device)
        place = Spot(track, int(self._frames.begin[0]), int(self._frames.end[0]))
        return Finding(Cause.NONE, name, (), 0, 0.0, healthy_sentence(computing, name, share, idle), place)


def _with_steps(spot: Spot, frames: Frames, *, has_good: bool) -> Spot:
    """The step around a stretch, with the one before it where that is a good one to compare with."""
    frame = int(np.clip(np.searchsorted(frames.end, (spot.start + spot.stop) // 2), 0, len(frames) - 1))
    first = max(frame - 1, 0) if has_good else frame
    start, stop = min(spot.start, int(frames.begin[first])), max(spot.stop, int(frames.end[frame]))
    return replace(spot, start=start, stop=stop)


def _rounded(ticks: float, tick_ps: int) -> str:
    """A duration with three digits."""
    whole = round(ticks)
    digits = max(len(str(abs(whole))) - 3, 0)
    return duration_text(round(whole, -digits), tick_ps)
