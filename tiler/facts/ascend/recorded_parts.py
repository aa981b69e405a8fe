"""Parts of a capture of MindSpore's first profiler: those that it has, and the options that record the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.tables import run_tables
from tilescope.tiler.query import QueryReader

# Tables that this profiler alone writes, whatever its options.
_FIRST_GENERATION: Final = (
    *("step_trace_raw", "framework_raw", "timeline_data", "aicore_details", "aicore_types", "flops"),
)


@dataclass(frozen=True, slots=True)
class CapturePart:
    """Something that an option records. `tool`: the id of the one that shows it."""

    title: str
    tool: str
    option: str
    families: frozenset[str]
    of_several: bool = False  # of one device alone there is none


_PARTS: Final = (
    CapturePart(
        "operators", "operators", "op_time", frozenset({"aicore_types", "aicore_details", "aicpu_intermediate"})
    ),
    CapturePart(
        "data preparation",
        "input_pipeline",
        "data_process",
        frozenset(
            {
                *("minddata_aicpu", "device_queue_profiling", "dataset_iterator_profiling", "minddata_pipeline_raw"),
                *("pipeline_profiling", "minddata_cpu_utilization"),
            }
        ),
    ),
    CapturePart(
        "memory", "memory_viewer", "profile_memory", frozenset({"memory_usage_summary", "memory_usage_details"})
    ),
    CapturePart("communication", "collectives", "profile_communication", frozenset({"hccl_raw"}), of_several=True),
    CapturePart("parallel strategy", "tables", "parallel_strategy", frozenset({"parallel_strategy"}), of_several=True),
)


@dataclass(frozen=True, slots=True)
class RecordedParts:
    """Parts that a run has, and those that it lacks."""

    recorded: tuple[CapturePart, ...] = ()
    lacking: tuple[CapturePart, ...] = ()


def recorded_parts(reader: QueryReader) -> RecordedParts:
    """The parts of a run; none of one by another profiler. Raises StoredLast while it is indexed, DamagedStore."""
    tables = run_tables(reader)
    families = {table.entry.family.partition(".")[0] for table in tables}
    if not families.intersection(_FIRST_GENERATION):
        return RecordedParts()
    ranks = {table.entry.rank for table in tables if table.entry.rank is not None}
    recorded = tuple(part for part in _PARTS if families & part.families)
    lacking = tuple(part for part in _PARTS if part not in recorded and (len(ranks) > 1 or not part.of_several))
    return RecordedParts(recorded, lacking)
