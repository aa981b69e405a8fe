"""Channels between cores, against the truth of a synthetic pod; and those that a trace does not tell in full."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.pod_run import Pod, PodShape, write_pod
from tests.metadata_loads import count_metadata_codes
from tests.tpu_trace import Instruction, Run, plane, write_trace
from tilescope.tiler.caches import CACHES
from tilescope.tiler.facts.channels.transfers import CoreWindows, run_transfers
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.ticks import nearest_mean
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Pod:
    return write_pod(tmp_path_factory.mktemp("pod"), PodShape(hosts=4, chips=4, steps=4))


@pytest.fixture(scope="module")
def reader(pod: Pod) -> QueryReader:
    build_store(pod.files, pod.folder / "store")
    return QueryReader(open_run_store(pod.folder / "store"))


def answer(reader: QueryReader, which: str = "pod", **asked: Any) -> Answer:
    return finish(ask(tool(which), Scope(reader), from_values(tool(which).question, asked)))


def by_row(of: Answer, table: str = "channels") -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


@pytest.mark.parametrize("steps", ["", "41", "40-42"])
def test_channels_as_they_were_made(pod: Pod, reader: QueryReader, steps: str) -> None:
    first, last = map(int, (steps.split("-") * 2)[:2]) if steps else (0, 99)
    truth = defaultdict(list)
    for one in pod.truth["channels"]:
        if first <= one["step"] <= last:
            truth[one["channel"], one["source"], one["destination"]].append(one)
    chosen = {"steps": steps if "-" in steps else f"{steps}-{steps}"} if steps else {}
    found = answer(reader, channels=True, **chosen)
    names = [row["core"] for row in by_row(found, "cores")]
    rows = by_row(found)
    assert len(rows) == len(truth) == 32
    assert [row["latency"] for row in rows] == sorted((row["latency"] for row in rows), reverse=True)
    for row in rows:
        of = truth[int(row["channel"]), names.index(row["source"]), names.index(row["destination"])]
        latency = [one["latency"] for one in of]
        assert (row["occurrences"], row["longest"]) == (len(of), max(latency))
        assert row["latency"] == nearest_mean(sum(latency), len(of))
        assert row["send_delay"] == nearest_mean(sum(one["send_delay"] for one in of), len(of))
        assert row["data"] == of[0]["bytes"]
        assert row["hlo"] == ", ".join(of[0]["hlo"])
        assert row["bandwidth"] == pytest.approx(row["data"] / (row["latency"] * 1e-12))
        assert row["end"] - row["start"] == row["longest"]
        track, ordinal = map(int, row["event"].split("."))
        assert answer(reader, "nesting", track=track, ordinal=ordinal).fact("name").value == of[0]["hlo"][1]
    unmatched = [note.text for note in found.notes if "end in no step" in note.text]
    assert bool(unmatched) == (first <= 40)  # a host began a step late
    assert "channels" not in [table.id for table in answer(reader).tables]


def test_halves_add_up(reader: QueryReader) -> None:
    whole = by_row(answer(reader, channels=True))
    halves = [by_row(answer(reader, channels=True, steps=steps)) for steps in ("40-41", "42-43")]
    for row in whole:
        key = ("channel", "source", "destination")
        same = [one for half in halves for one in half if all(one[of] == row[of] for of in key)]
        assert row["occurrences"] == sum(one["occurrences"] for one in same)
        assert row["longest"] == max(one["longest"] for one in same)


def test_counters_as_they_were_made(pod: Pod, reader: QueryReader) -> None:
    rows = by_row(answer(reader, "counters"), "performance")
    for name, of in pod.truth["counters"].items():
        ours = sorted((row["n"], row["total"], row["least"], row["last"]) for row in rows if row["counter"] == name)
        assert ours == sorted((len(values), sum(values), float(values[0]), float(values[-1])) for values in of.values())


SHAPE = "(f32[8]{0}, u32[])"
Op = tuple[str, str]  # category, and the end of the HLO text


def channels_of(folder: Path, *cores: list[Op]) -> Answer:
    """Of cores that run these operations in a step, 100 ps apart, each core 10 ps after the one before."""
    planes = []
    for core, of in enumerate(cores):
        instructions = [
            Instruction(
                f"{category}.{k}",
                {
                    "program_id": 1,
                    "symbol_id": k + 1,
                    "hlo_category": category,
                    "shape_with_layout": "(f32[8]{0}, u32[])",
                },
                f"%{category}.{k} = {SHAPE} {category}({tail}",
            )
            for k, (category, tail) in enumerate(of)
        ]
        runs = [Run(k, 100 * k + 10 * core, 50) for k in range(len(of))]
        lines = {"Steps": [Run(len(of), 0, 1000)], "XLA Ops": runs}
        planes.append(plane(f"/device:TPU:{core}", [*instructions, Instruction("7")], lines))
    build_store([write_trace(folder / "t.xplane.pb", planes)], folder / "store")
    return answer(QueryReader(open_run_store(folder / "store")), channels=True)


def test_permutations_are_channels(tmp_path: Path) -> None:
    """Their ends name what they end, and no channel."""
    pairs = "source_target_pairs={{0,1},{1,0},{7,8}}"
    of = [
        ("collective-permute-start", f"%x), channel_id=3, {pairs}"),
        ("collective-permute-done", "(f32[8]{0}, u32[]) %collective-permute-start.0)"),
        ("collective-permute", f"%x), channel_id=4, {pairs}"),
    ]
    rows = {(row["channel"], row["source"]): row for row in by_row(channels_of(tmp_path, of, of))}
    names = sorted({name for _, name in rows})
    assert sorted(rows) == [(channel, name) for channel in "34" for name in names]
    assert {key: row["latency"] for key, row in rows.items()} == {
        ("3", names[0]): 160,
        ("3", names[1]): 140,
        ("4", names[0]): 60,
        ("4", names[1]): 40,
    }
    assert rows["3", names[1]]["send_delay"] == 10
    assert {row["data"] for row in rows.values()} == {32}
    assert rows["3", names[0]]["hlo"] == "collective-permute-start.0, collective-permute-done.1"


def test_what_a_trace_does_not_pair(tmp_path: Path) -> None:
    long = "{0,1}," * 400_000  # beyond what is read of a text
    send, many = [("send", "%x), channel_id=5")], [("send", "%x), channel_id=6")]
    odd = [
        ("send", "%x), channel_id=99999999999999999999"),
        ("recv-done", "%none)"),
        ("send", f"%x), channel_id=7, {long}"),
    ]
    done = [("recv-done", "%x), channel_id=5"), ("recv-done", "%x), channel_id=6")]
    found = channels_of(tmp_path, send, many, many, [*done, *odd])
    (row,) = by_row(found)  # one sends, and one receives
    assert (row["channel"], row["latency"], row["send_delay"]) == ("5", 80, 0)
    assert any("1 channel between several cores: the trace does not record" in note.text for note in found.notes)


def test_no_channels(tmp_path: Path) -> None:
    assert by_row(channels_of(tmp_path, [("fusion", "%x)")])) == []


def test_metadata_is_loaded_as_often_as_for_no_channels_when_nothing_is_cached(
    pod: Pod, reader: QueryReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = count_metadata_codes(monkeypatch)
    monkeypatch.setattr(CACHES, "limit_bytes", 0)
    cores = [core for core in tpu_cores(reader) if core.operations]
    windows = [
        CoreWindows(core, number, np.array([0]), np.array([reader.end + 1]), np.array([0]))
        for number, core in enumerate(cores)
    ]
    assert len(finish(run_transfers(reader, windows))) > 100
    # One for the transfers, and one for the categories of each track.
    assert len(loaded) <= 1 + sum(len(core.operations) for core in cores)
