"""The saved pages of a run: JSON of the Cloud TPU profiler, parsed, and which version of it wrote that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tilescope.tiler.details.stepwise_json import must_fit, parse_json
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.store.attachments import AttachmentEntry, attachments_of, whole_content

_PREFIX: Final = "page/"
_TITLES: Final[Mapping[str, str]] = {
    "pod_viewer": "Pod viewer",
    "op_profile": "Op profile",
    "input_pipeline": "Input pipeline analyzer",
    "overview_page": "Overview page",
    "memory_viewer": "Memory viewer",
}

# What each newer version writes that the older ones did not.
_CORES_OF_2019: Final = "crsDurationUs"
_CORES_OF_2020: Final = "allReduceSyncDurationUs"
_CORES_OF_XPROF: Final = "stepBreakdownUs"


@dataclass(frozen=True, slots=True)
class SavedPage:
    """One of them."""

    entry: AttachmentEntry

    @property
    def page(self) -> str:
        """Id of the page: "op_profile"."""
        return self.entry.name.removeprefix(_PREFIX).partition("~")[0]

    @property
    def title(self) -> str:
        """The same for people."""
        return _TITLES.get(self.page, self.page)

    def parsed(self, reader: QueryReader) -> Interruptible[Any]:
        """Content of the file; None stands for NaN, too. Raises DamagedStore, TooLarge."""
        data = (yield from whole_content(reader.store, self.entry)).tobytes()
        must_fit(data, self.entry.label)
        yield
        try:
            text = data.decode("utf-8-sig")
            del data
            return (yield from parse_json(text))
        except (ValueError, RecursionError) as error:
            raise DamagedStore(f"the page {self.entry.label!r} is not what was indexed: {error}") from None


def saved_pages(reader: QueryReader) -> Sequence[SavedPage]:
    """Saved pages of a run, in the order of its files. Raises NotBuilt while it is indexed, DamagedStore."""
    return [SavedPage(entry) for entry in attachments_of(reader.store) if entry.name.startswith(_PREFIX)]


def saved_page(reader: QueryReader, page: str) -> SavedPage | None:
    """The first page of a run that has this id; None: it has none. Raises NotBuilt, DamagedStore."""
    return next((saved for saved in saved_pages(reader) if saved.page == page), None)


def version_of(page: str, parsed: Any) -> str:
    """The tool and its version whose page this looks like."""
    if page == "pod_viewer":
        cores = _first_core(parsed)
        if _CORES_OF_XPROF in cores:
            return "XProf 2.x"
        if _CORES_OF_2020 in cores:
            return "Cloud TPU profiler of 2020 or later: all-reduce is told as compute and sync"
        if _CORES_OF_2019 in cores:
            return "Cloud TPU profiler before 2020: all-reduce is one figure (crsDurationUs)"
        return "Cloud TPU profiler, version unknown"
    if page == "op_profile":
        return "XProf 2.x" if "rawTime" in _root_metrics(parsed) else "Cloud TPU profiler 1.x: times are shares"
    if page == "input_pipeline":
        is_old = isinstance(parsed, list) and "noninfeedTimeMs" in _column_ids(parsed)
        return "Cloud TPU profiler 1.x" if is_old else "XProf, or TensorBoard's profile plugin 2.x"
    if page == "overview_page":
        properties = parsed[0].get("p") if isinstance(parsed, list) and parsed and isinstance(parsed[0], dict) else None
        is_new = isinstance(properties, dict) and "device_duty_cycle_percent" in properties
        return "XProf, or TensorBoard's profile plugin 2.x" if is_new else "Cloud TPU profiler 1.x"
    if isinstance(parsed, dict) and isinstance(parsed.get("maxHeap"), list):
        return "XProf, or TensorBoard's profile plugin 2.x"
    return "Cloud TPU profiler: an HLO module and its buffers as JSON"


def _first_core(parsed: Any) -> Mapping[str, Any]:
    sequence = parsed.get("podStatsSequence") if isinstance(parsed, dict) else None
    steps = sequence.get("podStatsMap") if isinstance(sequence, dict) else None
    for step in steps if isinstance(steps, list) else ():
        cores = step.get("podStatsPerCore") if isinstance(step, dict) else None
        for core in cores.values() if isinstance(cores, dict) else ():
            if isinstance(core, dict):
                return core
    return {}


def _root_metrics(parsed: Any) -> Mapping[str, Any]:
    roots = parsed.values() if isinstance(parsed, dict) else ()
    metrics_of_roots = (root.get("metrics") for root in roots if isinstance(root, dict))
    return next((metrics for metrics in metrics_of_roots if isinstance(metrics, dict)), {})


def _column_ids(tables: list[Any]) -> set[str]:
    columns = [table.get("cols") for table in tables if isinstance(table, dict)]
    named = (
        column.get("id")
        for columns_of_table in columns
        if isinstance(columns_of_table, list)
        for column in columns_of_table
        if isinstance(column, dict)
    )
    return {column_id for column_id in named if isinstance(column_id, str)}
