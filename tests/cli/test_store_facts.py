"""What a manifest says, in words."""

from __future__ import annotations

from typing import Any, Final

from tests.server.fakes import FakeStore
from tilescope.cli.store_facts import EVENT_KINDS, store_facts
from tilescope.cli.track_table import process_rows
from tilescope.tiler.schema import RunManifest, TreeMembers

_NO_FLOWS: Final = dict.fromkeys(FakeStore().manifest()["flows"], "0")


def manifest(**changes: Any) -> RunManifest:
    counts = {"total": "7", **dict.fromkeys(EVENT_KINDS, "0"), "slices": "5", "flow_ends": "2"}
    return RunManifest.from_json({
        **FakeStore().manifest(), "outliers": None, "flows": _NO_FLOWS, "format": "xspace",
        "tick_ps": 1, "start": "0", "end": "1500000",
        "events": counts, "empty": False, "tracks": 1_234, "processes": 1, "hosts": ["a", "b"], "store_bytes": "500",
        "source_bytes": "1000", "ignored": {}, "warnings": [], **changes,
    })  # fmt: skip


def lines(**changes: Any) -> list[tuple[str, str]]:
    return [(fact.label, fact.text) for fact in store_facts(manifest(**changes))]


def test_facts() -> None:
    assert lines() == [
        ("format", "xspace"),
        ("span", "1.5 µs, in ticks of 1 ps"),
        ("events", "5 slices, 2 flow ends"),
        ("tracks", "1,234 in 1 process on 2 hosts"),
        ("store", "500 B, 0.50 of the trace's 1.00 kB"),
    ]


def test_ranks_are_called_so() -> None:
    assert ("tracks", "1,234 in 1 process on 2 ranks") in lines(hosts=["rank 0 · node7 · GPU 0", "rank 1"])
    assert ("tracks", "1,234 in 1 process on 2 hosts") in lines(hosts=["rank 0", "ranking"])


def test_an_empty_trace() -> None:
    empty = lines(empty=True, source_bytes="0", events=dict.fromkeys(("total", *EVENT_KINDS), "0"))
    assert ("events", "none: the trace is empty") in empty
    assert ("store", "500 B") in empty


def test_a_trace_whose_events_cannot_be_read() -> None:
    events = dict.fromkeys(("total", *EVENT_KINDS), "0") | {"total": "7", "other": "7"}
    text = "none: of 7 events in the trace no time could be read, see ignored"
    assert ("events", text) in lines(empty=True, events=events)


def test_launches() -> None:
    flows = FakeStore().manifest()["flows"]
    counts = {"derived": "552", "calls_without_work": "1204", "work_without_launch": "1"}
    text = "552 joined by correlation, 1,204 calls without work on a device, 1 slice of a device without a launch"
    assert ("launches", text) in lines(flows={**flows, **counts})
    assert all(label != "launches" for label, _ in lines(flows={**flows, **dict.fromkeys(counts, "0")}))
    unknown = {"derived": "0", "calls_without_work": None, "work_without_launch": None}
    assert ("launches", "not joined, no room") in lines(flows={**flows, **unknown})


def test_outliers() -> None:
    some = {"start": "100", "end": "1100", "before": "2", "after": "0", "too_long": "1", "overruns": "0", "events": []}
    text = "2 before all else, 1 far longer than all else: left out of figures; all else takes 1 ns"
    assert ("outliers", text) in lines(outliers=some)
    assert all(label != "outliers" for label, _ in lines(outliers=None))


def test_what_was_ignored_and_warnings_come_last() -> None:
    assert lines(ignored={"missing_ts": "1200", "bad_dur": "3"}, warnings=["cut short", "no names"])[-3:] == [
        ("ignored", "3 × bad_dur, 1,200 × missing_ts"),
        ("warning", "cut short"),
        ("warning", "no names"),
    ]


def test_processes_of_several_hosts() -> None:
    groups = [
        {"id": 0, "parent": None, "kind": "host", "name": "h0"},
        {"id": 1, "parent": 0, "kind": "process", "name": "p"},
        {"id": 2, "parent": None, "kind": "host", "name": "h1"},
        {"id": 3, "parent": 2, "kind": "process", "name": "p"},
    ]
    figures: list[dict[str, Any]] = [
        {"kind": "rollup", "events": "6", "busy": "900"},
        {"kind": "slice", "events": "2", "busy": "300"},
        {"kind": "slice", "events": "3", "busy": "600"},
        {"kind": "counter", "events": "1", "min": 0.0, "max": 1.0},
    ]
    tracks = [{"id": k, "group": 1, "name": "t", "rows": 1, **track} for k, track in enumerate(figures)]
    tree = TreeMembers.from_json({"groups": groups, "tracks": tracks})
    rows = process_rows(tree.groups, tree.tracks, 1_000)
    assert [(row.name, row.tracks, row.events, row.busy) for row in rows] == [
        ("h0 › p", "3", "6", "900 ns"),
        ("h1 › p", "0", "0", "0 ps"),
    ]
