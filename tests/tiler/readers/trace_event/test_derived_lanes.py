"""Events of derived lanes in a file are no events of the trace: whatever their phase, and wherever they stand."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tilescope.tiler.export.derived_lanes import CATEGORY
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

Event = dict[str, Any]

PHASES = st.sampled_from(list("XBEiCbestfMNv?"))
EVENTS = st.lists(
    st.fixed_dictionaries(
        {
            "ph": PHASES,
            "name": st.sampled_from(["a", "process_name", "thread_name"]),
            "pid": st.integers(1, 3),
            "tid": st.integers(1, 2),
            "ts": st.integers(0, 50),
            "args": st.fixed_dictionaries({"name": st.sampled_from(["p", "q"]), "value": st.integers(0, 9)}),
        },
        optional={"dur": st.integers(0, 20), "id": st.integers(1, 3)},
    ),
    max_size=12,
)
FIRST: Event = {"ph": "X", "name": "first", "cat": "kernel", "pid": 1, "tid": 1, "ts": 7, "dur": 9}


def shown(events: list[Event]) -> tuple[Any, ...]:
    with TemporaryDirectory() as folder:
        (Path(folder) / "trace.json").write_text(json.dumps({"traceEvents": events}))
        build_store([Path(folder) / "trace.json"], Path(folder) / "store")
        reader = QueryReader(open_run_store(Path(folder) / "store"))
        manifest = reader.store.manifest()
        facts = {key: manifest[key] for key in ("events", "flows", "origin_ns", "end", "ignored", "warnings")}
        tracks = [(track.name, track.kind, track.events, track.group) for track in reader.tree.tracks]
        return facts, tracks, [(group.name, group.detail) for group in reader.tree.groups]


@given(events=EVENTS, derived=EVENTS, places=st.lists(st.integers(0, 12), min_size=12, max_size=12))
@settings(max_examples=examples(60), deadline=None)
def test_a_run_is_the_same_without_them(events: list[Event], derived: list[Event], places: list[int]) -> None:
    mixed: list[Event] = [FIRST, *events]
    for place, event in zip(places, derived, strict=False):
        mixed.insert(min(place, len(mixed)), {**event, "cat": CATEGORY})
    facts, *rest = shown(mixed)
    ignored = facts["ignored"] = dict(facts["ignored"])
    count = int(ignored.pop("derived_lane", 0))
    assert count == sum(event["ph"] != "M" for event in derived)
    assert (facts, *rest) == shown([FIRST, *events])
