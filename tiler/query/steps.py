"""Questions in steps: whoever asks can stop between them, and let others have their turn."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

T = TypeVar("T")

# Yields where the work may be interrupted, every few tens of milliseconds; returns the answer.
Steps = Generator[None, None, T]


def finish(steps: Steps[T]) -> T:
    """The answer, without interruption."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            answer: T = end.value
            return answer
