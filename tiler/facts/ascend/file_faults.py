"""Faults of files, as the run's warnings have them, with line and column: why there is no answer from these."""

from __future__ import annotations

import re
from typing import Final

from tilescope.tiler.query import QueryReader

MEMORY_PLANS: Final = re.compile(r"\bmemory_usage_(?:details|summary)_\d+\.json\b")
MEMORY_TABLES: Final = re.compile(r"\b(?:memory_record|operator_memory|npu_module_mem)\w*\.csv\b")

_NAMED: Final = 3


def with_faults(reader: QueryReader, reason: str, files: re.Pattern[str]) -> str:
    """A reason, and behind it what is wrong with files of such names, of many the first."""
    faults = [warning for warning in reader.manifest.warnings if files.search(warning)]
    return ". ".join([reason, *faults[:_NAMED]])
