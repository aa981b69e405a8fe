"""The steps of a run: when each of them is on each device and host, and how long they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from tilescope.tiler.count_text import plural
from tilescope.tiler.errors import UsageError
from tilescope.tiler.facts.launches import LaunchedSteps, launched_steps
from tilescope.tiler.facts.step_times import device_durations
from tilescope.tiler.facts.step_traces import is_first_cut
from tilescope.tiler.query import EVENT_KINDS, Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps, StepSeries
from tilescope.tiler.records.steps import StepSource
from tilescope.tiler.resolver import TickRange
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table
from tilescope.tiler.tools.border_notes import border_notes
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.findings import Opening
from tilescope.tiler.tools.host_nouns import host_noun
from tilescope.tiler.tools.lacking_steps import first_names, lacking_notes
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.question_windows import QuestionWindows, StepWindows, names_of, overlaps
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.step_doubt_notes import step_doubt_notes
from tilescope.tiler.tools.step_range import StepRange
from tilescope.tiler.tools.steps.differences import ALL_OTHERS, differences_table, other_steps
from tilescope.tiler.tools.steps.durations import FIRST_STEP, DeviceSteps, RunStepTable, percentile, spread
from tilescope.tiler.tools.steps.reasons import reasons
from tilescope.tiler.tools.tool import Tool

Ints = NDArray[np.int64]

MAX_ROWS: Final = 65_536
DEFAULT_ROWS: Final = 1000
MAX_TRACK_WINDOWS: Final = 200_000
MAX_DIFFERENCES: Final = 1000
PERCENTILES: Final = (50, 90, 99)


class StepsQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Steps that lie in a span at least in part, on the devices and hosts of some tracks."""

    limit: Annotated[int, Meta(ge=0, le=MAX_ROWS, description="The most steps that are listed.")] = DEFAULT_ROWS
    per_track: Annotated[
        bool, Meta(description="Also the windows of each track: what questions about these steps look at.")
    ] = False
    compare_step: Annotated[
        Annotated[str, Meta(pattern=r"^[0-9]{1,18}$")] | None,
        Meta(
            description="A step to compare with another one, by its number: what takes longer in it is listed by name. "
            "Unless given, the one that is asked about, if against_step is."
        ),
    ] = None
    against_step: Annotated[
        Annotated[str, Meta(pattern=r"^(others|[0-9]{1,18})$")] | None,
        Meta(
            description="The step that it is compared with, by its number; others, or none: the mean of all others but "
            "the first recorded."
        ),
    ] = None


def _answer(scope: Scope, question: StepsQuestion) -> Interruptible[Answer]:
    steps = yield from scope.steps(question.step_name)
    leaves = scope.leaves(question.tracks)
    span, within = scope.span(question), scope.run_span(question)
    whole = StepRange.from_bounds(int(steps.numbers[0]), int(steps.numbers[-1]))
    if question.steps is not None:
        scope.notes += StepWindows(steps, question.steps, span, within).notes
    launched = yield from launched_steps(scope.reader, steps)
    series = steps.counted
    if question.tracks is not None:
        used = [track_series for track in leaves if (track_series := steps.of_track(track)) is not None]
        series = list({id(track_series): track_series for track_series in used}.values())
    series = _by_launches(scope.reader, launched, series)
    devices = []
    for number, device_series in enumerate(series):
        is_cut = any(device_series is other for other in launched.series.values())
        is_cut |= yield from is_first_cut(scope.reader, device_series)
        rows = device_series.rows
        clock = (yield from device_durations(scope.reader, rows.track, rows.ordinal)) // scope.reader.tick_ps
        devices.append(DeviceSteps.from_series(number, device_series, question.steps, span, clock, is_first_cut=is_cut))
        yield
    table = RunStepTable.from_devices(devices)
    listed = table.first(question.limit)
    yield
    by_device = DeviceSteps.join([device.take(device.is_in(listed)) for device in devices]).in_order()
    tables = [_steps_table(steps, series, listed), _series_table(steps, series)]
    tables.append(_devices_table(steps, series, by_device.first(MAX_ROWS)))
    if question.per_track:
        tracks = scope.leaves(question.tracks, EVENT_KINDS)
        tables.append(_tracks_table(tracks, StepWindows(steps, question.steps or whole, span, within, launched)))
    if question.compare_step is not None or question.against_step is not None:
        tables.insert(0, (yield from _differences(scope, question, steps, launched, leaves, span)))
    # Findings about steps that have no name in the trace are asked for by their numbers.
    about = question if question.step_name is None else msgspec.structs.replace(question, steps=question.steps or whole)
    cause = (yield from reasons(scope, about, table)) if question.limit else Opening(None, [])
    notes = [*cause.notes, *_notes(steps, series), *border_notes(series, listed.number)]
    notes += yield from step_doubt_notes(scope.reader)
    if len(listed) < len(table) or len(by_device) > MAX_ROWS:
        notes.append(Note("info", "not all steps are listed: ask for those you want with steps"))
    return Answer(
        _facts(steps, series, table, sum(map(bool, map(len, devices)))),
        tables,
        _charts(listed),
        notes,
        headline=cause.headline,
    )


