"""Content of a store, in words: the lines that `index` and `info` print."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tilescope.tiler.count_text import count_text, plural
from tilescope.tiler.duration_text import duration_text
from tilescope.tiler.size_text import size_text

if TYPE_CHECKING:
    from tilescope.tiler.schema import FlowTotals, Outliers, RunManifest

# The order in which kinds of events are listed, and how they are called.
EVENT_KINDS = {
    "slices": "slices",
    "async_slices": "async slices",
    "instants": "instants",
    "counter_samples": "counter samples",
    "flow_ends": "flow ends",
    "other": "other",
}


_RANK = re.compile(r"rank \d+( · |$)")  # where a rank of a job stands in place of a host

# Why events are outliers, by the counts of the manifest.
_OUTLIERS = {
    "before": "before all else",
    "after": "after all else",
    "too_long": "far longer than all else",
    "overruns": "beyond later kernels of the stream",
}


_TABLES_ALONE = "ascend_table"  # the format of such runs


class StoreFact(NamedTuple):
    """One line: a label and a text."""

    label: str
    text: str


def store_facts(manifest: RunManifest) -> list[StoreFact]:
    """The facts of a manifest (see docs/api.md), the most asked for first; what is empty is left out."""
    facts = [StoreFact("format", manifest.format), StoreFact("span", _span(manifest))]
    counts = {name: int(getattr(manifest.events, kind)) for kind, name in EVENT_KINDS.items()}
    kinds = [f"{count_text(count)} {name}" for name, count in counts.items() if count]
    facts.append(StoreFact("events", _no_events(manifest) if manifest.empty else ", ".join(kinds)))
    if manifest.outliers is not None:
        facts.append(StoreFact("outliers", _outliers(manifest.outliers, manifest.tick_ps)))
    if launches := _launches(manifest.flows):
        facts.append(StoreFact("launches", launches))
    facts.append(StoreFact("tracks", _tracks(manifest)))
    facts.append(StoreFact("store", _sizes(manifest)))
    if manifest.ignored:
        ignored = [f"{count_text(n)} × {reason}" for reason, n in sorted(manifest.ignored.items())]
        facts.append(StoreFact("ignored", ", ".join(ignored)))
    facts += [StoreFact("warning", warning) for warning in manifest.warnings]
    return facts


def _no_events(manifest: RunManifest) -> str:
    """Reason why there are no events."""
    written = manifest.events.total
    if not written and manifest.format == _TABLES_ALONE:
        return "none: what was read are tables, see `tilescope ask`, tool tables"
    if not written:
        return "none: the trace is empty"
    return f"none: of {plural(written, 'event', 'events')} in the trace no time could be read, see ignored"


def _span(manifest: RunManifest) -> str:
    ticks, tick_ps = manifest.end - manifest.start, manifest.tick_ps
    return f"{duration_text(ticks, tick_ps)}, in ticks of {duration_text(1, tick_ps)}"


def _outliers(outliers: Outliers, tick_ps: int) -> str:
    numbers = {reason: int(getattr(outliers, reason)) for reason in _OUTLIERS}
    parts = [f"{count_text(count)} {_OUTLIERS[reason]}" for reason, count in numbers.items() if count]
    rest = duration_text(int(outliers.end) - int(outliers.start), tick_ps)
    return f"{', '.join(parts)}: left out of figures; all else takes {rest}"


def _launches(flows: FlowTotals) -> str:
    """Launches that correlations tell of, and what is left on either side; empty where there is nothing of it."""
    if flows.calls_without_work is None or flows.work_without_launch is None:
        return "not joined, no room"
    parts = [
        (flows.derived, "joined by correlation", "joined by correlation"),
        (flows.calls_without_work, "call without work on a device", "calls without work on a device"),
        (flows.work_without_launch, "slice of a device without a launch", "slices of devices without a launch"),
    ]
    return ", ".join(plural(*part) for part in parts if part[0])


def _tracks(manifest: RunManifest) -> str:
    hosts = len(manifest.hosts)
    are_ranks = hosts > 0 and all(map(_RANK.match, manifest.hosts))
    nouns = ("rank", "ranks") if are_ranks else ("host", "hosts")
    return (
        f"{count_text(manifest.tracks)} in {plural(manifest.processes, 'process', 'processes')} "
        f"on {plural(hosts, *nouns)}"
    )


def _sizes(manifest: RunManifest) -> str:
    store_bytes, source_bytes = manifest.store_bytes, manifest.source_bytes
    ratio = f", {store_bytes / source_bytes:.2f} of the trace's {size_text(source_bytes)}" if source_bytes else ""
    return f"{size_text(store_bytes)}{ratio}"
