"""Steps of a saved page: what their time is made of, and the share for which they wait for input."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Final, Literal

from tilescope.tiler.facts.step_times import StepClass, StepPart
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.tools.answer import Column, Fact, Note, Series, Table, Value
from tilescope.tiler.tools.imported.json_values import number, ticks, whole
from tilescope.tiler.tools.imported.page_tables import PageTable, PageTables
from tilescope.tiler.tools.input_pipeline.device_tables import CLASS_TITLES, PART_TITLES

_NUMBER: Final = "stepnum"
_MS_PS: Final = 10**9
_NOT_SAID: Final = "the file does not say"

# Columns of the file in the order in which charts stack them: the ids that traces have for the same, and titles.
_COMPUTE: Final = (StepClass.DEVICE_COMPUTE.value, "Compute")
_INFEED: Final = (StepPart.INFEED.value, PART_TITLES[StepPart.INFEED])
_IDLE: Final = (StepPart.IDLE.value, PART_TITLES[StepPart.IDLE])
_TPU: Final[Mapping[str, tuple[str, str]]] = {
    "noninfeedTimeMs": _COMPUTE,
    "computeTimeMs": _COMPUTE,
    "tcComputeTimeMs": _COMPUTE,
    "scv0ComputeTimeMs": ("sparse_compute", "Sparse core compute"),
    "infeedTimeMs": _INFEED,
    "inputTimeMs": _INFEED,
    "tcInfeedTimeMs": _INFEED,
    "scv0InfeedTimeMs": (StepPart.SPARSE_INFEED.value, PART_TITLES[StepPart.SPARSE_INFEED]),
    "tcOutfeedTimeMs": (StepPart.OUTFEED.value, PART_TITLES[StepPart.OUTFEED]),
    "hostTransferTimeMs": ("host_transfer", "Host transfer"),
    "tcIdleTimeMs": _IDLE,
    "idleTimeMs": _IDLE,
}
_HOSTS: Final[Mapping[str, tuple[str, str]]] = {
    f"{name}TimeMs": (step_class.value, CLASS_TITLES[step_class])
    for name, step_class in {
        "deviceCompute": StepClass.DEVICE_COMPUTE,
        "deviceToDevice": StepClass.DEVICE_TO_DEVICE,
        "deviceCollectives": StepClass.DEVICE_COLLECTIVES,
        "hostCompute": StepClass.HOST_COMPUTE,
        "kernelLaunch": StepClass.KERNEL_LAUNCH,
        "infeed": StepClass.INPUT,
        "outfeed": StepClass.OUTPUT,
        "compile": StepClass.COMPILATION,
        "other": StepClass.OTHERS,
    }.items()
}
_INPUT: Final = frozenset({_INFEED[0], StepPart.SPARSE_INFEED.value, StepClass.INPUT.value})

# The text of a step has its time in microseconds: as far as parts may differ from it by rounding.
_STEP_TIME: Final = re.compile(r"(?:Step time = |, duration: )(\d{1,12}(?:\.\d{1,9})?) ms")
_STATED_SHARE: Final = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)% of the total step time sampled is waiting for input")
_CONCLUSIONS: Final = ("input_conclusion", "summary_conclusion", "statement")
_ROUNDING_MS: Final = 0.01


@dataclass(frozen=True, slots=True)
class PageSteps:
    """Steps in the order of the file; times in ms."""

    names: Sequence[str]
    durations: Sequence[float]
    parts: Mapping[str, tuple[str, Sequence[float | None]]]  # by id: title and times
    shares: Mapping[str, Sequence[float | None]]  # of waiting: over the cores
    is_of_hosts: bool
    is_uneven: bool  # parts of some step do not add up to it

    @property
    def input_share(self) -> float | None:
        """Waiting for input of the time of all steps; None: there are none."""
        all_steps = sum(self.durations)
        waits = [times for name, (_, times) in self.parts.items() if name in _INPUT]
        return sum(ms or 0.0 for times in waits for ms in times) / all_steps if waits and all_steps > 0 else None


def steps_of_page(page: PageTables) -> PageSteps:
    """The steps of the first table that has such; none where no table has."""
    table = page.with_column(_NUMBER)
    is_of_hosts = any(column.id in _HOSTS and column.id not in _TPU for column in table.columns)
    titles = _HOSTS if is_of_hosts else _TPU
    parts: dict[str, tuple[str, Sequence[float | None]]] = {}
    for name, (part, title) in titles.items():
        times = table.numbers(name)
        if times is not None:
            parts.setdefault(part, (title, times))
    sums = [sum(times[row] or 0.0 for _, times in parts.values()) for row in range(table.rows)]
    stated = _stated_durations(table)
    durations = [
        added if step is None or abs(step - added) <= _ROUNDING_MS else step
        for step, added in zip(stated, sums, strict=True)
    ]
    shares = {
        name: [None if value is None else value / 100 for value in values]
        for name, column in (("mean", "Average"), ("least", "Min"), ("most", "Max"))
        if (values := table.numbers(f"infeedPercent{column}")) is not None
    }
    is_uneven = any(abs(step - added) > _ROUNDING_MS for step, added in zip(durations, sums, strict=True))
    names = [name or "" for name in table.texts(_NUMBER)]
    return PageSteps(names, durations, parts, shares, is_of_hosts, is_uneven)


def step_table(steps: PageSteps, tick_ps: int, limit: int) -> Table:
    """A row for each step, in the columns that those of a trace have."""

    def times(name: str, title: str, values: Sequence[float | None]) -> Column:
        return Column(name, title, "ticks", _ticks(values[:limit], tick_ps))

    columns = [
        _step_column(steps, limit, "text"),
        times("duration", "Duration", steps.durations),
        *(times(name, title, values) for name, (title, values) in steps.parts.items()),
        *(
            Column(f"infeed_{key}", title, "fraction", list(steps.shares[name][:limit]), total="none")
            for name, key, title in (
                ("mean", "mean", "Infeed, mean"),
                ("least", "min", "Least"),
                ("most", "max", "Most"),
            )
            if name in steps.shares
        ),
    ]
    return Table("host_steps" if steps.is_of_hosts else "steps", "Steps", columns)


def parts_table(steps: PageSteps, tick_ps: int) -> Table:
    """A row for each part of steps, over all of them."""
    all_steps = sum(steps.durations)
    rows = [(title, [ms or 0.0 for ms in times]) for title, times in steps.parts.values()]
    columns = [
        Column("name", "Part", "name", [title for title, _ in rows]),
        Column("mean", "Mean", "ticks", _ticks([fmean(times) for _, times in rows], tick_ps)),
        Column(
            "share", "Of the step", "fraction", [sum(times) / all_steps if all_steps else None for _, times in rows]
        ),
        Column("min", "Least", "ticks", _ticks([min(times) for _, times in rows], tick_ps), total="none"),
        Column("max", "Most", "ticks", _ticks([max(times) for _, times in rows], tick_ps), total="none"),
    ]
    return Table("parts", "What steps spend their time on", columns)


def step_charts(steps: PageSteps, tick_ps: int, limit: int) -> list[Series]:
    """The parts of each step, stacked; and the share of waiting over the cores, where the file has it."""
    if not steps.names or not steps.parts:
        return []
    x = _step_column(steps, limit, "name")
    ys = [
        Column(name, title, "ticks", _ticks(times[:limit], tick_ps))
        for name, (title, times) in steps.parts.items()
        if any(times)
    ]
    charts = [Series("steps", "Time of each step", "area", x, ys)] if ys else []
    lines = [
        Column(name, title, "fraction", list(steps.shares[name][:limit]), total="none")
        for name, title in (
            ("most", "The core that waits most"),
            ("mean", "Mean of cores"),
            ("least", "The core that waits least"),
        )
        if name in steps.shares
    ]
    if lines:
        charts.append(Series("infeed", "Waiting for input, of the step time", "line", x, lines))
    return charts


def step_facts(page: PageTables, steps: PageSteps, tick_ps: int, prefix: str = "") -> list[Fact]:
    """Durations of steps as the file states them; of its steps themselves where these come to the same, in more digits.

    `prefix` is that of the ids.
    """
    durations = steps.durations
    named = (
        ("mean", "Mean step", "average", fmean(durations) if durations else None),
        ("deviation", "Deviation", "standard_deviation", stdev(durations) if len(durations) > 1 else None),
        ("min", "Shortest", "minimum", min(durations, default=None)),
        ("max", "Longest", "maximum", max(durations, default=None)),
    )
    stated = {name: page.words(f"steptime_ms_{word}") if durations else None for name, _, word, _ in named}
    is_same = all(_rounds_to(exact_ms, stated[name]) for name, _, _, exact_ms in named)
    facts = [Fact("steps", "Steps", len(durations), "count", "" if durations else "the file has no steps")]
    for name, title, _, exact_ms in named:
        n_ticks = ticks(exact_ms if is_same else number(stated[name]), _MS_PS, tick_ps)
        facts.append(Fact(f"{prefix}{name}", title, n_ticks, "ticks", "" if n_ticks is not None else _NOT_SAID))
    return facts


def _rounds_to(exact: float | None, stated: str | None) -> bool:
    """True if a figure has the digits that are stated, or none are."""
    if exact is None or stated is None:
        return True
    digits = len(stated.partition(".")[2])
    return digits < 10 and f"{exact:.{digits}f}" == stated


def input_share_fact(steps: PageSteps) -> Fact:
    """The share of the step time that waits for input."""
    share = steps.input_share
    return Fact(
        "input_share", "Waits for input", share, "fraction", _NOT_SAID if share is None else "of the steps in the file"
    )


def step_notes(page: PageTables, steps: PageSteps) -> list[Note]:
    """Notes where the file has two figures of one thing: shares of waiting, or steps and the sum of their parts."""
    notes: list[Note] = []
    share = steps.input_share
    matches = (_STATED_SHARE.search(page.words(name) or "") for name in _CONCLUSIONS)
    stated = next((match[1] for match in matches if match is not None), None)
    if share is not None and stated is not None and not _rounds_to(100 * share, stated):
        notes.append(Note("info", f"by the steps in the file {percent_text(share)} of their time is waiting for input"))
    if steps.is_uneven:
        notes.append(Note("info", "parts of steps do not add up to them in this file: both are as it has them"))
    return notes


def _step_column(steps: PageSteps, limit: int, kind_of_names: Literal["text", "name"]) -> Column:
    numbers = [whole(name) for name in steps.names[:limit]]
    if None in numbers:
        return Column("step", "Step", kind_of_names, list(steps.names[:limit]))
    return Column("step", "Step", "count", numbers, total="none")


def _stated_durations(table: PageTable) -> Sequence[float | None]:
    stated = table.numbers("stepTimeMs")
    if stated is not None:
        return stated
    matches = [_STEP_TIME.search(words or "") for words in table.texts("tooltip")]
    return [None if match is None else number(match[1]) for match in matches]


def _ticks(values: Sequence[float | None], tick_ps: int) -> list[Value]:
    return [ticks(value, _MS_PS, tick_ps) for value in values]