def _differences(
    scope: Scope,
    question: StepsQuestion,
    steps: RunSteps,
    launched: LaunchedSteps,
    leaves: Sequence[int],
    span: TickRange,
) -> Interruptible[Table]:
    """A step beside others. Raises UsageError where it is not one, or is compared with itself."""
    wanted, against = question.steps, question.against_step or ALL_OTHERS
    if question.compare_step is not None:
        step = int(question.compare_step)
    elif wanted is not None and wanted.first == wanted.last:
        step = wanted.first
    else:
        raise UsageError("against_step compares one step: name it, as in compare_step=9")
    if against != ALL_OTHERS and int(against) == step:
        raise UsageError(f"step {step} is compared with itself: name another one, or others")
    others = other_steps(steps, step, against)
    if not others:
        raise UsageError("there are no other steps to compare with")
    tracks = [track for track in leaves if scope.is_done(track)]
    return (
        yield from differences_table(
            scope, steps, launched, tracks, span, step, others, min(question.limit, MAX_DIFFERENCES)
        )
    )


def _by_launches(reader: QueryReader, launched: LaunchedSteps, series: Sequence[StepSeries]) -> list[StepSeries]:
    """The series, with those by launches in place of what else their files mark."""
    files = [reader.file_of(device_series.tracks[0]) if device_series.tracks else -1 for device_series in series]
    timed = [launched.series.get(file, device_series) for file, device_series in zip(files, series, strict=True)]
    return list({id(device_series): device_series for device_series in timed}.values())


def _facts(steps: RunSteps, series: Sequence[StepSeries], table: RunStepTable, devices: int) -> list[Fact]:
    """Facts about the steps; so many `devices` have some of them."""
    first, last = (int(table.number.min()), int(table.number.max())) if len(table) else (None, None)
    in_means = table.in_means(devices)
    durations = spread(table.longest, in_means)
    mean_note = "of a step's duration on the device that takes longest"
    enters = table.in_mean > 0
    if enters.any() and not enters.all():
        mean_note += f", {FIRST_STEP}"
    if in_means.sum() < enters.sum():
        mean_note += f", of the {plural(int(in_means.sum()), 'step', 'steps')} that all devices have"
    deviation_note = "needs two steps" if durations.deviation is None else "standard deviation"
    facts = [
        Fact("count", "Steps", len(table), "count"),
        Fact("mean", "Mean", durations.mean, "ticks", mean_note),
        Fact("min", "Shortest", durations.least, "ticks"),
        Fact("max", "Longest", durations.greatest, "ticks"),
        Fact("deviation", "Deviation", durations.deviation, "ticks", deviation_note),
        *(Fact(f"p{p}", f"p{p}", percentile(table.longest, in_means, p), "ticks", mean_note) for p in PERCENTILES),
        Fact("devices", "Devices", steps.device_count(series), "count", "that mark steps; hosts where no device does"),
        Fact("first", "First", first, "count", "the least number"),
        Fact("last", "Last", last, "count", "the greatest number"),
    ]
    passes = int(table.pass_.max()) + 1 if len(table) else 0
    if passes > 1:
        facts.append(Fact("passes", "Passes", passes, "count", "numbers begin anew so often, less one"))
    return [*facts, Fact("source", "Source", _source_text(steps, series), "text")]


