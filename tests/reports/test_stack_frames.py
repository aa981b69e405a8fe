"""Call stacks that events refer to by the id of a frame."""

from __future__ import annotations

from tests.reports.traces import Open
from tilescope.tiler.lookup.events import event_details


def test_frames_are_resolved_to_stacks(open_by_name: Open) -> None:
    store = open_by_name("stack_frames.json").store
    stacks = {}
    for track in range(store.manifest()["tracks"]):
        event = event_details(store, track, 0)
        if event is not None:
            (stacks[event["name"]],) = event["stacks"]
    assert stacks == {
        "malloc": {"argument": "sf", "frames": ["main", "parse", "alloc"]},
        "hit": {"argument": "sf", "frames": ["main", "parse"]},
    }
