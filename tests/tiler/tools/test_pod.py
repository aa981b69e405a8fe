"""What each core does in each step: the figures of xprof and of the truth; and which cores keep the others waiting."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from bench.pod_run import PodShape, write_pod
from tests.corpus import corpus_path
from tests.headlines import headline
from tests.xprof_golden import golden, is_close
from tilescope.tiler.facts.step_times import TPU_PARTS, StepClass
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.tools.input_pipeline.device_tables import CLASS_TITLES
from tilescope.tiler.tools.parameters import parameters

FILES = {"pod": "pod", "jax_cpu_10steps": "xplane/jax_cpu_10steps.xplane.pb"}
CLASSES = dict(zip((str(k) for k in range(1, 10)), StepClass, strict=False))


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, QueryReader]:
    found = {}
    for name, file in FILES.items():
        path = tmp_path_factory.mktemp("pod") / "store"
        build_store(sorted(corpus_path(file).rglob("*.xplane.pb")) or [corpus_path(file)], path)
        found[name] = QueryReader(open_run_store(path))
    return found


def answer(reader: QueryReader, **asked: Any) -> Answer:
    return finish(ask(tool("pod"), Scope(reader), from_values(tool("pod").question, asked)))


def by_row(of: Answer, table: str) -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def truth() -> Any:
    return json.loads(gzip.decompress(corpus_path("pod/truth.json.gz").read_bytes()))


def test_cells_as_xprof_has_them(readers: dict[str, QueryReader]) -> None:
    ours = iter(by_row(answer(readers["pod"]), "cells"))
    steps = golden("pod/all/pod_viewer")["podStatsSequence"]["podStatsMap"]
    for step, known in zip(steps, truth()["steps"], strict=True):
        cores = step["podStatsPerCore"]
        for key in sorted(cores, key=int):
            row, theirs, core = next(ours), cores[key], known["cores"][key]
            assert row["step"] == known["step"] == step["stepNum"] + 100  # its numbers begin anew at 0
            assert theirs["hostName"] in row["core"]
            assert row["duration"] == core["duration"]
            # It gives every core the longest step of its host: what is too much is among the others.
            longer = theirs["totalDurationUs"] - core["duration"] / 1e6
            for place, name in CLASSES.items():
                expected = theirs["stepBreakdownUs"][place] - (longer if name is StepClass.OTHERS else 0)
                assert is_close(row[name] / 1e6, expected) or abs(row[name] / 1e6 - expected) < 1e-6, name
            assert sum(row[name] for name in StepClass) == row["duration"]
            assert row["bottleneck"] == CLASS_TITLES[StepClass.DEVICE_COMPUTE]
            assert theirs["bottleneck"] == "Device compute"
            reduce = core["all_reduce"]
            assert (row["tpu_all_reduce_compute"], row["tpu_all_reduce_sync"]) == (reduce["compute"], reduce["sync"])
            assert sum(row[name] for name in row if name.startswith("tpu_")) == row["duration"]
    assert next(ours, None) is None


def test_waiting_in_all_reduces_needs_all_that_take_part(tmp_path: Path) -> None:
    """A host was recorded a step later: in the first step, nobody can tell how long the others waited for it."""
    shape = PodShape()
    pod = write_pod(tmp_path / "pod", shape)
    build_store(pod.files, tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    pod_answer = answer(reader, collectives=True)
    cells = iter(by_row(pod_answer, "cells"))
    for step in pod.truth["steps"]:
        for core in step["cores"].values():
            row, reduce = next(cells), core["all_reduce"]
            assert row["step"] == step["step"]
            for name in ("compute", "sync", "unsplit"):
                assert row[f"tpu_all_reduce_{name}"] == reduce[name]
            assert sum(row[name] for name in row if name.startswith("tpu_")) == row["duration"] == core["duration"]
            assert (reduce["unsplit"] > 0) == (step["step"] == shape.first_step)
    assert next(cells, None) is None
    for row in by_row(pod_answer, "collectives"):
        figures = [row[name] for name in ("compute", "longest_wait", "waits")]
        assert all(value is None for value in figures) == (row["step"] == shape.first_step), row
    texts = [note.text for note in pod_answer.notes]
    (unsplit,) = [text for text in texts if "not separable" in text]
    assert unsplit.startswith(f"Waiting in all-reduces of step {shape.first_step} is ")
    assert "4 of 6 devices" in unsplit
    assert f"pod-worker-1 lacks step {shape.first_step}." in texts
    assert any("of the 4 steps that all have" in text for text in texts)
    # Means and shares are of the other steps.
    complete = [list(step["cores"].values()) for step in pod.truth["steps"][1:]]
    for place, row in enumerate(by_row(pod_answer, "cores")):
        durations = [cores[place]["duration"] for cores in complete]
        assert row["duration"] == pytest.approx(sum(durations) / len(durations), abs=1)
        waits = [cores[place]["all_reduce"]["sync"] for cores in complete]
        assert row["tpu_all_reduce_sync"] == pytest.approx(sum(waits) / len(waits), abs=1)
        assert row["tpu_all_reduce_unsplit"] == 0
    whole = sum(core["duration"] for cores in complete for core in cores)
    for name in ("compute", "sync"):
        taken = sum(core["all_reduce"][name] for cores in complete for core in cores)
        assert pod_answer.fact(f"all_reduce_{name}").value == pytest.approx(taken / whole)


def test_a_host_alone_has_all_reduces_that_are_a_part_of_their_own(tmp_path: Path) -> None:
    """Its programs say that 16 devices run them."""
    build_store(sorted(corpus_path("pod").rglob("tpu-pod-w-2.xplane.pb")), tmp_path / "store")
    pod_answer = answer(QueryReader(open_run_store(tmp_path / "store")))
    assert pod_answer.fact("all_reduce_sync").value is pod_answer.fact("all_reduce_compute").value is None
    assert (
        pod_answer.fact("all_reduce_sync").note
        == pod_answer.fact("all_reduce_unsplit").note
        == "4 of 16 devices of the job recorded"
    )
    reduces = [
        core["all_reduce"]["compute"] + core["all_reduce"]["sync"]
        for step in truth()["steps"]
        for place, core in zip(truth()["cores"], step["cores"].values(), strict=True)
        if place["host"] == 2
    ]
    assert [row["tpu_all_reduce_unsplit"] for row in by_row(pod_answer, "cells")] == reduces


def test_hosts_as_xprof_has_them(readers: dict[str, QueryReader]) -> None:
    of = answer(readers["jax_cpu_10steps"])
    for row, step in zip(
        by_row(of, "cells"), golden("jax_cpu_10steps/pod_viewer")["podStatsSequence"]["podStatsMap"], strict=True
    ):
        (core,) = step["podStatsPerCore"].values()
        assert {name: row[name] / 1e3 for name in CLASSES.values()} == {
            CLASSES[k]: us for k, us in core["stepBreakdownUs"].items()
        }
        assert row["bottleneck"] == core["bottleneck"]
        assert row["tpu_idle"] is None
    assert of.fact("stragglers").value is None  # of a single host nobody can tell


def test_who_keeps_the_others_waiting(readers: dict[str, QueryReader]) -> None:
    of = answer(readers["pod"])
    found = [(row["core"].split(":")[0], row["cause"]) for row in by_row(of, "stragglers")]
    # Built in: host 2 waits for its input, and chip 2 of host 1 is slow.
    assert sorted(found[:4]) == [(f"tpu-pod-w-2 · Chip {chip}", "Input") for chip in range(4)]
    assert found[4:] == [("tpu-pod-w-1 · Chip 2", "Device compute")]
    assert of.fact("stragglers").value == 5
    slow = by_row(of, "stragglers")[4]
    assert 3.9e9 < slow["extra"] < 4.1e9  # 4 ms
    assert "tpu-pod-w-2" in headline(of).text
    # Without these nobody stands out.
    tracks = [*readers["pod"].tree.of_host("tpu-pod-w-0"), *readers["pod"].tree.of_host("tpu-pod-w-3")]
    assert not by_row(answer(readers["pod"], tracks=tracks), "stragglers")


def test_any_span_is_the_sum_of_its_halves(readers: dict[str, QueryReader]) -> None:
    def sums(reader: QueryReader, start: int, end: int) -> dict[str, int]:
        of = answer(reader, start=start, end=end)
        if not of.tables:
            return {}
        columns = [column for column in of.table("cells").columns if column.kind == "ticks"]
        return {column.id: sum(int(value or 0) for value in values_of(column)) for column in columns}

    for reader in readers.values():
        end = reader.end + 1
        whole = sums(reader, 0, end)
        for cut in (end // 5, end // 2, end * 10 // 11):
            first, second = sums(reader, 0, cut), sums(reader, cut, end)
            assert {key: first.get(key, 0) + second.get(key, 0) for key in whole} == whole


def test_cores_on_their_chips(readers: dict[str, QueryReader]) -> None:
    of = answer(readers["pod"])
    rows = by_row(of, "cores")
    assert [(row["host"], row["chip"], row["core_number"]) for row in rows] == [
        (f"tpu-pod-w-{chip // 4}", chip, 0) for chip in range(16)
    ]
    assert [(row["x"], row["y"]) for row in rows] == [(chip % 4, chip // 4) for chip in range(16)]  # a row each
    assert any("row by row" in note.text for note in of.notes)
    for row in rows:  # all of a step is told by category, up to what means leave of a picosecond each
        assert abs(row["duration"] - sum(row[name] for name in row if name.startswith("tpu_"))) < 7
    (host,) = by_row(answer(readers["jax_cpu_10steps"]), "cores")
    assert host["chip"] is host["x"] is host["tpu_idle"] is None


def test_all_reduces_and_who_comes_last(readers: dict[str, QueryReader]) -> None:
    reader = readers["pod"]
    rows = by_row(answer(reader, collectives=True), "collectives")
    events: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for track in (of for of in reader.tree.tracks if of.name == "XLA Ops"):
        for row in by_row(finish(ask(tool("events"), Scope(reader), asked_events(track.id))), "events"):
            if row["name"].startswith("all-reduce"):
                on = events.setdefault((track.id, row["name"]), [])
                on.append(row)
    known = iter(rows)
    for place, step in enumerate(truth()["steps"]):
        cores = step["cores"]
        for name in ("all-reduce.1", "all-reduce.2"):
            row = next(known)
            ps = [core["ops"][name][1] for core in cores.values()]
            on = [of[place] for (_, which), of in events.items() if which == name]
            assert (row["step"], row["name"], row["cores"]) == (step["step"], name, 16)
            assert (row["compute"], row["longest_wait"]) == (min(ps), max(ps) - min(ps))
            assert row["waits"] == sum(ps) - 16 * min(ps)
            begins, ends = [of["start"] for of in on], [of["start"] + of["duration"] for of in on]
            assert (row["start"], row["end"]) == (min(begins), max(ends))
            assert (row["begins_apart"], row["ends_apart"]) == (max(begins) - min(begins), max(ends) - min(ends))
            late = "tpu-pod-w-2" if name == "all-reduce.1" else "tpu-pod-w-1 · Chip 2"  # as it is built
            assert row["last"].startswith(late)
    assert next(known, None) is None
    # Each belongs to where it begins: nothing is told twice, and nothing is left out.
    cut = rows[5]["start"] + 1
    halves = [answer(reader, collectives=True, start=0, end=cut), answer(reader, collectives=True, start=cut)]
    counts = [sum(row["cores"] for row in by_row(of, "collectives")) for of in halves]
    assert sum(counts) == 16 * len(rows)
    assert counts[0] % 16  # the cut goes through one
    assert len(by_row(answer(reader, collectives=True, limit=3), "collectives")) == 3
    assert by_row(answer(readers["jax_cpu_10steps"], collectives=True), "collectives") == []


def asked_events(track: int) -> Any:
    return from_values(tool("events").question, {"tracks": [track], "limit": 10_000})


def test_the_map(readers: dict[str, QueryReader]) -> None:
    (series,) = answer(readers["pod"], colour="input", steps="101-102").series
    assert values_of(series.x) == [101, 102]
    assert len(series.ys) == 16
    known = truth()["steps"][1:3]
    for column, key in zip(series.ys, sorted(known[0]["cores"], key=int), strict=True):
        cores = [step["cores"][key] for step in known]
        assert values_of(column) == [core["category"]["infeed"] / core["duration"] for core in cores]
    (series,) = answer(readers["pod"], colour="tpu_all_reduce_sync", steps="101-102").series
    for column, key in zip(series.ys, sorted(known[0]["cores"], key=int), strict=True):
        cores = [step["cores"][key] for step in known]
        assert values_of(column) == [core["all_reduce"]["sync"] / core["duration"] for core in cores]


def test_every_part_colours_the_map() -> None:
    (colour,) = [of for of in parameters(tool("pod").question) if of.name == "colour"]
    parts = [*(of.value for of in StepClass), *(f"tpu_{of.value}" for of in TPU_PARTS)]
    assert sorted(colour.choices) == sorted(["duration", "keeps_waiting", *parts])


@pytest.mark.parametrize("name", ["jax_cpu_10steps"])
def test_the_mean_step_of_one_host_is_that_of_the_input_pipeline(readers: dict[str, QueryReader], name: str) -> None:
    (host,) = by_row(answer(readers[name]), "cores")
    pipeline = tool("input_pipeline")
    theirs = finish(ask(pipeline, Scope(readers[name]), from_values(pipeline.question, {})))
    assert host["duration"] == theirs.fact("mean").value
