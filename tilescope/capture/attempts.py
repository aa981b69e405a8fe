"""Waits between attempts: longer each time, and not the same for all hosts."""

from __future__ import annotations

from typing import Final

FIRST_WAIT_S: Final = 1.0
LONGEST_WAIT_S: Final = 30.0
JITTER: Final = 0.25  # of a wait, more or less


def wait_s(attempt: int, chance: float) -> float:
    """The wait after attempt number `attempt`, from 1: about 1, 2, 4, … 30 s. `chance`: a random number from 0 to 1."""
    return min(FIRST_WAIT_S * 2.0 ** min(attempt - 1, 30), LONGEST_WAIT_S) * (1 + JITTER * (2 * chance - 1))
