"""Figures of steps, as the overview and the analysis of input both have them; and reasons why they differ."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import mean, stdev
from typing import Any, Final

from bench.xprof_compare import expected
from bench.xprof_compare.case import Case
from bench.xprof_compare.figures import Figure, Printed, Reason

LONGEST: Final = "in xprof each step of a core takes as long as the longest of its host"
LATE: Final = (
    "xprof counts the steps of each host from its first one: those of a host that begins late go with earlier ones of "
    "others, and the last has no row"
)
DROPPED: Final = "xprof leaves out the first and the last of more than five steps"
LAUNCHED: Final = (
    "xprof's steps of GPUs last as long as the host marks them: ours to the end of the last work launched in them"
)
HOSTS: Final = (
    "xprof leaves out what hosts do where there are GPUs, and takes copies that it does not know for computation"
)
_SINGLE: Final = "xprof prints -nan of a single step"
_TWICE: Final = "xprof counts all-reduces twice in what it divides the waiting for input by"

_MS: Final = 1e-9  # of a ps
# Of TPU cores and of hosts: rows of our table, properties of xprof's.
_PARTS: Final = {
    "Compute": "tc_compute_ms_average",
    "Infeed": "tc_infeed_ms_average",
    "Outfeed": "tc_outfeed_ms_average",
    "Host transfer": "host_transfer_ms_average",
    "Idle": "tc_idle_ms_average",
    "Device compute": "device_compute_time_ms_avg",
    "Device to device": "device_to_device_time_ms_avg",
    "Collectives": "device_collectives_time_ms_avg",
    "Host compute": "host_compute_time_ms_avg",
    "Kernel launch": "kernel_launch_time_ms_avg",
    "Input": "infeed_time_ms_avg",
    "Output": "outfeed_time_ms_avg",
    "Compilation": "compile_time_ms_avg",
    "All others": "other_time_ms_avg",
}
_SPREAD: Final = {
    "mean": "steptime_ms_average",
    "deviation": "steptime_ms_standard_deviation",
    "min": "steptime_ms_minimum",
    "max": "steptime_ms_maximum",
}
_INPUT: Final = {"infeed_mean": "average", "infeed_min": "minimum", "infeed_max": "maximum"}
_CONCLUSION: Final = re.compile(r"(HIGHLY|MODERATELY|POTENTIALLY|NOT) input-bound because ([0-9.]+%)")


def step_figure(case: Case, tool: str, properties: Mapping[str, str], prefix: str = "") -> Figure:
    """The times of steps and their parts, and how much of them is waiting for input. `prefix`: of our facts."""
    answer = case.ask(tool)
    facts = {fact.id: fact.value for fact in answer.facts}
    parts = {row["name"]: row for row in case.rows(tool, "parts")} if _has(answer, "parts") else {}
    theirs: dict[str, Any] = {}
    ours: dict[str, Any] = {}
    for name, key in _SPREAD.items():
        theirs[f"step {name}"] = Printed(properties[key], _MS)
        ours[f"step {name}"] = case.ps(facts.get(f"{prefix}{name}"))
    for name, key in _PARTS.items():
        if key in properties:
            theirs[name] = Printed(properties[key], _MS)
            # A class of hosts that never occurs has no row.
            ours[name] = case.ps(parts[name]["mean"] if name in parts else 0 if parts else None)
    for name, key in _INPUT.items():
        if name in facts:
            theirs[name] = Printed(f"{properties[f'infeed_percent_{key}']}%")
            ours[name] = facts[name]
    match = _CONCLUSION.search(properties["input_conclusion"])
    of_others = "All Others" in properties["input_conclusion"]
    if match and not of_others:
        theirs["waits for input"], ours["waits for input"] = Printed(match[2]), facts["input_share"]
    if match and "verdict" in facts:
        theirs["verdict"], ours["verdict"] = f"{match[1].lower()} input-bound", facts["verdict"]
    truth = _truth(case) if case.truth else None
    waits = Reason(_TWICE, frozenset(["waits for input"]))
    single = Reason(_SINGLE, frozenset(name for name, value in theirs.items() if repr(value) == "-nan"))
    steps = [Reason(LATE, frozenset(theirs) - {"waits for input"})] if case.begins_late else []
    longest = Reason(LONGEST, frozenset(["Idle", *_INPUT]))
    return Figure(tool, "steps in all", theirs, ours, [waits, single, *steps, longest, *of_gpus(case)], truth)


def of_gpus(case: Case) -> list[Reason]:
    """Reasons why times of steps of GPUs differ, and parts of them."""
    launched = [Reason(LAUNCHED)] if case.follows_launches else []
    return [Reason(HOSTS), *launched] if case.is_gpu else []


def _truth(case: Case) -> dict[str, Any]:
    every = [step.duration for step in expected.steps(case.truth).values()]
    steps = expected.complete_steps(case.truth)
    durations = [step.duration for step in steps]
    share = sum(step.waits[0] for step in steps) / sum(step.waits[1] for step in steps)
    most = [max(step.shares) for step in steps]
    return {
        "step mean": _mean(durations),
        "step deviation": round(stdev(durations)),
        "step min": min(every),
        "step max": max(every),
        "Compute": _mean([step.compute for step in steps]),
        "Infeed": _mean([step.infeed for step in steps]),
        "Outfeed": _mean([step.outfeed for step in steps]),
        "Host transfer": 0,
        "Idle": _mean([step.idle for step in steps]),
        "infeed_mean": mean(most),
        "infeed_min": min(most),
        "infeed_max": max(most),
        "waits for input": share,
        "verdict": f"{'highly' if share >= 0.2 else 'moderately' if share >= 0.05 else 'not'} input-bound",
    }


def _mean(times: list[int]) -> int:
    """Mean, a half rounded up, as all means of times are."""
    return (2 * sum(times) + len(times)) // (2 * len(times))


def _has(answer: Any, table: str) -> bool:
    return any(table_of_answer.id == table for table_of_answer in answer.tables)
