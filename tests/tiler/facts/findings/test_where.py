"""Places of culprits in words: hosts and devices, threads, and the slices that are open there."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.facts.findings.answers import groups, reading
from tests.tiler.facts.findings.pytorch_causes import PLANTED, run
from tests.tiler.facts.findings.pytorch_run import write_ranks
from tests.tiler.facts.findings.tpu_run import Pod, write_hosts
from tests.tiler.facts.findings.tpu_run import run as run_pod
from tests.tiler.json_traces import write_trace
from tilescope.tiler.facts.findings.blame import Culprit, IdleBlame
from tilescope.tiler.facts.findings.where import culprit_parts, device_names, host_name, names_at, short, thread_name
from tilescope.tiler.query import QueryReader


@given(st.text(max_size=300))
def test_a_short_name_is_the_begin_of_a_long_one(text: str) -> None:
    result = short(text)
    assert len(result) <= 90
    stripped = text.strip()
    assert result == stripped or (result.endswith("…") and stripped.startswith(result[:-1]) and len(stripped) > 90)


def nested(folder: Path, *names: str) -> Path:
    """A thread on which each slice lies in the one before."""
    events: list[dict[str, Any]] = [
        {"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": depth, "dur": 100 - 2 * depth}
        for depth, name in enumerate(names)
    ]
    thread = {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "main"}}
    return write_trace(folder / "trace.json", [thread, *events])


def place(reader: QueryReader) -> tuple[int, int]:
    """The track of that thread, and a tick in all slices."""
    (track,) = (track.id for track in reader.tree.tracks if track.kind != "rollup")
    return track, reader.end // 2


def holder_of(reader: QueryReader, name: str) -> int:
    return next(number for number in range(reader.names.count) if reader.names[number].text == name)


NESTED = {
    "few": (("a", "b", "c"), "b", ["a", "b", "c"]),
    "from the one around the culprit": (("a", "b", "c", "d"), "d", ["c", "d"]),
    "the outermost two, and the innermost": (("a", "b", "c", "d", "e"), "b", ["a", "b", "e"]),
    "steps tell nothing": (("ProfilerStep#7", "load"), "load", ["load"]),
    "nor do iterations": (("Iteration 7", "load"), "load", ["load"]),
    "each once": (("load", "load", "read"), "load", ["load", "read"]),
    "iterators are called after those they are in": (
        ("Iterator::Prefetch", "Iterator::Prefetch::Map", "Iterator::Prefetch::Map::TFRecord"),
        "Iterator::Prefetch",
        ["Iterator::Prefetch::Map::TFRecord"],
    ),
}


@pytest.mark.parametrize("name", NESTED)
def test_names_of_open_slices(tmp_path: Path, name: str) -> None:
    names, holder, expected = NESTED[name]
    with reading([nested(tmp_path, *names)], tmp_path) as reader:
        track, tick = place(reader)
        assert names_at(reader, track, tick, holder_of(reader, holder)) == expected
        assert thread_name(reader, track).startswith("main")


def test_parts_of_a_culprit(tmp_path: Path) -> None:
    with reading([nested(tmp_path, "loop", "load", "read")], tmp_path) as reader:
        track, tick = place(reader)
        assert culprit_parts(reader, IdleBlame()) == []
        blame = IdleBlame()
        blame.add(Culprit(track, holder_of(reader, "load"), holder_of(reader, "read")), 40, tick - 5, tick + 5)
        assert culprit_parts(reader, blame) == [thread_name(reader, track), "loop", "load", "read"]


def test_a_name_that_is_not_open_there_hides_no_other(tmp_path: Path) -> None:
    with reading([nested(tmp_path, "loop", "load")], tmp_path) as reader:
        track, tick = place(reader)
        assert names_at(reader, track, tick, 10**6) == ["loop", "load"]


def names_of(reader: QueryReader, chosen: Sequence[int]) -> tuple[str, str]:
    """Names of devices, and of the hosts of a cause that is theirs."""
    (group,) = groups(reader)
    lanes = group.lanes
    return device_names(reader, lanes, chosen, of_host=False), device_names(reader, lanes, chosen, of_host=True)


A, B = "node-a", "node-b"


@pytest.mark.parametrize(
    ("chosen", "devices", "hosts"),
    [
        ([0], f"{A} · /device:TPU:0", A),
        ([3], f"{B} · /device:TPU:1", B),
        ([2, 3], B, B),  # all of that host
        ([1, 2], f"{A} · /device:TPU:1 and {B} · /device:TPU:0", f"{A} and {B}"),
        ([0, 2, 3], f"{A} · /device:TPU:0 and {B} · /device:TPU:0 and 1 more", f"{A} and {B}"),
        ([0, 1, 2, 3], "all 4 devices", "all hosts"),
    ],
)
def test_devices_of_several_hosts(tmp_path: Path, chosen: list[int], devices: str, hosts: str) -> None:
    with reading(write_hosts(run_pod(Pod()), tmp_path), tmp_path) as reader:
        assert names_of(reader, chosen) == (devices, hosts)
        (group,) = groups(reader)
        assert [host_name(reader, lane) for lane in group.lanes] == [A, A, B, B]


def test_devices_of_one_host(tmp_path: Path) -> None:
    with reading(write_hosts(run_pod(Pod(hosts=1, batch=(900,), written=(50,))), tmp_path), tmp_path) as reader:
        assert names_of(reader, [1]) == ("/device:TPU:1", "/device:TPU:1")
        assert names_of(reader, [0, 1]) == ("both devices", "")


def test_ranks_are_devices(tmp_path: Path) -> None:
    with reading(write_ranks(run(PLANTED["input_of_a_rank"]), tmp_path), tmp_path) as reader:
        for chosen, expected in (([1], "rank 1 · GPU 1"), ([0, 1, 2], "all 3 devices")):
            assert names_of(reader, chosen) == (expected, expected)


def test_one_device_needs_no_host(tmp_path: Path) -> None:
    with reading(write_ranks(run(PLANTED["slow_host"]), tmp_path), tmp_path) as reader:
        assert names_of(reader, [0]) == ("GPU 0", "")
