"""Kinds of work, and what says that something is of one."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray


class Work(IntEnum):
    """Kinds of work. Those behind CONTROL are copies, which `directed_kinds` tells apart."""

    NONE = 0  # no work of the device: an annotation, a wait
    COMPUTATION = 1
    COMMUNICATION = 2  # between devices
    COPY = 3  # between memories, or to and from the host
    CONTROL = 4  # an operation that runs others: computation where none of these runs
    TO_DEVICE = 5
    TO_HOST = 6
    INFEED = 7
    OUTFEED = 8


class Origin(IntEnum):
    """Source of the kind of a name."""

    DEFAULT = 0  # nothing: it counts as computation
    TABLE = 1  # the built-in table, or the format itself
    USER = 2  # a rule of the user


_SHIFT: Final = 4  # a kind takes less


def code_of(work: Work, origin: Origin) -> int:
    """Both as one number below 256."""
    return work | origin << _SHIFT


def work_of(code: int) -> Work:
    """The kind of a code."""
    return Work(code & ((1 << _SHIFT) - 1))


def works_of(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The kinds of codes."""
    return np.bitwise_and(codes, np.uint8((1 << _SHIFT) - 1))


def origins_of(codes: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The origins of codes."""
    return np.right_shift(codes, np.uint8(_SHIFT))
