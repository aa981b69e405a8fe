"""Parts of a capture of MindSpore's first profiler: those that it has, and the options that record the others."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.tables import run_tables
from tilescope.tiler.query import QueryReader

# Tables that this profiler alone writes, whatever its options.
_FIRST_GENERATION: Final = (
    *("step_trace_raw", "framework_raw", "timeline_data", "aicore_details", "aicore_types", "flops"),
)


_EXPORTED: Final = ", then msprof --export=on"  # the profiler leaves them raw


@dataclass(frozen=True, slots=True)
class CapturePart:
    """Something that an option records. `tool`: the id of the one that shows it; `option`: what records it, as written.

    Tables of its families tell of it; with `columns`, those that have a column of such a name.
    """

    title: str
    tool: str
    option: str
    families: frozenset[str]
    of_several: bool = False  # of one device alone there is none
    columns: re.Pattern[str] | None = None


_PARTS: Final = (
    CapturePart(
        "operators", "operators", "op_time=True", frozenset({"aicore_types", "aicore_details", "aicpu_intermediate"})
    ),
    CapturePart(
        "data preparation",
        "input_pipeline",
        "data_process=True",
        frozenset(
            {
                *("minddata_aicpu", "device_queue_profiling", "dataset_iterator_profiling", "minddata_pipeline_raw"),
                *("pipeline_profiling", "minddata_cpu_utilization"),
            }
        ),
    ),
    CapturePart(
        "memory", "memory_viewer", "profile_memory=True", frozenset({"memory_usage_summary", "memory_usage_details"})
    ),
    CapturePart("communication", "collectives", "profile_communication=True", frozenset({"hccl_raw"}), of_several=True),
    CapturePart(
        "parallel strategy", "tables", "parallel_strategy=True", frozenset({"parallel_strategy"}), of_several=True
    ),
    CapturePart(
        "counters of AI Cores",
        "operators",
        f"aicore_metrics=1{_EXPORTED}",
        frozenset({"op_summary", "kernel_details"}),
        columns=re.compile(r"(?i)(?:aic|aiv|mac|vec|mte[0-9]|scalar|cube|icache)(?:ore)?_"),
    ),
    CapturePart("L2 cache", "tables", f"l2_cache=True{_EXPORTED}", frozenset({"l2_cache"})),
)


@dataclass(frozen=True, slots=True)
class RecordedParts:
    """Parts that a run has, and those that it lacks."""

    recorded: tuple[CapturePart, ...] = ()
    lacking: tuple[CapturePart, ...] = ()


def recorded_parts(reader: QueryReader) -> RecordedParts:
    """The parts of a run; none of one by another profiler. Raises StoredLast while it is indexed, DamagedStore."""
    tables = run_tables(reader)
    columns: dict[str, set[str]] = {}
    for table in tables:
        columns.setdefault(table.entry.family.partition(".")[0], set()).update(table.columns)
    if not columns.keys() & set(_FIRST_GENERATION):
        return RecordedParts()
    ranks = {table.entry.rank for table in tables if table.entry.rank is not None}
    recorded = tuple(part for part in _PARTS if _has(columns, part))
    lacking = tuple(part for part in _PARTS if part not in recorded and (len(ranks) > 1 or not part.of_several))
    return RecordedParts(recorded, lacking)


def _has(columns: Mapping[str, Collection[str]], part: CapturePart) -> bool:
    """True if tables, by family, tell of a part."""
    own = [columns[family] for family in part.families if family in columns]
    return any(part.columns is None or any(map(part.columns.match, names)) for names in own)
