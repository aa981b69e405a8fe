"""Communication and copies of devices hidden behind computation: device by device, and step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

import numpy as np
from msgspec import Meta

from tilescope.tiler.device_lines import is_ascend_device
from tilescope.tiler.facts import NO_DEVICE_TRACKS, NO_DEVICES, Device, devices_of
from tilescope.tiler.facts.device_parts import DeviceParts, Parts, parts_of
from tilescope.tiler.facts.launches import NO_LAUNCHED_STEPS, launched_steps
from tilescope.tiler.facts.operators_end import BEHIND_OPERATORS, recorded_range
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.query import Interruptible
from tilescope.tiler.query.run_steps import RunSteps, StepRows, StepSeries
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table, Value
from tilescope.tiler.tools.contract import AddedRows, Contract
from tilescope.tiler.tools.findings import behind_notes, operator_limits
from tilescope.tiler.tools.launch_notes import launch_notes
from tilescope.tiler.tools.like_hta import NOTE as HTA_NOTE
from tilescope.tiler.tools.like_hta import LikeHta, breakdown_table, hta_devices
from tilescope.tiler.tools.overlap.host_communication import host_communication, host_fact
from tilescope.tiler.tools.overlap.kinds_at_once import LABELS, steps_table
from tilescope.tiler.tools.overlap.kinds_at_once import devices_table as kinds_table
from tilescope.tiler.tools.overlap.lanes import LANES
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.question_windows import recorded_span
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool
from tilescope.tiler.tools.work_notes import work_notes
from tilescope.tiler.windows import Windows

MAX_STEPS: Final = 65_536
DEFAULT_STEPS: Final = 200

_TITLES: Final = {
    "span": "Span",
    "busy": "Busy",
    "idle": "Idle",
    "computation": "Computation",
    "communication": "Communication",
    "exposed_communication": "Exposed communication",
    "copies": "Copies",
    "exposed_copies": "Exposed copies",
}
_HELP: Final = {
    "busy": "when anything runs, asynchronous copies included",
    "exposed_communication": "while no computation runs",
    "exposed_copies": "while neither computation nor communication runs",
}
_FACTS: Final = {
    "span": "Span",
    "busy": "Busy",
    "computation": "Computation",
    "exposed_communication": "Exposed comm.",
    "exposed_copies": "Exposed copies",
    "idle": "Idle",
}


class OverlapQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Devices in a span or in steps: those that have one of the tracks."""

    each_device: Annotated[bool, Meta(description="Steps device by device, beside those of all together.")] = False
    like_hta: LikeHta = False
    limit: Annotated[int, Meta(ge=0, le=MAX_STEPS, description="The most steps that are listed.")] = DEFAULT_STEPS


def _answer(scope: Scope, question: OverlapQuestion) -> Interruptible[Answer]:
    question_windows = yield from scope.windows(question)
    tracks = frozenset(scope.leaves(question.tracks))
    steps = yield from _steps(scope, question)
    launched = NO_LAUNCHED_STEPS if steps is None else (yield from launched_steps(scope.reader, steps))
    device_parts: list[DeviceParts] = []
    behind, is_cut = 0, False
    devices = yield from devices_of(scope.reader)
    for device in devices:
        if device.track_ids & tracks and all(scope.is_done(track) for track in sorted(device.track_ids)):
            first = device.tracks[0].track
            series = None if steps is None else steps.of_track(first)
            times = launched.times.get(device.group)
            rows = (None if series is None else series.rows) if times is None else times
            windows = question_windows.on_device(device)
            within = yield from recorded_range(scope.reader, device, question_windows.within)
            if within != question_windows.within:
                is_cut = True
                if rows is not None:
                    is_recorded = rows.stop <= within.stop
                    behind = max(behind, _count_in(windows, rows.take(~is_recorded)))
                    rows = rows.take(is_recorded)
            device_parts.append(
                (
                    yield from parts_of(
                        scope.reader,
                        device,
                        windows,
                        rows,
                        within,
                        first_launch=question_windows.first_launch(device),
                        step_launch=int(times.start[0]) if times is not None and len(times) else None,
                        whole_steps=times is None and _marks_its_steps(scope, device, series),
                    )
                )
            )
    total = sum((device_part.parts for device_part in device_parts), Parts())
    unknown = BEHIND_OPERATORS if is_cut and not total.span else _unknown(device_parts, len(devices))
    tables = [_devices_table(device_parts, total)]
    series_of_steps = []
    by_step = _by_step(device_parts)
    if steps is not None:
        tables.append(_steps_table(by_step, question.limit))
        series_of_steps.append(_steps_series(by_step, question.limit))
        if question.each_device:
            tables.append(steps_table(device_parts, question.limit))
    tables.append(kinds_table(device_parts))
    if question.like_hta:
        tables.append((yield from breakdown_table(scope, (yield from hta_devices(scope)))))
    on_hosts = yield from host_communication(scope, question_windows, device_parts)
    notes = [*(yield from launch_notes(scope.reader))]
    notes += yield from operator_limits(scope, question)
    notes += behind_notes(behind)
    notes += [HTA_NOTE] if question.like_hta else []
    notes += yield from work_notes(
        scope.reader, [device_part.device for device_part in device_parts], question_windows.on_track
    )
    facts = [*_facts(device_parts, total, unknown, is_cut=is_cut), *host_fact(on_hosts)]
    return Answer(facts, tables, series_of_steps, notes, headline=_headline(total, on_hosts, unknown))


