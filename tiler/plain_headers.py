"""Names of columns as they are compared: versions of profilers differ in units, blanks and capitals."""

from __future__ import annotations

import re
from typing import Final

_UNIT: Final = re.compile(r"\((?:us|ms|ns|s|kb|mb|gb|gb/s|mb/s|%)\)|[\s_](?:us|ms|ns)$")
_TIME_UNIT: Final = re.compile(r"\((s|ms|us|ns)\)$|[\s_](us|ms|ns)$")
_EXPONENTS: Final = {"s": 12, "ms": 9, "us": 6, "ns": 3}
_BLANK: Final = re.compile(r"\s+")


def plain_header(column: str) -> str:
    """The name of a column without unit, blanks and capitals: `execution_time (ms)` is `execution_time`."""
    return _BLANK.sub("", _UNIT.sub("", column.strip().lower()))


def time_exponent(column: str, otherwise: int) -> int:
    """The power of ten by which times of a column are picoseconds: 9 of `Duration(ms)`; `otherwise` without a unit."""
    match = _TIME_UNIT.search(column.strip().lower())
    return otherwise if match is None else _EXPONENTS[match[1] or match[2]]
