"""Reasons to doubt the steps of MindSpore, which divides those of one graph, of fixed shapes, on one kind of device.

Dynamic shapes, graphs and operators on host CPUs are told by its tables, and by processes and tracks of its timelines.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from tilescope.tiler.device_lines import STEP_TRACE_STEPS, is_ascend_device
from tilescope.tiler.facts.ascend.headers import column_named, texts_named
from tilescope.tiler.facts.ascend.operator_families import HOST_RUNS
from tilescope.tiler.facts.ascend.shaped_runs import network_has_dynamic_shapes
from tilescope.tiler.facts.tables import run_tables
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache

_OPERATORS: Final = "framework_raw"
_GRAPH: Final = "graph_id"
_HOST_CPU: Final = "Host CPU"  # the process of such operators in the first timelines
_GRAPH_STEPS: Final = re.compile(r"Step Trace\(Model ID:([0-9]{1,10})\)", re.IGNORECASE)

_DOUBTS: Final = RunCache[list[str]]("step_doubts", "Reasons to doubt the steps of a run")


def step_doubts(reader: QueryReader) -> Interruptible[list[str]]:
    """Words on what a run has that its steps may be wrong for; none while it is indexed. Raises DamagedStore."""
    if not reader.is_whole:
        return []
    doubts = _DOUBTS.get(reader)
    return _DOUBTS.keep(reader, (yield from _doubts(reader))) if doubts is None else doubts


def _doubts(reader: QueryReader) -> Interruptible[list[str]]:
    graphs = yield from _graphs(reader)
    return [
        *(["dynamic shapes"] if network_has_dynamic_shapes(reader) else []),
        *([f"{graphs:,} graphs"] if graphs > 1 else []),
        *(["operators on host CPUs"] if _has_host_operators(reader) else []),
    ]


def _graphs(reader: QueryReader) -> Interruptible[int]:
    """The most graphs of a device, by a table of its operators or by the rows of its steps."""
    most = 0
    for table in run_tables(reader, _OPERATORS):
        if column_named(table, _GRAPH) is not None:
            texts = yield from texts_named(table, (_GRAPH,))
            most = max(most, sum(map(str.isdecimal, set(texts.words))))  # a row that is cut wrongly has others
    ids: dict[int, set[str]] = defaultdict(set)
    for track in reader.tree.tracks:
        if match := _GRAPH_STEPS.fullmatch(track.name):
            ids[track.group].add(match[1])
    return max([most, *map(len, ids.values())])


def _has_host_operators(reader: QueryReader) -> bool:
    groups = reader.tree.groups
    if any(len(table) for table in run_tables(reader, HOST_RUNS)):
        return True
    return any(is_ascend_device(group.name) for group in groups) and any(
        groups[track.group].name == _HOST_CPU and track.name != STEP_TRACE_STEPS and track.kind == "slice"
        for track in reader.tree.tracks
    )
