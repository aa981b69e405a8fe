"""Findings in one sentence each: what costs the time, where, in which steps, how much, and how it is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tilescope.tiler.facts.findings.finding import Cause

_MAX_STEPS: Final = 6

# After "Each step loses 8.1 ms of 12.6 ms".
_TEXTS: Final[Mapping[Cause, str]] = {
    Cause.INPUT: "because the next batch is not there in time",
    Cause.LAUNCH: "because the host launches work more slowly than the device does it",
    Cause.TINY_KERNELS: "between kernels that take less time than launching them",
    Cause.SYNC: "because the host waits for the device, which empties its queue",
    Cause.COLLECTIVE: "in communication that nothing hides",
    Cause.STRAGGLER: "because one device computes longer than the others, which wait for it",
    Cause.UNEVEN_WORK: "because one device has more work than the others, which wait for it",
    Cause.COPY_TO_DEVICE: "in copies to the device that nothing hides",
    Cause.COPY_TO_HOST: "in copies to the host that nothing hides, and the waiting behind them",
    Cause.COPY: "in copies that nothing hides",
    Cause.RECOMPILATION: "because programs are compiled meanwhile",
    Cause.HOST_PAUSE: "while the host does something else",
    Cause.ALLOCATOR: "because device memory is allocated and freed, for which the host waits for the device",
    Cause.INEFFICIENT_OP: "in one operation that is far slower than its costs allow",
    Cause.PIPELINE_BUBBLE: "in which stages of the pipeline wait for each other",
    Cause.OUTPUT: "because the host has not taken the results",
}


def steps_text(steps: Sequence[int], count: int) -> str:
    """The steps in words: those that have a cause, if these are not all of the steps that are looked at."""
    if not steps:
        return "Each step"
    numbers = ", ".join(f"#{number}" for number in steps[:_MAX_STEPS])
    more = f" and {len(steps) - _MAX_STEPS} more" if len(steps) > _MAX_STEPS else ""
    return f"{'Step' if len(steps) == 1 else 'Steps'} {numbers}{more} of {count}"


def finding_sentence(
    cause: Cause, where: str, who: str, loss: str, step: str, share: float, *, are_steps: bool, detail: str = ""
) -> str:
    """The sentence of a finding. `who`: its steps; `loss` and `step`: times in words; `detail` says how it is known."""
    if not are_steps:
        begin = f"{loss} of {step} are lost"
    elif who == "Each step":
        begin = f"Each step loses {loss} of {step}"
    else:
        begin = f"{who} are longer: {loss} of a mean step of {step}" if who.startswith("Steps") else (
            f"{who} is longer: {loss} of a mean step of {step}"
        )
    place = f": {where}" if where else ""
    end = f"; {detail}" if detail else ""
    return f"{begin} ({share:.1%}) {_TEXTS[cause]}{place}{end}"


def healthy_sentence(computing: float, operation: str, share: float, idle: float) -> str:
    """The sentence of a run in which nothing is worth a word."""
    greatest = f"; {operation} takes {share:.0%} of it" if operation else ""
    if computing < 1 - idle - 0.03 or idle > 0.1:
        return f"No cause of 3 % or more is seen: devices compute {computing:.0%} of the time{greatest}"
    return f"Nothing holds the devices up: they compute {computing:.0%} of the time{greatest}"
