"""Figures of the input pipeline: waiting for input, by step, and the parts of providing it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from statistics import mean
from typing import Any

from bench.xprof_compare import expected
from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure, Printed, Reason, rows
from bench.xprof_compare.steps import DROPPED, LATE, LAUNCHED, LONGEST, of_gpus, step_figure

TOOL = "input_pipeline"
PEER = ("input_pipeline_analyzer",)

_PS_OF_MS = 1e9
_OF_TPUS = {
    "compute": "tcComputeTimeMs",
    "infeed": "tcInfeedTimeMs",
    "sparse_infeed": "scv0InfeedTimeMs",
    "outfeed": "tcOutfeedTimeMs",
    "host_transfer": "hostTransferTimeMs",
    "idle": "tcIdleTimeMs",
}
_OF_HOSTS = {
    "device_compute": "deviceComputeTimeMs",
    "device_to_device": "deviceToDeviceTimeMs",
    "device_collectives": "deviceCollectivesTimeMs",
    "host_compute": "hostComputeTimeMs",
    "kernel_launch": "kernelLaunchTimeMs",
    "input": "infeedTimeMs",
    "output": "outfeedTimeMs",
    "compilation": "compileTimeMs",
    "others": "otherTimeMs",
    "duration": "stepTimeMs",
}
_SHARES: Mapping[str, tuple[str, Callable[[list[float]], float]]] = {
    "infeed_mean": ("Average", mean),
    "infeed_min": ("Min", min),
    "infeed_max": ("Max", max),
}
_CATEGORIES = {
    "Enqueuing data": ("Enqueue", "enqueue_us"),
    "Preprocessing": ("Preprocessing", "preprocessing_us"),
    "Reading files in advance": ("Advanced file read", "advanced_file_read_us"),
    "Reading files on demand": ("Demanded file read", "demanded_file_read_us"),
    "Other reading or processing": ("Unclassified", "unclassified_nonequeue_us"),
}
_CHIP = re.compile(r"(?:(?P<host>.*) · )?Chip (?P<chip>[0-9]+)")


def figures(case: Case) -> Iterator[Figure]:
    """Steps by number, operations of hosts by name."""
    index, steps, operations, *_ = case.theirs["input_pipeline_analyzer"]
    yield step_figure(case, TOOL, steps["p"])
    tables = {table.id for table in case.ask(TOOL).tables}
    if "steps" in tables:
        yield from _tpu_steps(case, index, steps)
    if "host_steps" in tables:
        yield from _host_steps(case, steps)
    if "input_operations" in tables:
        yield from _host_side(case, operations)


def _tpu_steps(case: Case, index: Mapping[str, Any], table: Mapping[str, Any]) -> Iterator[Figure]:
    ours = {row["step"]: row for row in case.rows(TOOL, "steps", limit=10_000)}
    first = min(ours)  # xprof's begin with 0
    theirs = {first + int(row["stepnum"]): row for row in rows(table)}
    steps_by_number = expected.steps(case.truth) if case.truth else {}
    late = [Reason(LATE)] if case.begins_late else []

    def figure(
        name: str,
        of_theirs: Mapping[Any, Any],
        of_ours: Mapping[Any, Any],
        of_truth: Mapping[Any, Any],
        *reasons: Reason,
    ) -> Figure:
        return Figure(
            TOOL,
            f"steps: {name}",
            of_theirs,
            of_ours,
            reasons,
            of_truth if case.truth else None,
            more=Reason(LATE, frozenset([max(ours)])) if case.begins_late else None,
        )

    for name, column in _OF_TPUS.items():
        yield figure(
            f"{name.replace('_', ' ')} (ps)",
            {step: round(row[column] * _PS_OF_MS) for step, row in theirs.items()},
            {step: case.ps(row[name]) for step, row in ours.items()},
            {
                step: getattr(true_step, name, 0) for step, true_step in steps_by_number.items()
            },  # there is no sparse core
            *late,
            *([Reason(LONGEST)] if name == "idle" else []),
        )
    for name, (column, of_cores) in _SHARES.items():
        yield figure(
            f"{name.replace('_', ' ')}, share",
            {step: row[f"infeedPercent{column}"] / 100 for step, row in theirs.items()},
            {step: row[name] for step, row in ours.items()},
            {step: of_cores(true_step.shares) for step, true_step in steps_by_number.items()},
            *late,
            Reason(LONGEST),
        )
    waits = [cell["v"] for cell in index["rows"][1]["c"]][1:]
    yield figure(
        "waits most",
        dict(zip(theirs, waits, strict=True)),
        {step: _core(row["core"]) for step, row in ours.items()},
        {step: _named(case, true_step.core) for step, true_step in steps_by_number.items()},
        *late,
    )


def _core(name: str) -> str:
    """As xprof calls it."""
    match = _CHIP.match(name)
    return f"{match['host'] or ''}:{match['chip']}" if match else name


def _named(case: Case, core: int) -> str:
    core_facts = case.truth["cores"][core]
    return f"{case.truth['hosts'][core_facts['host']]['name']}:{core_facts['chip']}"


def _host_steps(case: Case, table: Mapping[str, Any]) -> Iterator[Figure]:
    ours = {row["step"]: row for row in case.rows(TOOL, "host_steps", limit=10_000)}
    theirs = {int(row["stepnum"].split()[-1]): row for row in rows(table)}
    for name, column in _OF_HOSTS.items():
        yield Figure(
            TOOL,
            f"steps: {name.replace('_', ' ')} (ps)",
            {step: round(row[column] * _PS_OF_MS) for step, row in theirs.items()},
            {step: case.ps(row[name]) for step, row in ours.items()},
            [Reason(LAUNCHED)] if name == "duration" and case.follows_launches else of_gpus(case),
            more=Reason(DROPPED, frozenset([min(ours), max(ours)])) if len(ours) > 5 else None,
        )


def _host_side(case: Case, table: Mapping[str, Any]) -> Iterator[Figure]:
    theirs = {row["opName"]: row for row in rows(table)}
    ours = {row["name"]: row for row in case.rows(TOOL, "input_operations", limit=10_000)}
    did = expected.input_operations(case.truth) if case.truth else {}
    own = sum(sums.own for sums in did.values())
    of_names: tuple[tuple[str, Callable[[Any], Any], Callable[[Any], Any], Callable[[str], Any]], ...] = (
        ("count", lambda row: int(row["count"]), lambda row: row["count"], lambda name: did[name].count),
        (
            "time (ps)",
            lambda row: round(row["timeInMs"] * _PS_OF_MS),
            lambda row: case.ps(row["total"]),
            lambda name: did[name].total,
        ),
        (
            "self time (ps)",
            lambda row: round(row["selfTimeInMs"] * _PS_OF_MS),
            lambda row: case.ps(row["self"]),
            lambda name: did[name].own,
        ),
        ("share", lambda row: row["timeInPercent"], lambda row: row["total_share"], lambda name: did[name].total / own),
        (
            "self share",
            lambda row: row["selfTimeInPercent"],
            lambda row: row["share"],
            lambda name: did[name].own / own,
        ),
        (
            "category",
            lambda row: row["category"],
            lambda row: _CATEGORIES[row["category"]][0],
            lambda name: _CATEGORIES[expected.input_category(name)][0],
        ),
    )
    for name, of_theirs, of_ours, of_truth in of_names:
        yield Figure(
            TOOL,
            f"input operations: {name}",
            {key: of_theirs(row) for key, row in theirs.items()},
            {key: of_ours(row) for key, row in ours.items()},
            truth={key: of_truth(key) for key in did} if case.truth else None,
        )
    categories = {row["category"]: row for row in case.rows(TOOL, "input_categories")}
    yield Figure(
        TOOL,
        "input categories (us)",
        {name: Printed(table["p"][key], 1e-6) for name, (_, key) in _CATEGORIES.items()},
        {name: case.ps(categories[name]["explained"]) for name in _CATEGORIES},
        truth=expected.waiting_explained(case.truth, _CATEGORIES) if case.truth else None,
    )