def _steps(scope: Scope, question: OverlapQuestion) -> Interruptible[RunSteps | None]:
    """The steps of the run; None if it marks none."""
    if question.step_name is None and not scope.reader.steps.series:
        return None
    return (yield from scope.steps(question.step_name))


def _marks_its_steps(scope: Scope, device: Device, series: StepSeries | None) -> bool:
    """True for an Ascend device whose profiler wrote when its steps begin and end on the device."""
    is_ascend = is_ascend_device(scope.reader.tree.groups[device.group].name)
    return is_ascend and series is not None and series.process == device.group


def _unknown(device_parts: Sequence[DeviceParts], devices: int) -> str:
    """The reason for which there are no figures; empty if there are."""
    if device_parts:
        return ""
    return NO_DEVICE_TRACKS if devices else NO_DEVICES


def _count_in(windows: Windows, rows: StepRows) -> int:
    """The number of steps that have a tick in some windows."""
    return int(np.count_nonzero(windows.ticks_before(rows.stop) - windows.ticks_before(rows.start)))


def _facts(device_parts: Sequence[DeviceParts], total: Parts, unknown: str, *, is_cut: bool) -> list[Fact]:
    words = {**_HELP, "span": f"{recorded_span(is_cut=is_cut)}, in this range"}
    facts = [Fact("devices", "Devices", len(device_parts), "count")]
    for name, label in _FACTS.items():
        value = None if unknown else getattr(total, name)
        facts.append(Fact(name, label, value, "ticks", unknown or words.get(name, "")))
    note = unknown or ("of the communication" if total.communication else "there is no communication on devices")
    return [*facts, Fact("overlap", "Comm. hidden", total.overlap, "fraction", note)]


def _headline(total: Parts, on_hosts: int, unknown: str) -> Note:
    """The answer in words."""
    if unknown:
        return Note("warning", unknown)
    if not total.span:
        return Note("info", "The devices do no work in this range.")
    parts = {
        "compute": total.computation,
        "wait for communication": total.exposed_communication,
        "wait for copies": total.exposed_copies,
        "are idle": total.idle,
    }
    shares = [f"{what} {percent_text(share / total.span)}" for what, share in parts.items() if share]
    text = f"Of their time the devices {' and '.join(filter(None, (', '.join(shares[:-1]), shares[-1])))}."
    if on_hosts:
        text += f" For {percent_text(on_hosts / total.span)} of their time they idle while their hosts communicate."
    if total.overlap is not None:
        text += f" Computation hides {percent_text(total.overlap)} of the communication."
    return Note("info", text)


def _figures(parts: Sequence[Parts]) -> list[Column]:
    columns = [Column(name, title, "ticks", [getattr(part, name) for part in parts]) for name, title in _TITLES.items()]
    return [*columns, Column("overlap", "Hidden", "fraction", [part.overlap for part in parts], total="max")]


