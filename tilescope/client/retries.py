"""Retries of a client that a server has told to ask again later (429): it waits as long as it was told, a few times."""

from __future__ import annotations

from typing import Final

TRIES: Final = 6  # in all
MOST_S: Final = 10.0  # for one of the waits, whatever the server says


def wait_s(tries: int, retry_after: str | None) -> float | None:
    """Seconds to wait before the next try, after so many; None: the refusal stands."""
    if tries >= TRIES:
        return None
    requested_s = (
        float(retry_after) if retry_after is not None and retry_after.isascii() and retry_after.isdigit() else 1.0
    )
    return min(requested_s, MOST_S)