def _source_text(steps: RunSteps, series: Sequence[StepSeries]) -> str:
    by_text: dict[str, list[StepSeries]] = {}
    for device_series in series:
        by_text.setdefault(steps.source_text(device_series), []).append(device_series)
    return "; ".join(f"{text} of {names_of(steps, same_source)}" for text, same_source in by_text.items())


def _steps_table(steps: RunSteps, series: Sequence[StepSeries], listed: RunStepTable) -> Table:
    slowest = [series[number] for number in listed.slowest.tolist()]
    names = [
        steps.name_of(device_series, number)
        for device_series, number in zip(slowest, listed.number.tolist(), strict=True)
    ]
    columns = [
        Column("step", "Step", "count", listed.number),
        Column("pass", "Pass", "count", listed.pass_ + 1),
        Column("name", "Name", "name", names),
        Column("start", "Start", "time", listed.start),
        Column("end", "End", "time", listed.stop),
        Column("duration", "Longest", "ticks", listed.longest),
        Column("shortest", "Shortest", "ticks", listed.shortest),
        Column("devices", "Devices", "count", listed.devices),
        Column("slowest", "Slowest", "name", [steps.process_name(device_series) for device_series in slowest]),
        _host_column([steps.host_name(device_series) for device_series in slowest]),
        Column("event", "Event", "event", _events(listed.track, listed.ordinal)),
    ]
    return Table("steps", "Steps", columns)


def _charts(listed: RunStepTable) -> list[Series]:
    """The durations of steps; none of a run whose numbers begin anew: a number is several steps."""
    if len(listed) and int(listed.pass_.max()):
        return []
    x = Column("step", "Step", "count", listed.number)
    title = "Longest" if listed.devices.max(initial=0) > 1 else "Duration"
    return [Series("durations", "How long steps take", "bars", x, [Column("duration", title, "ticks", listed.longest)])]


def _host_column(names: Sequence[str]) -> Column:
    return Column("host", host_noun(names).capitalize(), "name", names)


def _devices_table(steps: RunSteps, series: Sequence[StepSeries], rows: DeviceSteps) -> Table:
    columns = [
        Column("step", "Step", "count", rows.number),
        Column("pass", "Pass", "count", rows.pass_ + 1),
        Column("series", "Series", "id", rows.series),
        Column("device", "Device", "name", [steps.process_name(series[number]) for number in rows.series.tolist()]),
        _host_column([steps.host_name(series[number]) for number in rows.series.tolist()]),
        Column("start", "Start", "time", rows.start),
        Column("end", "End", "time", rows.stop),
        Column("duration", "Duration", "ticks", rows.duration),
        Column("open", "Open", "flag", rows.is_open > 0),
        Column("event", "Event", "event", _events(rows.track, rows.ordinal)),
    ]
    return Table("devices", "Steps by device", columns)


def _series_table(steps: RunSteps, series: Sequence[StepSeries]) -> Table:
    """All there are, those first that are counted."""
    listed = {device_series.tracks for device_series in series}
    rows = [*series, *(device_series for device_series in steps.series if device_series.tracks not in listed)]
    columns = [
        Column("series", "Series", "id", list(range(len(rows)))),
        Column("device", "Device", "name", [steps.process_name(device_series) for device_series in rows]),
        _host_column([steps.host_name(device_series) for device_series in rows]),
        Column("source", "Source", "text", [steps.source_text(device_series) for device_series in rows]),
        Column("count", "Steps", "count", [len(device_series.rows) for device_series in rows]),
        Column("first", "First", "count", [int(device_series.numbers[0]) for device_series in rows]),
        Column("last", "Last", "count", [int(device_series.numbers[-1]) for device_series in rows]),
        Column("counted", "Counted", "flag", [number < len(series) for number in range(len(rows))]),
    ]
    return Table("series", "Devices and hosts that mark steps", columns)