def _totals(total: Parts) -> Mapping[str, Value]:
    sums: dict[str, Value] = {name: getattr(total, name) for name in _TITLES}
    return {**sums, "overlap": total.overlap}


def _devices_table(device_parts: Sequence[DeviceParts], total: Parts) -> Table:
    columns = [
        Column("device", "Device", "name", [device_part.device.name for device_part in device_parts]),
        *_figures([device_part.parts for device_part in device_parts]),
        Column("track", "Track", "track", [device_part.device.tracks[0].track for device_part in device_parts]),
        Column("start", "Start", "time", [device_part.start for device_part in device_parts], total="min"),
        Column("end", "End", "time", [device_part.stop for device_part in device_parts], total="max"),
    ]
    return Table("devices", "By device", columns, totals=_totals(total))


class _Step:
    """A step over all devices."""

    def __init__(self) -> None:
        self.devices = 0
        self.start = self.stop = 0
        self.parts = Parts()

    def add(self, start: int, stop: int, parts: Parts) -> None:
        self.start = min(self.start, start) if self.devices else start
        self.stop = max(self.stop, stop)
        self.devices += 1
        self.parts += parts


def _by_step(device_parts: Sequence[DeviceParts]) -> dict[tuple[int, int], _Step]:
    """By pass and number, those that have a tick in what is looked at."""
    steps: dict[tuple[int, int], _Step] = {}
    for device_part in device_parts:
        if device_part.rows is None:
            continue
        indices = np.flatnonzero(device_part.steps[0])
        rows = device_part.rows.take(indices)
        columns = [column[indices].tolist() for column in device_part.steps]
        times = zip(rows.pass_.tolist(), rows.number.tolist(), rows.start.tolist(), rows.stop.tolist(), strict=True)
        for (pass_, number, start, stop), figures in zip(times, zip(*columns, strict=True), strict=True):
            step = steps.setdefault((pass_, number), _Step())
            step.add(start, stop, Parts(*figures))
    return dict(sorted(steps.items()))


def _steps_table(by_step: Mapping[tuple[int, int], _Step], limit: int) -> Table:
    listed = dict(list(by_step.items())[:limit])
    steps = list(listed.values())
    columns = [
        Column("step", "Step", "count", [number for _, number in listed]),
        Column("pass", "Pass", "count", [pass_ + 1 for pass_, _ in listed]),
        *_figures([step.parts for step in steps]),
        Column("devices", "Devices", "count", [step.devices for step in steps]),
        Column("start", "Start", "time", [step.start for step in steps]),
        Column("end", "End", "time", [step.stop for step in steps]),
    ]
    total = sum((step.parts for step in by_step.values()), Parts())
    rest = None
    if len(listed) < len(by_step):
        left = total - sum((step.parts for step in steps), Parts())
        rest = _totals(left)
    return Table("steps", "By step, all devices together", columns, totals=_totals(total), rest=rest)


def _steps_series(by_step: Mapping[tuple[int, int], _Step], limit: int) -> Series:
    listed = list(by_step.items())[:limit]
    names = ("computation", "exposed_communication", "exposed_copies", "idle")
    return Series(
        "steps",
        "What steps are made of, all devices together",
        "area",
        Column("step", "Step", "count", [number for (_, number), _ in listed]),
        [Column(name, _TITLES[name], "ticks", [getattr(step.parts, name) for _, step in listed]) for name in names],
    )


TOOL: Final = Tool(
    id="overlap",
    title="Overlap",
    help="how much of computing, communication and copies hide each other",
    group="waiting",
    question=OverlapQuestion,
    answer=_answer,
    contract=Contract(
        added=("span", "busy", "idle", "computation", "exposed_communication", "exposed_copies"),
        rows=(
            AddedRows("devices", ("track",), ("span", "busy", "computation", "communication", "copies")),
            AddedRows("at_once", ("track",), ("span", *LABELS)),
        ),
        parts={
            "span": ("busy", "idle"),
            "busy": ("computation", "exposed_communication", "exposed_copies"),
            "computation": ("devices.computation",),
        },
        lists={"devices": "devices"},
    ),
    lanes=LANES,
)
