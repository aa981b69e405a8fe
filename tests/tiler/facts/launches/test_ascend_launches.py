"""Launches of a torch_npu trace: flows of its operators lead to tasks, beside those of the runtime."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.corpus import corpus_path
from tests.tiler.facts.launches.test_step_work import reading
from tilescope.tiler.facts.launches import device_launches
from tilescope.tiler.lookup.events import event_details
from tilescope.tiler.query import finish


def ps(microseconds: Any) -> int:
    whole, _, part = str(microseconds).partition(".")
    return int(whole + part.ljust(6, "0"))


def flows(events: list[dict[str, Any]], category: str) -> dict[int, int]:
    """The time at which each flow of a category begins, in ps, by that at which it arrives."""
    begins, arrivals = (
        {event["id"]: ps(event["ts"]) for event in events if event["ph"] == phase and event["cat"] == category}
        for phase in "sf"
    )
    return {arrivals[key]: begin for key, begin in begins.items()}


def test_tasks_are_launched_by_operators_of_torch_npu(tmp_path: Path) -> None:
    """Calls of the runtime launch the same tasks, and begin later than the operators around them."""
    file = corpus_path("ascend/msprof_trace_view_string_ts.json")
    operators = flows(json.loads(file.read_text()), "async_npu")
    with reading(file, tmp_path) as reader:

        def group_of(track: int) -> str:
            return reader.tree.groups[reader.tree.tracks[track].group].name

        tracks = [track for track in range(len(reader.tree.tracks)) if group_of(track) == "Ascend Hardware"]
        (device,) = (track for track in tracks if reader.tree.tracks[track].kind == "slice")
        launches = finish(device_launches(reader, device))
        assert {group_of(track) for track in launches.track.tolist()} == {"Python"}
        base = min(ps(event["ts"]) for event in json.loads(file.read_text()) if event["ph"] in "Xsfi")
        pairs = {}
        for task, start in zip(launches.ordinal.tolist(), launches.start.tolist(), strict=True):
            details = event_details(reader.store, device, task)
            assert details is not None
            pairs[int(details["start"]) + base] = start + base
        assert len(pairs) == len(operators) == 274
        assert pairs == operators
        others = set(range(reader.tree.tracks[device].events)) - set(launches.ordinal.tolist())
        names = [event_details(reader.store, device, task) for task in sorted(others)]
        assert [event and event["name"] for event in names] == ["MEMCPY_ASYNC"] * 2  # whose connection_id is -1
