"""Call stacks that events refer to by the id of a frame."""

from __future__ import annotations

from tests.reports.traces import Open


def test_frames_are_resolved_to_stacks(open_by_name: Open) -> None:
    store = open_by_name("stack_frames.json").store
    stacks = {}
    for track in range(store.manifest()["tracks"]):
        event = store.event(track, 0)
        if event is not None:
            (stacks[event["name"]],) = event["stacks"]
    assert stacks == {
        "malloc": {"argument": "sf", "frames": ["main", "parse", "alloc"]},
        "hit": {"argument": "sf", "frames": ["main", "parse"]},
    }
