"""Kinds of the time on a critical path, and of the waits by which it goes from one track to another."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from typing import Final, Literal, get_args


class PathKind(IntEnum):
    """Kinds of the pieces of a path."""

    COMPUTATION = 0
    COMMUNICATION = 1
    COPY = 2
    OPERATOR = 3  # operators and calls of a host's thread
    BETWEEN = 4  # a host's thread between them
    LAUNCH = 5  # from the begin of a call to that of the work that it launches
    STREAM = 6  # work that was launched, on a stream that is free, has not begun
    SYNCHRONISATION = 7  # from the end of the work that a call waits for to that of the call
    NOTHING = 8  # nothing runs that was recorded


KIND_TITLES: Final[Mapping[PathKind, str]] = {
    PathKind.COMPUTATION: "Computation",
    PathKind.COMMUNICATION: "Communication",
    PathKind.COPY: "Copies",
    PathKind.OPERATOR: "Operators and calls",
    PathKind.BETWEEN: "Between operators",
    PathKind.LAUNCH: "Launch delay",
    PathKind.STREAM: "Between kernels",
    PathKind.SYNCHRONISATION: "Synchronisation",
    PathKind.NOTHING: "Nothing recorded",
}


# Kinds in questions, in the order of `PathKind`.
PathKindWord = Literal[
    "computation",
    "communication",
    "copies",
    "operators",
    "between_operators",
    "launch_delay",
    "between_kernels",
    "synchronisation",
    "nothing_recorded",
]
KIND_WORDS: Final[Mapping[PathKind, PathKindWord]] = dict(zip(PathKind, get_args(PathKindWord), strict=True))


class WaitKind(IntEnum):
    """Ways in which a piece of a path follows the one before."""

    ORDER = 0  # it is the next on its thread or stream
    LAUNCH = 1  # work waits for the call that launches it
    EVENT = 2  # a stream waits for another
    SYNCHRONISATION = 3  # a call waits for work of a device
    THREAD = 4  # a thread goes on where another one ends


WAIT_TITLES: Final[Mapping[WaitKind, str]] = {
    WaitKind.ORDER: "order on a track",
    WaitKind.LAUNCH: "launch",
    WaitKind.EVENT: "stream waits for a stream",
    WaitKind.SYNCHRONISATION: "call waits for a device",
    WaitKind.THREAD: "thread goes on after another",
}
