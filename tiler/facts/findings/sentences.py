"""Findings in one sentence each: what costs the time, where, in which steps, how much, and how it is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.findings.finding import Cause
from tilescope.tiler.facts.findings.roofs import SlowOperation
from tilescope.tiler.percent_text import percent_text

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
    Cause.PADDING: "in one operation whose sizes do not fill the matrix unit",
    Cause.MEMORY_BOUND: "in one convolution or matrix product that memory bounds",
    Cause.PIPELINE_BUBBLE: "in which stages of the pipeline wait for each other",
    Cause.UNCLEAR: "in communication that nothing hides, or in waiting for a device that is not among these",
    Cause.OUTPUT: "because the host has not taken the results",
}


# The same of idle time where nothing tells what the host does.
NO_HOST: Final = "while the devices have no work, and no thread of their host was recorded, which would say why"

# The same of steps in which the host is slow without one place for it.
SLOW_ALL_OVER: Final = "because the host is slower than in other steps, in many places, most of all"


def _steps_text(steps: Sequence[int]) -> str:
    """The steps in words: some of them, where there are many."""
    numbers = ", ".join(f"#{number}" for number in steps[:_MAX_STEPS])
    more = f" and {len(steps) - _MAX_STEPS} more" if len(steps) > _MAX_STEPS else ""
    return f"{'Step' if len(steps) == 1 else 'Steps'} {numbers}{more}"


@dataclass(frozen=True, slots=True)
class Loss:
    """Times in words: lost in a mean step, the mean step itself, and lost in each of `steps` that are longer.

    No `steps`: all of them. `are_steps` False: `step` is a span without steps. `alone`: the number of the only step
    whose operators were recorded; None: there are others.
    """

    loss: str
    step: str
    share: float
    steps: Sequence[int]
    of_each: str
    are_steps: bool
    alone: int | None = None


def finding_sentence(cause: Cause, where: str, loss: Loss, detail: str = "", reason: str = "") -> str:
    """The sentence of a finding. `detail` says how it is known; `reason`: other words than those of the cause."""
    if not loss.are_steps:
        begin = f"{loss.loss} of {loss.step} ({percent_text(loss.share)}) are lost"
    elif not loss.steps:
        each = "Each step" if loss.alone is None else _steps_text([loss.alone])
        begin = f"{each} loses {loss.loss} of {loss.step} ({percent_text(loss.share)})"
    else:
        verb = "is longer by" if len(loss.steps) == 1 else "are longer by about"
        mean = f"averaged over all steps: {loss.loss} of {loss.step}"
        begin = f"{_steps_text(loss.steps)} {verb} {loss.of_each} ({mean})"
    place = f": {where}" if where else ""
    end = f"; {detail}" if detail else ""
    return f"{begin} {reason or _TEXTS[cause]}{place}{end}"


def healthy_sentence(computing: float, operation: str, share: float, idle: float) -> str:
    """The sentence of a run in which nothing is worth a word."""
    greatest = f"; {operation} takes {percent_text(share, 0)} of it" if operation else ""
    if computing < 1 - idle - 0.03 or idle > 0.1:
        return f"No cause of 3 % or more is seen: devices compute {percent_text(computing, 0)} of the time{greatest}"
    return f"Nothing holds the devices up: they compute {percent_text(computing, 0)} of the time{greatest}"


def slow_detail(slow: SlowOperation) -> str:
    """Figures of an operation that reaches little of its peaks."""
    if slow.cause is Cause.MEMORY_BOUND:
        bound = f"its bytes need {percent_text(slow.memory, 0)} of its time at the peak"
        return f"{bound}, its FLOPs {percent_text(slow.compute, 0)}"
    costs = f"its costs allow {percent_text(slow.reached, 0)} of its time"
    if slow.cause is not Cause.PADDING or slow.matrix_use is None:
        return costs
    use = slow.matrix_use
    return f"{percent_text(use.share, 0)} of the matrix unit is used: {use.text}, {costs}"


def idle_devices_sentence(working: Sequence[str], count: int) -> str:
    """The sentence of a run in which some devices do nothing."""
    names = ", ".join(working[:4]) + (f" and {len(working) - 4} more" if len(working) > 4 else "")
    verb = "works" if len(working) == 1 else "work"
    return (
        f"{len(working)} of {count} devices {verb}: {names}; spread over all of them the work would take at least "
        f"{percent_text(len(working) / count, 0)} of the time"
    )


def host_only_sentence(operation: str, share: float, threads: int = 1, *, has_devices: bool = False) -> str:
    """The sentence of so many threads of hosts alone. `has_devices`: the run has some, which are not examined."""
    thread = "threads that mark steps" if threads > 1 else "the thread that marks steps"
    greatest = f"; {operation} takes {percent_text(share, 0)} of the time of {thread}" if operation else ""
    if has_devices:
        return f"No device is among these tracks{greatest}"
    return f"No device was recorded: the program computes on the host{greatest}"


def no_work_sentence() -> str:
    """The sentence of steps in which devices do nothing."""
    return "No device computes in this range"