def _tracks_table(tracks: Sequence[int], question_windows: QuestionWindows) -> Table:
    columns: dict[str, list[int]] = {"track": [], "start": [], "end": []}
    for track in tracks:
        windows = question_windows.on_track(track)
        columns["track"] += [track] * len(windows)
        columns["start"] += windows.starts.tolist()
        columns["end"] += windows.stops.tolist()
        if len(columns["track"]) > MAX_TRACK_WINDOWS:
            raise UsageError(f"these are more than {MAX_TRACK_WINDOWS:,} windows: ask for fewer steps or tracks")
    kinds = {"track": Column("track", "Track", "track", np.array(columns["track"], np.int64))}
    kinds |= {name: Column(name, name.title(), "time", np.array(columns[name], np.int64)) for name in ("start", "end")}
    return Table("tracks", "Windows by track", list(kinds.values()))


def _lacking_notes(steps: RunSteps, series: Sequence[StepSeries]) -> list[Note]:
    """A note on the steps that some devices lack, of those with numbers: counted ones begin at 0 on each."""
    series = [device_series for device_series in series if device_series.source is not StepSource.STEPS_LINE_IN_ORDER]
    all_numbers = np.unique(np.concatenate([np.zeros(0, np.int64), *(rows.numbers for rows in series)]))
    hosts = [steps.host_name(device_series) for device_series in series]
    names = [steps.process_name(device_series) for device_series in series]
    if len(set(hosts)) > 1:
        names = [f"{host} · {name}" for host, name in zip(hosts, names, strict=True)]
    lacking = [np.setdiff1d(all_numbers, device_series.numbers).tolist() for device_series in series]
    return lacking_notes(lacking, names, hosts)


def _notes(steps: RunSteps, series: Sequence[StepSeries]) -> list[Note]:
    notes = _lacking_notes(steps, series)
    if hosts := steps.in_two_series(series):
        text = (
            f"{first_names(hosts)}: the steps of a device are two series: those of its step trace are at other times "
            "than those of the same numbers beside its operators"
        )
        notes.append(Note("info", text))
    gaps = [
        device_series
        for device_series in series
        if len(device_series.numbers) < int(device_series.numbers[-1] - device_series.numbers[0]) + 1
    ]
    if gaps:
        notes.append(Note("info", f"numbers are missing on {names_of(steps, gaps)}"))
    again = [device_series for device_series in series if int(device_series.rows.pass_.max(initial=0))]
    if again:
        notes.append(Note("warning", f"numbers begin anew on {names_of(steps, again)}"))
    over = [device_series for device_series in series if overlaps(device_series, None)]
    if over:
        notes.append(Note("info", f"steps overlap on {names_of(steps, over)}"))
    for device_series in series:
        for row in np.flatnonzero(device_series.rows.is_open)[:1].tolist():
            rows = device_series.rows
            text = f"step {rows.number[row]} of {names_of(steps, [device_series])} has no end in the trace"
            notes.append(Note("warning", text, int(rows.start[row]), int(rows.stop[row]), _track(int(rows.track[row]))))
    for device_series in steps.unused[:1]:
        left = len(steps.unused) - 1
        more = f", and {plural(left, 'more sort', 'more sorts')}" if left else ""
        text = (
            f"not used: {steps.source_text(device_series)} of {names_of(steps, [device_series])}{more}; "
            "step_name would use them"
        )
        notes.append(Note("info", text))
    return notes


def _track(track: int) -> int | None:
    return None if track < 0 else track


def _events(track: Ints, ordinal: Ints) -> list[str | None]:
    pairs = zip(track.tolist(), ordinal.tolist(), strict=True)
    return [None if track_id < 0 else f"{track_id}.{number}" for track_id, number in pairs]


def _sentence(answer: Answer, tick_ps: int) -> str:
    """Durations of steps, where no finding is about them."""
    figures = Figures(answer, tick_ps)
    if not figures.count("count") or not figures.text("min"):
        return "No step lies in this range"
    device = " on the device that takes longest" if (figures.count("devices") or 0) > 1 else ""
    mean = f"A step takes {figures.text('mean')} on average{device}: the" if figures.text("mean") else "The"
    steps = plural(figures.count("count"), "step", "steps")
    return f"{mean} shortest of {steps} takes {figures.text('min')}, the longest {figures.text('max')}"


TOOL: Final = Tool(
    id="steps",
    title="Steps",
    help="when each step is on each device and host, and how long it takes",
    group="time",
    question=StepsQuestion,
    answer=_answer,
    sentence=_sentence,
    contract=Contract(lists={"steps": "count"}),
)
