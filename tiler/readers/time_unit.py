"""The unit of the times in a trace whose format does not say it."""

from __future__ import annotations

from typing import Final, Literal

TimeUnit = Literal["us", "ns"]

# Of trace events, as their format has it. Some writers put nanoseconds there.
DEFAULT_TIME_UNIT: Final[TimeUnit] = "us"
