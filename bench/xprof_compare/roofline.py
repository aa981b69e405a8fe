"""Figures of the roofline: the program and its instructions against the peaks of the device."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from bench.xprof_compare import expected
from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure, Printed, Reason, rows, scaled
from bench.xprof_compare.hlo_stats import ASYNC, GIB, NETWORK, namesakes
from bench.xprof_compare.op_profile import ENDS, KERNELS, MORE, NAMESAKES, OF_EVENTS
from bench.xprof_compare.steps import LATE, LONGEST

TOOL = "roofline"
PEER = ("roofline_model",)

PROGRAM = "Program"
_NO_PEAK = "xprof knows no peak of GPUs whose trace does not name their vendor"
_NO_AVERAGE = "xprof has no average step of GPUs"
_NO_STEPS = "xprof says that steps of GPUs take no time"
_NO_VMEM = "xprof loses the peaks of VMEM where there are several hosts"


# Ours, xprof's, the factor from ours to xprof's, and what is true.
_RATES: tuple[tuple[str, str, str, float, Callable[[expected.Did], float]], ...] = (
    ("GFLOP/s", "flop_rate", "measured_flop_rate", 1e-9, lambda sums: sums.per_ns(sums.flops)),
    ("model GFLOP/s", "model_flop_rate", "model_flop_rate", 1e-9, lambda sums: sums.per_ns(sums.flops)),
    ("GiB/s", "byte_rate", "measured_memory_bw", 1 / GIB, lambda sums: sums.gib_per_s(sums.bytes)),
    ("HBM GiB/s", "hbm_rate", "hbm_bw", 1 / GIB, lambda sums: sums.gib_per_s(sums.hbm_if_alone)),
    ("VMEM read GiB/s", "vmem_read_rate", "vmem_read_bw", 1 / GIB, lambda sums: sums.gib_per_s(sums.near)),
    ("intensity", "intensity", "operational_intensity", 1, lambda sums: sums.intensity),
)
# Figures of what moves values between devices: it is below no roof.
_OF_NETWORK = {"bound by": "network", "share of its roof": None}
_MEMORIES = {"HBM": "hbm", "VMEM read": "vmem_read", "VMEM write": "vmem_write"}


def figures(case: Case) -> Iterator[Figure]:
    """The program and its instructions, with infeed and without; steps; the peaks."""
    table = case.theirs["roofline_model"][0]
    theirs = list(rows(table))
    for with_infeed in (True, False):
        chosen = [row for row in theirs if row["include_infeed_outfeed"] == with_infeed]
        yield from _instructions(case, chosen, with_infeed=with_infeed)
        yield from _steps(case, chosen, with_infeed=with_infeed)
    yield from _peaks(case, table["p"])


def _name(with_infeed: bool) -> str:
    return "" if with_infeed else "without infeed, "


def _instructions(case: Case, theirs: list[dict[str, Any]], *, with_infeed: bool) -> Iterator[Figure]:
    def key(program: str | None, name: str) -> Any:
        return PROGRAM if name == PROGRAM else (program or "0", name)

    of_theirs = {key(row["hlo_module_id"], row["operation"]): row for row in theirs if row["step"] == "Total"}
    of_ours = {
        key(row["program"], row["name"]): row
        for row in case.rows(TOOL, "operations", limit=100_000, with_infeed=with_infeed, each_step=0)
    }
    did: dict[Any, expected.Did] = {}
    if case.truth:
        category_of = expected.categories(case.truth)
        did = {
            instruction: sums
            for instruction, sums in expected.instructions(case.truth).items()
            if with_infeed or category_of[instruction] not in expected.FEEDS
        }
        did[PROGRAM] = expected.program(case.truth, with_feeds=with_infeed)
    counts = [Reason(KERNELS)] if case.is_gpu else []
    ends = Reason(ENDS, frozenset([PROGRAM]) if case.truth else frozenset())
    custom = Reason(OF_EVENTS, expected.counting_themselves(case.truth) | {PROGRAM} if case.truth else frozenset())
    starts = Reason(ASYNC, frozenset(key for key, row in of_ours.items() if row["bound_by"] == "async"))
    network = Reason(NETWORK, frozenset(key for key, row in of_ours.items() if row["bound_by"] == "Network"))
    exchanging = expected.exchanging(case.truth) & did.keys() if case.truth else frozenset()

    programs = Reason(NAMESAKES, namesakes([key for key in of_ours if key != PROGRAM]))

    def figure(
        name: str, ours: Callable[[Any], Any], xprof: Callable[[Any], Any], truth: Any, *candidates: Reason
    ) -> Figure:
        return Figure(
            TOOL,
            _name(with_infeed) + name,
            {key: xprof(row) for key, row in of_theirs.items()},
            {key: ours(row) for key, row in of_ours.items()},
            [reason for reason in candidates if name != "intensity" or reason is not ends],
            {key: truth(sums) for key, sums in did.items()}
            | (dict.fromkeys(exchanging, _OF_NETWORK[name]) if name in _OF_NETWORK else {})
            if case.truth
            else None,
            more=Reason(MORE) if case.is_gpu else None,
        )

    yield figure(
        "total time (ps)",
        lambda row: row["total"] * case.tick_ps,
        lambda row: round(row["total_time"] * 1e6),
        lambda sums: sums.total,
        ends,
        programs,
    )
    yield figure(
        "occurrences", lambda row: row["count"], lambda row: int(row["occurrences"]), lambda sums: sums.count, *counts
    )
    whole = did[PROGRAM].total if did else 0
    yield figure(
        "share",
        lambda row: row["share"],
        lambda row: row["total_time_in_percentage"],
        lambda sums: sums.total / whole,
        Reason(ENDS, None if case.truth else frozenset()),
        programs,
    )
    yield from _rates(case, figure, (*counts, custom, ends, starts, network))


def _rates(case: Case, figure: Callable[..., Figure], reasons: tuple[Reason, ...]) -> Iterator[Figure]:
    """`reasons`: why those per second differ."""
    peaks = case.truth.get("peaks", {})
    for name, ours, xprof, factor, truth in _RATES:
        yield figure(
            name,
            lambda row, column=ours, by=factor: scaled(row.get(column), by),
            lambda row, column=xprof: row.get(column),
            truth,
            *reasons,
        )
    for name, column, other, share in (
        ("share of its roof", "efficiency", "roofline_efficiency", lambda sums: max(sums.shares(peaks).values())),
        ("FLOPs of the peak", "flops_share", "compute_efficiency", lambda sums: sums.shares(peaks)["compute"]),
        (
            "memory of the peak",
            "memory_share",
            "max_mem_bw_utilization",
            lambda sums: max(value for name, value in sums.shares(peaks).items() if name != "compute"),
        ),
    ):
        yield figure(
            name, lambda row, name_of=column: row[name_of], lambda row, name_of=other: row[name_of], share, *reasons
        )
    yield figure(
        "bound by",
        lambda row: (row["bound_by"] or "").lower(),
        lambda row: "" if row["bound_by"] == "Unknown" else row["bound_by"].lower(),
        lambda sums: sums.bound_by(peaks),
        *reasons,
    )


def _steps(case: Case, theirs: list[dict[str, Any]], *, with_infeed: bool) -> Iterator[Figure]:
    """Single steps, and the average one: xprof numbers them from 0 on."""
    of_ours: dict[Any, dict[str, Any]] = {}
    for row in case.rows(TOOL, "programs", with_infeed=with_infeed, each_step=1000):
        if row["what"] != "Total" and row["total"] is not None:  # what hardware counted has no time
            of_ours[row["what"].removeprefix("Step ")] = row
    first = min((int(name) for name in of_ours if name.isdecimal()), default=0)
    of_theirs = {}
    for row in theirs:
        if row["step"] != "Total":
            of_theirs["Average step" if row["step"] == "Average" else str(first + int(row["step"]))] = row
    if not of_ours:
        return  # xprof has an average step, all 0, of runs that mark none
    did: dict[Any, expected.Did] = {}
    if case.truth:
        numbers = [step["step"] for step in case.truth["steps"]]
        did = {str(number): expected.program(case.truth, number, with_feeds=with_infeed) for number in numbers}
        every = expected.program(case.truth, *numbers, with_feeds=with_infeed)
        did["Average step"] = every.over(len(numbers))
    more = None
    if case.is_gpu:
        numbers_of_steps = sorted(map(int, filter(str.isdecimal, of_ours)))
        ends = [numbers_of_steps[0], numbers_of_steps[-1]] if len(numbers_of_steps) > 5 else []
        why = f"{_NO_AVERAGE}, and leaves out the first and the last of more than five" if ends else _NO_AVERAGE
        more = Reason(why, frozenset(["Average step", *map(str, ends)]))
    if case.begins_late:
        more = Reason(LATE, frozenset([max(name for name in of_ours if name.isdecimal())]))
    steps = [Reason(LATE)] if case.begins_late else []
    no_steps = [Reason(_NO_STEPS)] if case.is_gpu else []
    steps += no_steps or [Reason(LONGEST)]

    def figure(name: str, ours: Callable[[Any], Any], xprof: Callable[[Any], Any], truth: Any) -> Figure:
        return Figure(
            TOOL,
            f"{_name(with_infeed)}steps: {name}",
            {key: xprof(row) for key, row in of_theirs.items()},
            {key: ours(row) for key, row in of_ours.items()},
            [Reason(OF_EVENTS, frozenset(did)), *no_steps] if name == "intensity" else steps,
            {key: truth(sums) for key, sums in did.items()} if case.truth else None,
            more=more,
        )

    yield figure(
        "total time (ps)",
        lambda row: float(row["total"] * case.tick_ps),  # a share of all the time of cores: not to the picosecond
        lambda row: row["total_time"] * 1e6,
        lambda sums: float(sums.total),
    )
    yield from _rates(case, lambda *values: figure(*values[:4]), ())


def _peaks(case: Case, properties: Mapping[str, str]) -> Iterator[Figure]:
    """Peaks of the device."""
    facts = {fact.id: fact.value for fact in case.ask(TOOL, each_step=0, limit=0).facts}
    roofs = {row["memory"]: row for row in case.rows(TOOL, "roofs", each_step=0, limit=0)}
    peaks = case.truth.get("peaks", {})
    theirs: dict[str, Any] = {"FLOPs, GFLOP/s": Printed(properties["peak_flop_rate"])}
    ours: dict[str, Any] = {"FLOPs, GFLOP/s": scaled(facts["peak_flops"], 1e-9)}
    truth: dict[str, Any] = {}
    for memory, name in _MEMORIES.items():
        if memory in roofs:
            theirs |= {
                f"{memory}, GiB/s": Printed(properties[f"peak_{name}_bw"]),
                f"{memory}, FLOP/B": Printed(properties[f"{name}_ridge_point"]),
            }
            ours |= {
                f"{memory}, GiB/s": scaled(roofs[memory]["bandwidth"], 1 / GIB),
                f"{memory}, FLOP/B": roofs[memory]["ridge"],
            }
    if case.truth:
        flops = peaks["peak_teraflops_per_second"] * 1e3
        truth["FLOPs, GFLOP/s"] = flops
        for memory, name in (("HBM", "hbm"), ("VMEM read", "vmem_rd"), ("VMEM write", "vmem_wr")):
            decimal = peaks[f"peak_{name}_bw_gigabytes_per_second"]
            truth |= {f"{memory}, GiB/s": decimal * 1e9 / GIB, f"{memory}, FLOP/B": flops / decimal}
    vmem = frozenset(roof for roof in ours if roof.startswith("VMEM"))
    several = len(case.files) > 1
    reasons = [
        Reason(_NO_VMEM, vmem if several else frozenset()),
        Reason(_NO_PEAK, frozenset(ours) if case.is_gpu else frozenset()),
    ]
    yield Figure(TOOL, "peaks", theirs, ours, reasons, truth if case.truth else None)
