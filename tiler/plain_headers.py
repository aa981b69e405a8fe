"""Names of columns as they are compared: versions of profilers differ in units, blanks and capitals."""

from __future__ import annotations

import re
from typing import Final

_UNIT: Final = re.compile(r"\((?:us|ms|ns|s|kb|mb|gb|gb/s|mb/s|%)\)|[\s_](?:us|ms|ns)$")
_BLANK: Final = re.compile(r"\s+")


def plain_name(column: str) -> str:
    """The name of a column without unit, blanks and capitals: `execution_time (ms)` is `execution_time`."""
    return _BLANK.sub("", _UNIT.sub("", column.strip().lower()))
