"""Captures: what can be captured from running jobs, what was asked for, and what becomes of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta, Struct

from tilescope.tiler.schema.numbers import Count, Decimal

MOST_CAPTURE_HOSTS = 256
MOST_CAPTURE_MS = 600_000  # of one capture, and of the delay before it

CapturePhaseName = Literal[
    "connecting",
    "delayed",
    "capturing",
    "collecting",
    "receiving",
    "stopping",
    "waiting",
    "done",
    "failed",
]

CaptureCauseName = Literal[
    "unknown_host",
    "refused",
    "unreachable",
    "not_a_profiler",
    "unimplemented",
    "busy",
    "empty",
    "deadline",
    "lost",
    "not_inline",
    "refused_by_server",
    "bad_answer",
    "too_large",
    "disk_full",
    "cannot_write",
    "stopped",
]

CaptureState = Literal["running", "captured", "partly", "failed", "cancelled"]

FolderName = Annotated[str, Meta(pattern="^[A-Za-z0-9][A-Za-z0-9_.+@=-]{0,127}$")]
ServerText = Annotated[str, Meta(min_length=1, max_length=300)]


class CaptureOrder(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Order of a capture."""

    hosts: Annotated[
        Sequence[ServerText],
        Meta(
            min_length=1,
            max_length=MOST_CAPTURE_HOSTS,
            description="`HOST:PORT` of profiler servers, or names of targets; captured at the same moment.",
        ),
    ]
    duration_ms: Annotated[int, Meta(ge=1, le=MOST_CAPTURE_MS)] = 1000
    delay_ms: Annotated[int, Meta(ge=0, le=MOST_CAPTURE_MS, description="Until all hosts begin.")] = 0
    host_tracer_level: Annotated[
        int, Meta(ge=0, le=3, description="0: off; 1: what users annotate; 2: and what is costly; 3: everything.")
    ] = 2
    device_tracer_level: Annotated[int, Meta(ge=0, le=1, description="0: off.")] = 1
    python_tracer_level: Annotated[int, Meta(ge=0, le=1, description="1: each call of a Python function.")] = 0
    include_dataset_ops: bool = True
    attempts: Annotated[int, Meta(ge=1, le=10, description="In all, for each host.")] = 3
    run_name: Annotated[FolderName | None, Meta(description="Of its folder; null: the date and the time.")] = None


class CaptureTarget(Struct, frozen=True, kw_only=True):
    """A profiler server that the operator has named."""

    name: str
    address: str


class CaptureProblem(Struct, frozen=True, kw_only=True):
    """Reason why a host gave no trace."""

    cause: Annotated[CaptureCauseName, Meta(description="For programs.")]
    sentence: Annotated[str, Meta(description="The cause in plain words.")]
    detail: Annotated[str, Meta(description="What the host or the system said, in its words; may be empty.")]
    hints: Annotated[Sequence[str], Meta(description="What to do about it, the best first.")]


class CapturedHost(Struct, frozen=True, kw_only=True):
    """One host of a capture, and where it is."""

    name: Annotated[str, Meta(description="As it was asked for.")]
    phase: Annotated[
        CapturePhaseName,
        Meta(
            description="`delayed`: asked, and the moment to begin has not come; `collecting`: the host puts its "
            "answer together; `waiting`: for `wait_ms`, until the next attempt, because of `problem`."
        ),
    ]
    attempt: Annotated[int, Meta(ge=1)]
    attempts: Annotated[int, Meta(ge=1, description="That it may take.")]
    size_bytes: Annotated[Decimal, Meta(description="That have come.")]
    total_bytes: Annotated[Decimal, Meta(description="Of the answer; 0 where that is unknown.")]
    wait_ms: Count
    problem: Annotated[CaptureProblem | None, Meta(description="Of the last attempt that failed.")]


class Capture(Struct, frozen=True, kw_only=True):
    """A capture, and what has become of it."""

    id: str
    state: Annotated[
        CaptureState,
        Meta(description="`partly`: some hosts gave a trace; `cancelled`: stopped before there was anything to keep."),
    ]
    order: CaptureOrder
    hosts: Annotated[Sequence[CapturedHost], Meta(description="In the order in which they were asked for.")]
    elapsed_ms: Annotated[Count, Meta(description="Since it was asked for; when it is over, all that it took.")]
    was_stopped: Annotated[bool, Meta(description="Somebody has asked for its end; what came until then is kept.")]
    run: Annotated[str | None, Meta(description="Id in the list of runs, as soon as a trace is there.")]
    problem: Annotated[str | None, Meta(description="One line, where the capture as a whole failed.")]


class CaptureRoom(Struct, frozen=True, kw_only=True):
    """Captures through this server: the hosts that are allowed, and the captures so far."""

    allowed: bool
    reason: Annotated[str | None, Meta(description="Why captures are not possible, and what to do; null: they are.")]
    targets: Sequence[CaptureTarget]
    addresses: Annotated[
        Sequence[str], Meta(description="What may be asked for beside targets: `HOST:PORT`, or `loopback`.")
    ]
    captures: Annotated[Sequence[Capture], Meta(description="Those that run and the last ones, newest first.")]


Share = Annotated[float | None, Meta(description="0 to 1; null: not recorded.")]
Milliseconds = Annotated[float | None, Meta(description="null: not recorded.")]


class MonitorSample(Struct, frozen=True, kw_only=True, tag_field="type", tag="sample"):
    """Message of the monitor: what a job did in the last second."""

    time_ns: Decimal
    source: Annotated[
        Literal["monitor", "captures"],
        Meta(description="`monitor`: the job itself said so; `captures`: evaluated here, from a short capture."),
    ]
    duration_ms: Annotated[Count, Meta(description="Over which the job was looked at.")]
    device_type: str | None
    devices: Annotated[int | None, Meta(description="Cores of TPUs, or GPUs.")]
    matrix_unit_utilization: Share
    device_idle: Share
    steps: Annotated[int | None, Meta(description="That the times below are of.")]
    step_mean_ms: Milliseconds
    step_min_ms: Milliseconds
    step_max_ms: Milliseconds
    infeed_mean: Annotated[Share, Meta(description="Of a step's time that it waits for its input.")]
    infeed_min: Share
    infeed_max: Share


class MonitorProblem(Struct, frozen=True, kw_only=True, tag_field="type", tag="problem"):
    """Message of the monitor: the job could not be asked. It is asked again."""

    problem: CaptureProblem
    retry_ms: Count


class MonitorHeld(Struct, frozen=True, kw_only=True, tag_field="type", tag="held"):
    """Message of the monitor: a capture runs, and the monitor waits for its end."""


class MonitorError(Struct, frozen=True, kw_only=True, tag_field="type", tag="error"):
    """Message of the monitor: the server is about to close."""

    code: str
    message: str


MonitorMessage = MonitorSample | MonitorProblem | MonitorHeld | MonitorError
