"""Work that may be interrupted: a question may take seconds, and whoever asks can stop, or let others go first."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")

# Yields where the work may be interrupted, every few tens of milliseconds; returns the answer.
Interruptible = Generator[None, None, T]


def finish(work: Interruptible[T]) -> T:
    """The answer, without interruption."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            answer: T = end.value
            return answer
