"""Lines of a device as XLA's profilers call them, and the order in which people look for them."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from typing import Final

DEVICE_PREFIX: Final = "/device:"
HOST_PLANE: Final = "/host:CPU"
HOST_THREADS: Final = "Host threads"  # the process that it is here
ASCEND_DEVICE: Final = "Ascend Hardware"  # the process of an Ascend device's streams

# Process that the step trace of an Ascend device makes, and its lines that are no reductions.
STEP_TRACE: Final = "Step trace"
STEP_TRACE_STEPS: Final = "Steps"
STEP_TRACE_PARTS: Final = "Parts of steps"

# What lies in these says what all other lines are about: from the whole of a step down to a single operation.
STEP_LINES: Final = frozenset({"Steps", "Sparse Core Steps"})
MODULE_LINES: Final = frozenset({"XLA Modules", "Sparse Core Modules"})
SPARSE_CORE_LINES: Final = frozenset({"Sparse Core Ops"})
OP_LINES: Final = frozenset({"XLA Ops"}) | SPARSE_CORE_LINES
ASYNC_OP_LINES: Final = frozenset({"Async XLA Ops"})

# Categories of what a stream of a GPU runs one after the other in a PyTorch trace, in lower case: Kineto's
# libkineto/src/ActivityType.cpp, of today and of before 2022.
PYTORCH_KERNELS: Final = frozenset({"kernel"})
PYTORCH_FILLS: Final = frozenset({"gpu_memset", "memset"})
PYTORCH_COPIES: Final = frozenset({"gpu_memcpy", "memcpy"})
MTIA_EVENTS: Final = "mtia_ccp_events"  # of a stream of an MTIA device, waits too: names tell them apart
WORK_CATEGORIES: Final = PYTORCH_KERNELS | PYTORCH_FILLS | PYTORCH_COPIES

_STREAM: Final = re.compile(r"stream\b", re.IGNORECASE)
FRAMEWORK_LINES: Final = frozenset({"Framework Name Scope", "TensorFlow Name Scope", "Framework Ops", "TensorFlow Ops"})
SOURCE_LINES: Final = frozenset({"Source code"})
# What PyTorch labels the processes with that stand for its devices: `GPU 0`, `XPU 3`, `MTIA 17`.
_DEVICE_LABEL: Final = re.compile(r"(?!CPU )[A-Z]{2,8} [0-9]+")
_REDUCE_STREAM: Final = re.compile(r"stream_[0-9]{1,9}(?=_)")
_NUMBERED_DEVICE: Final = re.compile(r"Device [0-9]{1,4}")
_ORDER: Final = (STEP_LINES, MODULE_LINES, OP_LINES, ASYNC_OP_LINES, FRAMEWORK_LINES | SOURCE_LINES)


def is_one_of(name: str, lines: AbstractSet[str]) -> bool:
    """True if a track of that name is one of these lines: several of one name have a number behind it."""
    return re.sub(r"(/| #?)-?[0-9]+$", "", name) in lines


def line_rank(name: str) -> int:
    """The place of a device's line: Steps, Modules, Ops, asynchronous ones, what the framework calls them, the rest."""
    return next((rank for rank, names in enumerate(_ORDER) if is_one_of(name, names)), len(_ORDER))


def is_device_label(text: str) -> bool:
    """True if a label is the kind of a device and its number."""
    return _DEVICE_LABEL.fullmatch(text) is not None


def is_device_process(name: str, detail: str) -> bool:
    """True if a process stands for a device, by what it is called: a plane of an XSpace, or a process of JSON.

    Processes of one name have their pid behind it, `GPU 0 17`, which their details say, too.
    """
    if DEVICE_PREFIX in name or detail.startswith(DEVICE_PREFIX):
        return True
    pids = [part.removeprefix("pid ") for part in detail.split(" · ") if part.startswith("pid ")]
    names = [name, *(name.removesuffix(f" {pid}") for pid in pids)]
    return any(text == ASCEND_DEVICE or is_device_label(text) for text in names)


def is_ascend_device(name: str) -> bool:
    """True if a process of that name has the streams of an Ascend device: `Device 1` in MindSpore's first timelines."""
    return name == ASCEND_DEVICE or _NUMBERED_DEVICE.fullmatch(name) is not None


def is_stream(name: str) -> bool:
    """True if a track of that name is a stream of a GPU."""
    return _STREAM.match(name) is not None


def reduce_stream(reduce: str) -> str:
    """The stream in the name of a reduce, `stream_48` of `stream_48_0_Receive-op663`; "" where it names none."""
    match = _REDUCE_STREAM.match(reduce)
    return match[0] if match else ""


def is_work_line(name: str) -> bool:
    """True if a device's track of that name has its work, or groups of it: operations, modules, steps."""
    return is_stream(name) or is_one_of(name, STEP_LINES | MODULE_LINES | OP_LINES | ASYNC_OP_LINES)
