"""Parts of the time of a step, as finely as a trace tells, and the classes that they belong to."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class StepClass(StrEnum):
    """Classes of time to compare across devices of any kind. In the order in which charts stack them."""

    DEVICE_COMPUTE = "device_compute"
    DEVICE_TO_DEVICE = "device_to_device"
    DEVICE_COLLECTIVES = "device_collectives"
    HOST_COMPUTE = "host_compute"
    KERNEL_LAUNCH = "kernel_launch"
    INPUT = "input"
    OUTPUT = "output"
    COMPILATION = "compilation"
    OTHERS = "others"
    NOT_RECORDED = "not_recorded"  # the others of steps of whose devices not all operators were recorded


class StepPart(StrEnum):
    """Parts of a step of one core or host: they add up to it."""

    # Of TPU cores, by the categories of operations.
    HIGH_FLOPS = "high_flops"  # convolutions and matrix products
    LOW_FLOPS = "low_flops"  # all other computation
    INFEED = "infeed"
    SPARSE_INFEED = "sparse_infeed"  # waiting for the sparse core
    OUTFEED = "outfeed"
    HOST_SEND = "host_send"
    HOST_RECV = "host_recv"
    ALL_REDUCE_COMPUTE = "all_reduce_compute"
    ALL_REDUCE_SYNC = "all_reduce_sync"  # waiting for the core that comes last
    ALL_REDUCE_UNSPLIT = "all_reduce_unsplit"  # both: not all cores that take part were recorded
    COLLECTIVES = "collectives"  # other ones
    SEND = "send"
    RECV = "recv"
    MEGACORE = "megacore"
    IDLE = "idle"

    # Of hosts and GPUs: where several things happen at once, the one that comes last here counts.
    OTHERS = "others"  # nothing of the step is known to happen
    HOST_COMPUTE = "host_compute"
    COMPILE = "compile"
    HOST_TO_HOST = "host_to_host"
    HOST_TO_DEVICE = "host_to_device"
    LAUNCH = "launch"
    DEVICE_COLLECTIVES = "device_collectives"
    WAIT_INPUT = "wait_input"
    DEVICE_TO_DEVICE = "device_to_device"
    DEVICE_TO_HOST = "device_to_host"
    DEVICE_COMPUTE = "device_compute"  # of a precision that nothing tells
    DEVICE_COMPUTE_32 = "device_compute_32"
    DEVICE_COMPUTE_16 = "device_compute_16"


CLASS_OF: Final[Mapping[StepPart, StepClass]] = {
    StepPart.HIGH_FLOPS: StepClass.DEVICE_COMPUTE,
    StepPart.LOW_FLOPS: StepClass.DEVICE_COMPUTE,
    StepPart.INFEED: StepClass.INPUT,
    StepPart.SPARSE_INFEED: StepClass.INPUT,
    StepPart.OUTFEED: StepClass.OUTPUT,
    StepPart.HOST_SEND: StepClass.OUTPUT,
    StepPart.HOST_RECV: StepClass.INPUT,
    StepPart.ALL_REDUCE_COMPUTE: StepClass.DEVICE_COLLECTIVES,
    StepPart.ALL_REDUCE_SYNC: StepClass.DEVICE_COLLECTIVES,
    StepPart.ALL_REDUCE_UNSPLIT: StepClass.DEVICE_COLLECTIVES,
    StepPart.COLLECTIVES: StepClass.DEVICE_COLLECTIVES,
    StepPart.SEND: StepClass.DEVICE_TO_DEVICE,
    StepPart.RECV: StepClass.DEVICE_TO_DEVICE,
    StepPart.MEGACORE: StepClass.DEVICE_TO_DEVICE,
    StepPart.IDLE: StepClass.OTHERS,
    StepPart.OTHERS: StepClass.OTHERS,
    StepPart.HOST_COMPUTE: StepClass.HOST_COMPUTE,
    StepPart.COMPILE: StepClass.COMPILATION,
    StepPart.HOST_TO_HOST: StepClass.OTHERS,
    StepPart.HOST_TO_DEVICE: StepClass.INPUT,
    StepPart.LAUNCH: StepClass.KERNEL_LAUNCH,
    StepPart.DEVICE_COLLECTIVES: StepClass.DEVICE_COLLECTIVES,
    StepPart.WAIT_INPUT: StepClass.INPUT,
    StepPart.DEVICE_TO_DEVICE: StepClass.DEVICE_TO_DEVICE,
    StepPart.DEVICE_TO_HOST: StepClass.OUTPUT,
    StepPart.DEVICE_COMPUTE: StepClass.DEVICE_COMPUTE,
    StepPart.DEVICE_COMPUTE_32: StepClass.DEVICE_COMPUTE,
    StepPart.DEVICE_COMPUTE_16: StepClass.DEVICE_COMPUTE,
}

# Parts of TPU cores in the order of their columns; what is left of a step comes last.
TPU_PARTS: Final = tuple(part for part in StepPart if list(StepPart).index(part) <= list(StepPart).index(StepPart.IDLE))

_CATEGORIES: Final[Mapping[str, StepPart]] = {
    **dict.fromkeys(
        (
            "convolution",
            "convolution base-dilated",
            "convolution window-dilated",
            "convolution fusion",
            "output fusion",
        ),
        StepPart.HIGH_FLOPS,
    ),
    "infeed": StepPart.INFEED,
    "outfeed": StepPart.OUTFEED,
    "host send": StepPart.HOST_SEND,
    "host send-done": StepPart.HOST_SEND,
    "host recv": StepPart.HOST_RECV,
    "host recv-done": StepPart.HOST_RECV,
    **dict.fromkeys(("all-reduce", "all-reduce fusion", "all-to-all"), StepPart.ALL_REDUCE_COMPUTE),
    **dict.fromkeys(
        (
            "all-reduce-scatter fusion",
            "all-gather",
            "all-gather fusion",
            "all-gather-start",
            "all-gather-done",
            "reduce-scatter",
            "collective-permute",
            "collective-permute-start",
            "collective-permute-done",
        ),
        StepPart.COLLECTIVES,
    ),
    "send": StepPart.SEND,
    "send-done": StepPart.SEND,
    "recv": StepPart.RECV,
    "recv-done": StepPart.RECV,
    "megacore fusion": StepPart.MEGACORE,
}
_SPARSE_INFEED: Final = "sparsecorev0 infeed"


def part_of_category(category: str) -> StepPart:
    """The part of operations of an HLO category of a TPU core. All all-reduce counts as computing until it is split."""
    if category.startswith(_SPARSE_INFEED):
        return StepPart.SPARSE_INFEED
    return _CATEGORIES.get(category, StepPart.LOW_FLOPS)
