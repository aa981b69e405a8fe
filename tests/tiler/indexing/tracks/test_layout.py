"""The order of tracks on the screen, and the rollups behind them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec import UNSET

from tilescope.tiler.columns import Process, SideTable, TraceSummary, Track, TrackKind
from tilescope.tiler.indexing.tracks.layout import Layout, lay_out
from tilescope.tiler.indexing.tracks.track_facts import TrackFacts


def summary(hostname: str, processes: list[Process], tracks: list[Track]) -> TraceSummary:
    return TraceSummary("xspace", processes=processes, tracks=tracks, hostname=hostname)


def json_summary(hostname: str, processes: list[Process], tracks: list[Track]) -> TraceSummary:
    return TraceSummary("trace_event_json", processes=processes, tracks=tracks, hostname=hostname)


def groups(layout: Layout) -> list[tuple[str, str, int | None, int | None]]:
    return [(g.kind, g.name, g.parent, g.rollup) for g in layout.groups]


def test_hosts_processes_and_tracks_in_order() -> None:
    first = summary(
        "host10",
        [Process("late", sort_index=5), Process("early")],
        [
            Track(0, TrackKind.SLICE, "a"),
            Track(1, TrackKind.SLICE, "second", sort_index=2),
            Track(1, TrackKind.COUNTER, "first"),
            Track(1, TrackKind.FLOW, "second"),
        ],
    )
    second = summary("host9", [Process("only", "pid 3")], [Track(0, TrackKind.INSTANT, "marks")])
    weights = {(0, 0): 1, (0, 1): 2, (0, 2): 7, (0, 3): 9, (1, 0): 0}
    layout = lay_out([first, second], lambda file, track: weights[file, track])
    assert groups(layout) == [
        ("run", "2 hosts", None, 4),
        ("host", "host9", 0, None),
        ("process", "only", 1, None),
        ("host", "host10", 0, 4),
        ("process", "early", 3, 5),
        ("process", "late", 3, 6),
    ]
    assert [(t.id, t.group, t.kind, t.name, t.weight) for t in layout.tracks] == [
        (0, 2, "instant", "marks", 0),
        (1, 4, "counter", "first", 7),
        (2, 4, "slice", "second", 2),
        (3, 5, "slice", "a", 1),
        (4, 3, "rollup", "host10", 3),
        (5, 4, "rollup", "early", 2),
        (6, 5, "rollup", "late", 1),
    ]
    assert [t.children for t in layout.tracks[4:]] == [(2, 3), (2,), (3,)]


def test_a_rollup_of_the_same_tracks_is_there_once() -> None:
    alone = summary(
        "host", [Process("p"), Process("q")], [Track(0, TrackKind.ASYNC, "a"), Track(1, TrackKind.COUNTER, "c")]
    )
    layout = lay_out([alone], lambda file, track: 1)
    assert groups(layout) == [("host", "host", None, 2), ("process", "p", 0, 2), ("process", "q", 0, None)]
    assert (layout.tracks[2].group, layout.tracks[2].children) == (1, (0,))


def test_rollups_of_several_hosts() -> None:
    files = [
        summary(
            f"host{k}", [Process("p"), Process("q")], [Track(0, TrackKind.SLICE, "a"), Track(1, TrackKind.SLICE, "b")]
        )
        for k in range(3)
    ]
    layout = lay_out(files, lambda file, track: 1)
    rollups = [(layout.groups[t.group].kind, t.children) for t in layout.tracks if t.kind == TrackKind.ROLLUP]
    assert rollups[0] == ("run", (0, 1, 2, 3, 4, 5))
    assert rollups[1:4] == [("host", (0, 1)), ("process", (0,)), ("process", (1,))]
    assert len(rollups) == 1 + 3 * 3


def test_spaces_with_the_host_name_of_another_stay_apart() -> None:
    files = [summary("vm", [Process(f"p{k}")], [Track(0, TrackKind.SLICE, "a")]) for k in range(2)]
    layout = lay_out(files, lambda file, track: 1)
    assert [(g.kind, g.name) for g in layout.groups] == [
        ("run", "2 hosts"),
        ("host", "vm"),
        ("process", "p0"),
        ("host", "vm (2)"),
        ("process", "p1"),
    ]


def test_a_host_that_is_called_as_the_second_of_a_name_stays_apart() -> None:
    """`vm (2)` is what it says itself, and what the second `vm` would be called."""
    files = [summary(name, [Process("p")], [TRACK]) for name in ("vm", "vm (2)", "vm")]
    assert lay_out(files, lambda file, track: 1).hosts == ["vm", "vm (2)", "vm (3)"]


def test_files_of_one_host_stand_together() -> None:
    files = [json_summary(name, [Process(f"p{k}")], [Track(0, TrackKind.SLICE, "a")]) for k, name in enumerate("bab")]
    layout = lay_out(files, lambda file, track: 1)
    assert [(g.kind, g.name) for g in layout.groups] == [
        ("run", "2 hosts"),
        ("host", "a"),
        ("process", "p1"),
        ("host", "b"),
        ("process", "p0"),
        ("process", "p2"),
    ]


@pytest.mark.parametrize(
    ("named", "drawn", "host_by_table"),
    [
        ((), 1, "host"),  # beside a timeline that does not say where it is from
        (("a",), 0, "a"),
        (("a", "a"), 0, "a"),
        (("a", "b"), 0, ""),  # which of them nobody can tell
        (("a",), 1, "host"),
        ((), 0, "host"),
    ],
)
def test_tables_without_a_host_are_on_the_only_one(named: tuple[str, ...], drawn: int, host_by_table: str) -> None:
    track = Track(0, TrackKind.SLICE, "a")
    files = [json_summary(name, [Process("p")], [track]) for name in (*named, *[""] * drawn)]
    table = replace(json_summary("", [], []), tables=[SideTable("t", "t", [], [], [], lambda: iter(()))])
    page = json_summary("", [], [])
    layout = lay_out([*files, table, page], lambda file, track: 1)
    assert layout.hosts[: len(files)] == [*named, *["host"] * drawn]
    assert layout.hosts[len(files)] == host_by_table
    assert layout.hosts[-1] == ("" if files else "host")  # what is no table and not drawn is of the run


@pytest.mark.parametrize(("own", "host"), [(("a",), "a"), (("a", "b"), ""), (("a", ""), "host")])
def test_files_and_tables_beside_processes_with_hosts_of_their_own(own: tuple[str, ...], host: str) -> None:
    """As in a trace that was exported: no group is called otherwise."""
    processes = [Process("p", host=name) for name in own]
    tracks = [Track(place, TrackKind.SLICE, "a") for place in range(len(own))]
    table = replace(json_summary("", [], []), tables=[SideTable("t", "t", [], [], [], lambda: iter(()))])
    layout = lay_out([json_summary("", processes, tracks), table], lambda file, track: 1)
    assert layout.hosts == [host, host]
    assert {group.name for group in layout.groups if group.kind == "host"} == {name or "host" for name in own}


def framing(process: Process, *names: str, weight: int = 1) -> list[str]:
    alone = summary("host", [process], [Track(0, TrackKind.SLICE, name) for name in names])
    layout = lay_out([alone], lambda file, track: weight if track == 2 else 1)
    return [track.name for track in layout.tracks if track.frames]


def test_steps_and_modules_of_a_device_frame_what_it_does() -> None:
    device = Process("Chip 0: TPU Core 0", is_device=True)
    names = "Steps", "XLA Modules", "XLA Ops", "Sparse Core Steps #2"
    assert framing(device, *names) == ["Steps", "XLA Modules", "Sparse Core Steps #2"]
    assert framing(device, *names, weight=0) == []  # there is nothing else
    assert framing(Process("python"), *names) == []


def test_what_is_said_of_tracks() -> None:
    alone = summary("host", [Process("p")], [Track(0, TrackKind.SLICE, "a"), Track(0, TrackKind.SLICE, "b")])
    layout = lay_out([alone], lambda file, track: 1)
    facts = {0: TrackFacts(5, 2, 10, span=(3, 9)), 1: TrackFacts(6, 3, 20, value_range=(0.5, 1.5), span=(1, 8))}
    facts[2] = TrackFacts.of_rollup([facts[0], facts[1]])
    shown = layout.to_schema(facts).tracks
    assert [(t.rows, t.events, t.busy, t.lanes) for t in shown] == [
        (2, "5", "10", UNSET),
        (3, "6", "20", UNSET),
        (1, "11", "30", 5),
    ]
    assert (shown[1].min, shown[1].max) == (0.5, 1.5)
    assert [(t.first, t.last) for t in shown] == [("3", "9"), ("1", "8"), ("1", "9")]
    assert TrackFacts.of_rollup([TrackFacts()]).span is None


TRACK = Track(0, TrackKind.SLICE, "a")


@pytest.mark.parametrize(
    ("paths", "hosts"),
    [
        (("r/a/t.json", "r/b/t.json"), ["a", "b"]),
        (("r/x/profiler/t.json", "r/y/profiler/t.json", "r/y/profiler/u.json"), ["x/profiler"] + 2 * ["y/profiler"]),
        (("r/t.json", "r/b/t.json"), ["r", "b"]),
        (("r/a/t.json", "r/a/u.json"), ["host", "host"]),
        (("traces.zip/a/t.json", "traces.zip/b/t.json"), ["a", "b"]),
        (("r/PROF_1_2_A/x/t.json", "r/PROF_1_2_A/y/t.json"), ["host", "host"]),  # of one capture
        (("r/PROF_1_2_A/x/t.json", "r/PROF_1_2_B/x/t.json"), ["PROF_1_2_A", "PROF_1_2_B"]),
        ((), ["host", "host"]),
    ],
)
def test_files_that_name_no_host_are_of_their_folder(paths: tuple[str, ...], hosts: list[str]) -> None:
    files = [json_summary("", [Process("p")], [TRACK]) for _ in hosts]
    layout = lay_out(files, lambda file, track: 1, [Path("/", path) for path in paths])
    assert layout.hosts == hosts
    assert [group.name for group in layout.groups if group.kind == "host"] == sorted(set(hosts))


def test_what_files_say_comes_before_their_folders() -> None:
    files = [json_summary(name, [Process("p")], [TRACK]) for name in ("one", "", "two")]
    page, table = json_summary("", [], []), json_summary("", [], [])
    table = replace(table, tables=[SideTable("t", "t", [], [], [], lambda: iter(()))])
    paths = [Path(f"/r/{folder}/t.json") for folder in "abccb"]
    layout = lay_out([*files, page, table], lambda file, track: 1, paths)
    assert layout.hosts == ["one", "b", "two", "", "b"]


def test_files_of_a_format_of_one_host_are_hosts_of_their_own_within_a_folder() -> None:
    files = [summary("", [Process("p")], [TRACK]) for _ in range(3)]
    layout = lay_out(files, lambda file, track: 1, [Path(f"/r/{folder}/t.pb") for folder in "aab"])
    assert layout.hosts == ["a", "a (2)", "b"]
