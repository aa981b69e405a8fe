"""Figures of the overview: the run, the duration of steps, the use of devices, the longest operations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import accumulate
from statistics import fmean
from typing import Any

from bench.xprof_compare import expected
from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure, Printed, Reason, rows, scaled
from bench.xprof_compare.op_profile import KERNELS, MORE, OF_EVENTS
from bench.xprof_compare.steps import HOSTS, step_figure

TOOL = "overview"
PEER = ("overview_page",)

_ZERO = "xprof leaves these at 0"
_MARKED = "a run that marks steps trains: xprof wants steps of its own kind"
_UNKNOWN = "what no operation of a framework is named has the category of its instruction in ours"
_MODEL = "xprof has other names for GPUs; ours says as much as the trace does"
_FACTS = {
    "device_idle": "device_idle_time_percent",
    "duty_cycle": "device_duty_cycle_percent",
    "host_idle": "host_idle_time_percent",
    "mxu": "mxu_utilization_percent",
    "hbm": "hbm_utilization_percent",
    "flops_of_peak": "flop_rate_utilization_relative_to_roofline",
    "hbm_of_peak": "memory_bw_utilization_relative_to_hw_limit",
    "low_precision": "device_compute_16bit_percent",
    "eager": "host_op_time_eager_percent",
}
_PEAKS = frozenset(["flops_of_peak", "hbm_of_peak"])


def figures(case: Case) -> Iterator[Figure]:
    """Facts by name, operations by their framework's path."""
    top, steps, environment, *_ = case.theirs["overview_page"]
    facts = {fact.id: fact.value for fact in case.ask(TOOL).facts}
    yield _environment(case, environment["p"], facts)
    if top["p"] is not None:
        yield _use(case, top["p"], facts)
    if steps["p"] is not None:
        yield step_figure(case, TOOL, steps["p"], "step_")
    if any(table.id == "operations" for table in case.ask(TOOL).tables):
        yield from _operations(case, list(rows(top)))


def _environment(case: Case, properties: Mapping[str, str], facts: Mapping[str, Any]) -> Figure:
    theirs = {
        "devices": int(properties["device_core_count"]),
        "hosts": int(properties["host_count"]),
        "device": properties["device_type"],
        "trains": properties["is_training"],
    }
    ours = {
        "devices": facts["devices"],
        "hosts": facts["hosts"],
        "device": facts["device_type"],
        "trains": "true" if facts["task"] == "training" else "false",
    }
    truth = None
    if case.truth:
        truth = {"devices": len(case.truth["cores"]), "hosts": len(case.truth["hosts"]), "trains": "true"}
    of_gpu = [Reason(_MODEL, frozenset(["device"])), Reason(_MARKED, frozenset(["trains"]))] if case.is_gpu else []
    return Figure(TOOL, "what the run is", theirs, ours, of_gpu, truth)


def _use(case: Case, properties: Mapping[str, str], facts: Mapping[str, Any]) -> Figure:
    shown = {name: key for name, key in _FACTS.items() if key in properties}
    truth = None
    if case.truth:
        whole, hosts = expected.program(case.truth), case.truth["hosts"]
        shares = whole.shares(case.truth["peaks"])
        worked = sum(did.own for did in expected.instructions(case.truth).values())

        def counted(name: str) -> float:
            return fmean(host["utilisation"][f"{name}_utilization_percent"] for host in hosts) / 100

        truth = {
            "device_idle": 1 - worked / expected.span(case.truth),
            "duty_cycle": expected.duty_cycle(case.truth),
            "host_idle": expected.host_idle(case.truth),
            "mxu": counted("matrix_unit"),
            "hbm": counted("hbm"),
            "flops_of_peak": shares["compute"],
            "hbm_of_peak": shares["hbm"],
        }
    return Figure(
        TOOL,
        "how devices and hosts are used",
        {name: Printed(properties[key]) for name, key in shown.items()},
        {name: facts.get(name) for name in shown},
        [Reason(_ZERO, _PEAKS), Reason(HOSTS, frozenset(["low_precision"]) if case.is_gpu else frozenset())],
        truth,
    )


def _operations(case: Case, theirs: list[dict[str, Any]]) -> Iterator[Figure]:
    """The first ten; of a run with CUDA graphs all of ours, as xprof's are those outside of graphs."""
    ours = case.rows(TOOL, "operations", **({"limit": 1000} if case.runs_graphs else {}))
    true_names: list[tuple[str, expected.Did]] = []
    if case.truth:
        true_names = sorted(expected.by_framework(case.truth).items(), key=lambda item: -item[1].own)[: len(ours)]
    worked = sum(did.own for did in expected.by_framework(case.truth).values()) if case.truth else 0
    so_far = dict(zip([name for name, _ in true_names], accumulate(did.own for _, did in true_names), strict=True))
    alone = [Reason(MORE)] if case.is_gpu else []
    custom = expected.counting_themselves(case.truth) if case.truth else frozenset()
    paths = {
        instruction["framework"]
        for instruction in case.truth.get("instructions", ())
        if (instruction["program"], instruction["name"]) in custom
    }
    costs = [Reason(KERNELS)] if case.is_gpu else [Reason(OF_EVENTS, frozenset(paths))]
    of_rows: tuple[tuple[str, str, Callable[[Any], Any], Callable[[str, expected.Did], Any], list[Reason]], ...] = (
        ("self share", "selfTimePercent", lambda row: row["share"], lambda _, did: did.own / worked, alone),
        (
            "cumulative",
            "cumulativeTimePercent",
            lambda row: row["cumulative"],
            lambda name, _: so_far[name] / worked,
            alone,
        ),
        (
            "GFLOP/s",
            "flopRate",
            lambda row: scaled(row["flop_rate"], 1e-9),
            lambda _, did: did.per_ns(did.flops),
            costs,
        ),
    )
    for name, column, of_ours, of_truth, reasons in of_rows:
        yield Figure(
            TOOL,
            f"operations: {name}",
            {row["operation"]: row[column] for row in theirs},
            {row["full"]: of_ours(row) for row in ours},
            reasons,
            {key: of_truth(key, did) for key, did in true_names} if case.truth else None,
            more=Reason(MORE) if case.is_gpu else None,
        )
    unknown = frozenset(row["operation"] for row in theirs if row["category"] == "Unknown")
    yield Figure(
        TOOL,
        "operations: category",
        {row["operation"]: row["category"] for row in theirs},
        {row["full"]: row["category"] for row in ours},
        [Reason(_UNKNOWN, unknown)],
        truth={} if case.truth else None,
        more=Reason(MORE) if case.is_gpu else None,
    )
