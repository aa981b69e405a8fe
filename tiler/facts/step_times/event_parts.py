"""Part of a step of an event of a host or GPU, by what its format says of it."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from tilescope.tiler.facts.step_times.parts import StepPart
from tilescope.tiler.facts.work import Classifier, Work, work_of
from tilescope.tiler.query import Name

# In ascending order: where several happen at once, the greatest counts. 0: no part of a step.
HOST_PARTS: Final = tuple(StepPart)[list(StepPart).index(StepPart.OTHERS) :]
CODE_OF: Final = {part: code for code, part in enumerate(HOST_PARTS)}
NONE: Final = CODE_OF[StepPart.OTHERS]

# By `Work`, where the format says no more of it.
PART_OF_WORK: Final = np.zeros(len(Work), np.uint8)
PART_OF_WORK[[Work.COMPUTATION, Work.CONTROL]] = CODE_OF[StepPart.DEVICE_COMPUTE]
PART_OF_WORK[Work.COMMUNICATION] = CODE_OF[StepPart.DEVICE_COLLECTIVES]
PART_OF_WORK[Work.COPY] = CODE_OF[StepPart.DEVICE_TO_DEVICE]

_MARKER: Final = re.compile(r"(train|test|TraceContext)[^/]*$")
_RUNS_OTHERS: Final = re.compile(r"Eager(Execute|LocalExecute|KernelExecute)|FunctionRun")
_COMPILES: Final = re.compile(r"XlaCompile|backend_compile|(Pj[Rr]t\w*|TfrtCpu|\w*)Client::Compile", re.ASCII)
_ENQUEUES: Final = re.compile(r"([^:]*:)?(InfeedEnqueue|MEMCPYHToD)")
_COPY: Final = r"(hip)?(mem[ _]?cpy|copy)[ _]?"
_TO_DEVICE: Final = re.compile(_COPY + r"h(ost)?_?(2|to)_?d", re.IGNORECASE)
_TO_HOST: Final = re.compile(_COPY + r"d(evice)?_?(2|to)_?h", re.IGNORECASE)
_HOST_COPY: Final = re.compile(_COPY + r"h(ost)?_?(2|to)_?h", re.IGNORECASE)
_HALF: Final = re.compile(r"half|fp16|f16|hgemm|h884|h1688|h16816", re.IGNORECASE)

_RUNTIME: Final = frozenset({"cuda_runtime", "cuda_driver", "runtime", "mtia_runtime", "hip_runtime"})
_OPERATORS: Final = frozenset({"cpu_op", "operator"})


def host_event(name: Name) -> int:
    """Part of an event of a thread of a host in an XSpace."""
    text = name.text
    if _MARKER.match(text) or _RUNS_OTHERS.match(text):
        return NONE
    if _ENQUEUES.match(text):
        return CODE_OF[StepPart.HOST_TO_DEVICE]
    if _HOST_COPY.match(text):
        return CODE_OF[StepPart.HOST_TO_HOST]
    if _COMPILES.match(text):
        return CODE_OF[StepPart.COMPILE]
    if text.startswith("IteratorGetNext"):
        return CODE_OF[StepPart.WAIT_INPUT]
    return CODE_OF[StepPart.HOST_COMPUTE]


def host_event_with_device(name: Name) -> int:
    """The same where the host has devices: it prepares work for these."""
    if name.text.startswith("ExecutorState::Process"):
        return CODE_OF[StepPart.LAUNCH]
    return host_event(name)


def gpu_event(rules: Classifier, name: Name) -> int:
    """Part of an event on a stream of a GPU in an XSpace. Of 16 bits are kernels whose tensors are."""
    work = work_of(rules.gpu_stream(name))
    if work is Work.COPY:
        return _copy(name.text)
    return CODE_OF[StepPart.DEVICE_COLLECTIVES if work is Work.COMMUNICATION else StepPart.DEVICE_COMPUTE_32]


def pytorch_part(rules: Classifier, name: Name) -> int:
    """Part of an event of a PyTorch trace, by its category."""
    work, category = work_of(rules.pytorch_event(name)), name.category.lower()
    if work is Work.COPY:
        return _copy(name.text)
    if work is Work.COMMUNICATION:
        return CODE_OF[StepPart.DEVICE_COLLECTIVES]
    if work is Work.COMPUTATION:
        is_half = _HALF.search(name.text) is not None
        return CODE_OF[StepPart.DEVICE_COMPUTE_16 if is_half else StepPart.DEVICE_COMPUTE_32]
    if category in _RUNTIME:
        return CODE_OF[StepPart.LAUNCH]
    if "DataLoader" in name.text:
        return CODE_OF[StepPart.WAIT_INPUT]
    return CODE_OF[StepPart.HOST_COMPUTE] if category in _OPERATORS else NONE


def _copy(text: str) -> int:
    for pattern, part in (
        (_TO_DEVICE, StepPart.HOST_TO_DEVICE),
        (_TO_HOST, StepPart.DEVICE_TO_HOST),
        (_HOST_COPY, StepPart.HOST_TO_HOST),
    ):
        if pattern.match(text):
            return CODE_OF[part]
    return CODE_OF[StepPart.DEVICE_TO_DEVICE]
