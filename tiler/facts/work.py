"""What kind of work an operation of a device is, by what its format says of it: its category, or else its name."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import Final

from tilescope.tiler.query import Name


class Work(IntEnum):
    """Kinds of work."""

    NONE = 0  # no work of the device: an annotation, a wait
    COMPUTATION = 1
    COMMUNICATION = 2  # between devices
    COPY = 3  # between memories, or to and from the host
    CONTROL = 4  # an operation that runs others: computation where none of these runs


# Categories of HLO operations, which their names begin with. Asynchronous ones end in -start and -done.
_XLA_COMMUNICATION: Final = re.compile(
    r"(ragged-)?(all-(reduce|gather|to-all)|reduce-scatter|collective-(permute|broadcast))|(send|recv)(-done)?\b"
)
_XLA_COPY: Final = re.compile(
    r"(infeed|outfeed)\b|(copy|(dynamic-(update-)?)?slice)-(start|done)\b|async-(copy|slice)|host (send|recv)"
)
_XLA_CONTROL: Final = re.compile(r"(while|conditional|call)\b")

# Kernels of communication libraries.
_COLLECTIVE_KERNEL: Final = re.compile(r"nccl|rccl|hccl|msccl|nvshmem|all_?reduce.*kernel", re.IGNORECASE)
_STREAM_COPY: Final = re.compile(r"(hip)?memcpy|copy(host|device)to", re.IGNORECASE)

# The category of a device event in a PyTorch trace, in upper and lower case by age.
_KERNELS: Final = frozenset({"kernel", "gpu_memset", "memset"})
_COPIES: Final = frozenset({"gpu_memcpy", "memcpy"})

# Tasks of an Ascend stream that are no operators: they move data for communication kernels, or wait.
_ASCEND_TASK: Final = re.compile(r"(MEMCPY|REDUCE|NOTIFY|EVENT|SDMA|RDMA|STREAM)_[A-Z0-9_]+|hcom_.*")


def xla_operation(name: Name) -> Work:
    """Of an operation on an XLA line, by its category or the name of the operation."""
    text = name.category or name.text
    if _XLA_COMMUNICATION.match(text):
        return Work.COMMUNICATION
    if _XLA_COPY.match(text):
        return Work.COPY
    return Work.CONTROL if _XLA_CONTROL.match(text) else Work.COMPUTATION


def gpu_stream(name: Name) -> Work:
    """Of what runs on a stream of a GPU in an XSpace. Setting memory is computation, as in PyTorch traces."""
    if _STREAM_COPY.match(name.text):
        return Work.COPY
    return Work.COMMUNICATION if _COLLECTIVE_KERNEL.search(name.text) else Work.COMPUTATION


def pytorch_event(name: Name) -> Work:
    """Of an event of a PyTorch trace: the category says whether it is work of a device."""
    category = name.category.lower()
    if category in _COPIES:
        return Work.COPY
    if category not in _KERNELS:
        return Work.NONE
    return Work.COMMUNICATION if category == "kernel" and _COLLECTIVE_KERNEL.search(name.text) else Work.COMPUTATION


def ascend_stream(name: Name) -> Work:
    """Of a task on a stream of an Ascend device. What moves data there is part of a communication kernel."""
    return Work.NONE if _ASCEND_TASK.fullmatch(name.text) else Work.COMPUTATION


def communication(_name: Name) -> Work:
    """Of whatever stands on a track of communication kernels."""
    return Work.COMMUNICATION
