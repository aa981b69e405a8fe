"""Collectives: links, waits and the slow link, against figures of real files and the truth of synthetic trainings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.ascend_run import AscendShape, Training, write_ascend, write_profiler
from bench.ascend_run.__main__ import main as write_training
from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.facts.ascend.cluster import read_cluster
from tilescope.tiler.facts.ascend.communication import ChosenPart
from tilescope.tiler.facts.tables import run_tables
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, QueryReader
from tilescope.tiler.readers.logdir import find_run
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.collectives.cluster import _slow_link
from tilescope.tiler.tools.collectives.links import RankLink, shortfalls
from tilescope.tiler.windows import everywhere


def figure(answered: Answer, name: str) -> Any:
    return answered.fact(name).value


def indexed(path: Path, folder: Path) -> QueryReader:
    build_store(list(find_run(path).files), folder / "run.store")
    return QueryReader(open_run_store(folder / "run.store"))


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueryReader]:
    reader = indexed(corpus_path("ascend/cluster_propose"), tmp_path_factory.mktemp("cluster"))
    with closing(reader.store):
        yield reader


def test_the_slow_link_of_a_real_cluster(cluster: QueryReader) -> None:
    """By bandwidths of the file, sums of those of operators, as MindSpore Insight has it; and by bytes and times."""
    whole = answer(cluster, "collectives")
    links = {(row["rank"], row["source"], row["destination"]): row for row in rows(whole, "links")}
    slow = links[1, 0, 1]
    assert round(slow["recorded"] / 1000, 4) == 107910491.8874
    assert round(100 * figure(whole, "recorded_below"), 2) == 74.26
    assert whole.fact("recorded_below").note.startswith("0 → 1 by SDMA, recorded by rank 1")
    assert slow["bandwidth"] == pytest.approx(10**12 * slow["size"] / (slow["time"] * cluster.tick_ps), rel=1e-12)
    assert figure(whole, "slow_link") == "0 → 1 by SDMA, recorded by rank 1"
    between = [row["bandwidth"] for row in links.values() if row["source"] != row["destination"]]
    assert slow["below"] == pytest.approx(1 - slow["bandwidth"] / (sum(between) / 4), rel=1e-12)
    assert any(note.text.startswith("The slowest link is 0 → 1 by SDMA, recorded by rank 1") for note in whole.notes)
    assert any("are numbers within a group" in note.text for note in whole.notes)


def test_five_proposals_of_a_real_cluster(cluster: QueryReader) -> None:
    """As MindSpore Insight has them, and what it has below its thresholds."""
    table = {row["proposal"]: row for row in rows(answer(cluster, "collectives"), "proposals")}
    assert {
        name: (row["place"], round(100 * row["share"], 2), row["figures"]) for name, row in table.items() if row["over"]
    } == {
        "Step interval": ("rank 2", 22.23, "2.4318 ms, mean 1.9896 ms"),
        "Communication between stages": ("all ranks", 25.82, "207.1324 ms of 802.2454 ms"),
        "Communication within a stage": ("stage 1", 60.3, "216.2146 ms of 358.5737 ms"),
        "FLOPs of a stage": ("stage 2", 50.94, "329610.3845 M, mean 218378.1415 M"),
        "Link": (
            "0 → 1 by SDMA, recorded by rank 1",
            67.77,
            "5.055 GB/s; as recorded, and like MindInsight, 107910491.8874 kB/s, 74.26 % below the mean",
        ),
    }
    assert {name for name, row in table.items() if not row["over"]} == {"Computation", "FLOPS"}
    texts = [note.text for note in answer(cluster, "collectives").notes]
    assert any("5.055 GB/s, 67.8 % below the mean" in text for text in texts), "as the table has it"
    digest = {row["proposal"]: row["share"] for row in rows(answer(cluster, "overview"), "digest.collectives")}
    assert digest["Link"] == table["Link"]["share"], "and Overview"
    assert any(
        text.startswith("Stage 2 has 50.9 % more FLOPs than the mean of stages (330 G, mean 218 G)") for text in texts
    )
    assert any(
        text.startswith("Rank 2 waits longest before its steps, 22.2 % above the mean (2.43 ms") for text in texts
    )


def test_parts_of_a_real_cluster(cluster: QueryReader) -> None:
    """A rank's mean is the last row of its file, a step that of its number."""
    whole = answer(cluster, "collectives")
    first = rows(whole, "cluster")[0]
    ms = 10**9 // cluster.tick_ps
    assert [first[name] / ms for name in ("computation", "communication", "receive", "collective", "length")] == [
        14.6986,
        164.2464,
        56.4488,
        107.7976,
        122.4961,
    ]
    assert (first["stage"], first["step"], round(first["interval"] / ms, 4)) == (1, None, 1.5722)
    assert [row["stage"] for row in rows(whole, "cluster")] == [1, 1, 2, 2]
    for row in rows(whole, "cluster"):
        rest = row["computation"] + row["communication"] - row["receive"]
        assert rest == pytest.approx(row["length"], abs=ms * 1.01e-4)
    second = rows(answer(cluster, "collectives", steps=2), "cluster")[2]
    assert [second[name] / ms for name in ("computation", "communication", "receive")] == [123.2714, 56.0189, 2.9661]
    assert len(rows(whole, "cluster_steps")) == 20


def test_a_cluster_of_the_second_generation(tmp_path: Path) -> None:
    reader = indexed(corpus_path("ascend/msprof_analyze/cluster_step_trace_time.csv"), tmp_path)
    whole = answer(reader, "collectives")
    ranks = rows(whole, "cluster")
    assert [row["rank"] for row in ranks] == list(range(8))
    us = 10**6 / reader.tick_ps
    first = ranks[0]
    parts = {name: round(first[name] / us, 3) for name in ("computation", "communication", "overlapped", "free")}
    assert parts == {
        "computation": 80309.687,
        "communication": 683731.29,
        "overlapped": 5524.545,
        "free": 990605.104,
    }
    for row in ranks:
        assert (row["computation"] + row["communication"] + row["free"]) / us == pytest.approx(
            (row["length"] + row["receive"]) / us, abs=1
        )
    (communication, computation) = rows(whole, "proposals")
    total = sum(row["computation"] + row["communication"] for row in ranks)
    assert communication["share"] == pytest.approx(sum(row["communication"] for row in ranks) / total, rel=1e-9)
    assert (computation["place"], computation["over"]) == ("rank 4", False)


def test_steps_of_a_cluster_are_read_with_pauses(tmp_path: Path) -> None:
    reader = indexed(corpus_path("ascend/msprof_analyze/cluster_step_trace_time.csv"), tmp_path)
    (table,) = run_tables(reader)
    chosen = ChosenPart(lambda _host, _step: True, everywhere(EVERYTHING))
    assert sum(1 for _ in read_cluster(reader, chosen)) >= len(table) > 1


@pytest.mark.parametrize(("shape", "stage"), [("2_8_7", 2), ("3_8_7", None), ("0_8_7", None)])
def test_stages_have_equally_many_ranks(shape: str, stage: int | None, tmp_path: Path) -> None:
    path = tmp_path / f"ascend_cluster_analyse_pipeline-parallel_{shape}.csv"
    path.write_text("computation_time,communication_alone_time,stage_time\n1,2,3\n1,2,3\n")
    assert [row["stage"] for row in rows(answer(indexed(path, tmp_path), "collectives"), "cluster")] == [stage]


def test_ranks_have_the_means_of_their_files(cluster: QueryReader) -> None:
    first = rows(answer(cluster, "collectives"), "ranks")[0]
    assert first["steps"] == 6
    assert first["transfer"] * cluster.tick_ps / 6 / 1e9 == pytest.approx(2.268855, abs=1e-6)
    assert first["wait"] * cluster.tick_ps / 6 / 1e9 == pytest.approx(231.599475, abs=1e-6)


def test_steps_add_up(cluster: QueryReader) -> None:
    whole, first, rest = (
        {row["rank"]: row for row in rows(answer(cluster, "collectives", **steps), "ranks")}
        for steps in ({}, {"steps": "1-2"}, {"steps": "3-6"})
    )
    for rank, row in whole.items():
        for name in ("transfer", "wait", "size", "steps"):
            assert first[rank][name] + rest.get(rank, {name: 0})[name] == row[name]
    nothing = answer(cluster, "collectives", steps="40-50")
    assert nothing.notes[-1].text == "There is no communication in what was asked for."


def test_a_span_has_the_steps_in_it_of_each_rank(cluster: QueryReader) -> None:
    """Devices count for themselves: step 2 of each is in the tick in which it begins there."""
    starts = {series.process: int(series.rows.start[1]) for series in cluster.steps.series}
    tick = max(starts.values())
    listed = rows(answer(cluster, "collectives", start=tick, end=tick + 1), "steps")
    expected = set()
    for series in cluster.steps.series:
        is_in = (series.rows.start <= tick) & (series.rows.stop > tick)
        rank = int(cluster.steps.host_name(series).split()[-1])
        expected |= {(number, rank) for number in series.rows.number[is_in].tolist()}
    assert {(row["step"], row["rank"]) for row in listed} == expected & {
        (row["step"], row["rank"]) for row in rows(answer(cluster, "collectives"), "steps")
    }
    assert listed


@pytest.fixture(scope="module")
def training(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[QueryReader, Any]:
    folder = tmp_path_factory.mktemp("training")
    write_training([str(folder / "run"), "--kind", request.param])
    truth = json.loads((folder / "run" / "truth.json").read_text())
    (folder / "run" / "truth.json").unlink()
    return indexed(folder / "run", folder), truth


@pytest.mark.parametrize("training", ["profiler", "ascend_pt"], indirect=True)
def test_the_planted_link_is_named(training: tuple[QueryReader, Any]) -> None:
    reader, truth = training
    peer, rank = truth["planted"]["slow_link"]
    own = {row["rank"]: row for row in rows(answer(reader, "collectives"), "links") if (row["below"] or 0) > 0.2}
    assert [{row["source"], row["destination"]} for row in own.values()] == [{peer, rank}]
    assert list(own) == [rank]
    speeds = [
        link["bytes"] / link["ticks"]
        for other in truth["ranks"]
        for link in other["links"]
        if link["peer"] != other["rank"] and link["transport"] == "SDMA"
    ]
    assert own[rank]["below"] == pytest.approx(1 - min(speeds) / (sum(speeds) / len(speeds)), rel=1e-9)


@pytest.mark.parametrize("training", ["profiler", "ascend_pt"], indirect=True)
def test_planted_faults_of_a_cluster(training: tuple[QueryReader, Any]) -> None:
    reader, truth = training
    table = {row["proposal"]: row for row in rows(answer(reader, "collectives"), "proposals")}
    assert (table["Computation"]["place"], table["Computation"]["over"]) == (
        f"rank {truth['planted']['slow_rank']}",
        True,
    )


@pytest.mark.parametrize("training", ["profiler"], indirect=True)
def test_proposals_of_the_first_generation(training: tuple[QueryReader, Any]) -> None:
    reader, truth = training
    table = {row["proposal"]: row for row in rows(answer(reader, "collectives"), "proposals")}
    figures = truth["figures"]
    intervals = figures["mean_intervals"]
    assert table["Step interval"]["place"] == f"rank {truth['planted']['fed_slowly']}"
    assert table["Step interval"]["share"] == pytest.approx(4 * max(intervals) / sum(intervals) - 1, abs=1e-4)
    part, whole = figures["receive"]
    assert table["Communication between stages"]["share"] == pytest.approx(part / whole, abs=1e-4)
    within = max(part / whole for part, whole in figures["collective"])
    assert table["Communication within a stage"]["share"] == pytest.approx(within, abs=1e-4)
    assert table["FLOPs of a stage"]["share"] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("training", ["profiler", "ascend_pt"], indirect=True)
def test_parts_of_steps_are_true(training: tuple[QueryReader, Any]) -> None:
    reader, truth = training
    steps = {(row["rank"], row["step"]): row for row in rows(answer(reader, "collectives"), "cluster_steps")}
    expected = {(rank["rank"], step["step"]): step for rank in truth["ranks"] for step in rank["steps"]}
    assert steps.keys() == expected.keys()
    tick = 10_000 // reader.tick_ps  # files of the first generation have four decimals of a millisecond
    for place, step in expected.items():
        for column, name in (("computation", "computation"), ("communication", "pure_communication")):
            assert steps[place][column] == pytest.approx(step[name] * tick, abs=5.01 * tick)


@pytest.mark.parametrize("training", ["ascend_pt"], indirect=True)
def test_a_span_is_answered_from_events(training: tuple[QueryReader, Any]) -> None:
    """Files have whole steps: any span comes from the tasks of planes, and its parts add up."""
    reader, truth = training
    end = reader.end + 1
    parts = [answer(reader, "collectives", start=start, end=stop) for start, stop in ((0, end // 3), (end // 3, end))]
    transfer, wait = (sum(figure(part, name) for part in parts) for name in ("transfer", "wait"))
    ticks = sum(link["ticks"] for rank in truth["ranks"] for link in rank["links"])
    whole = answer(reader, "collectives")
    assert transfer * reader.tick_ps == ticks * 10_000
    assert wait == figure(whole, "wait")
    assert sum(figure(part, "size") for part in parts) == figure(whole, "size")
    assert {row["event"] is None for part in parts for row in rows(part, "links")} == {False}
    assert rows(answer(reader, "collectives", start=0, end=end), "links") == rows(whole, "links")


@pytest.mark.parametrize("training", ["profiler", "ascend_pt"], indirect=True)
def test_operators_lead_to_their_events(training: tuple[QueryReader, Any]) -> None:
    reader, _ = training
    for row in rows(answer(reader, "collectives"), "operators"):
        assert row["query"] == f'"{row["operator"]}"'
        assert figure(answer(reader, "search", query=row["query"]), "count") >= row["count"]


def test_tracks_choose_ranks(cluster: QueryReader) -> None:
    tracks = list(cluster.steps.series[2].tracks)
    assert [row["rank"] for row in rows(answer(cluster, "collectives", tracks=tracks), "ranks")] == [2]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 10**9)), max_size=12))
def test_shortfalls_are_of_the_mean_between_ranks(ends: list[tuple[int, int, int]]) -> None:
    links = [RankLink(0, source, target, "SDMA", "", 10**22, size) for source, target, size in ends]
    speeds = [link.size for link in links if link.source != link.destination]
    for link, below in zip(links, shortfalls(links, lambda link: link.bandwidth), strict=True):
        if link.source == link.destination or len(speeds) < 2:
            assert below is None
        else:
            assert below == pytest.approx(1 - link.size / (sum(speeds) / len(speeds)), abs=1e-9)


@pytest.mark.parametrize(
    ("recorded", "figures"),
    [
        ([1e9, 1e9], "0.00 % below the mean"),
        ([2e9, 3e9], "20.00 % below the mean"),
        ([9e9, 1e9], "80.00 % above the mean"),
        ([0.0, 1e9], "100.00 % below the mean"),
        ([], ""),
    ],
)
def test_what_the_file_says_of_a_slow_link_is_on_its_own_side_of_the_mean(recorded: list[float], figures: str) -> None:
    """Bandwidths of a file are sums over operations: a link that is slow by bytes and time may be above their mean."""
    links = [RankLink(0, source, target, "SDMA", "", 10**22, size) for source, target, size in ((0, 1, 1), (1, 0, 9))]
    for link, bandwidth in zip(links, recorded, strict=False):
        link.recorded.append(bandwidth)
    proposal = _slow_link(links)
    assert proposal is not None
    assert proposal.place.startswith("0 → 1")
    assert proposal.share == pytest.approx(0.8)
    _, _, by_file = proposal.figures.partition("; as recorded, and like MindInsight, ")
    assert by_file.partition(" kB/s, ")[2] == figures


def test_links_without_times_of_operators(tmp_path: Path) -> None:
    """As where `communication.json` is damaged: what is not there is no zero."""
    link = {"Transport Type": "HCCS", "Transit Size(MB)": 1.5, "Transit Time(ms)": 0.25, "Bandwidth(GB/s)": 6.0}
    content = {"step3": {"collective": {"allreduce-total@1": {"0-1": link}}}}
    (tmp_path / "communication_matrix.json").write_text(json.dumps(content))
    whole = answer(indexed(tmp_path / "communication_matrix.json", tmp_path), "collectives")
    assert (figure(whole, "transfer"), figure(whole, "wait"), figure(whole, "size")) == (None, None, 1_500_000)
    (rank,) = rows(whole, "ranks")
    assert (rank["rank"], rank["transfer"], rank["wait"], rank["bandwidth"]) == (0, None, None, 6e9)


def test_why_there_is_no_answer(tmp_path: Path) -> None:
    reader = indexed(corpus_path("ascend/timeline_display_1.json"), tmp_path)
    with pytest.raises(NotAvailable, match="profile_communication=True"):
        answer(reader, "collectives")


@pytest.mark.parametrize("name", ["hccl_raw_0.csv", "communication.json"])
def test_two_files_of_a_rank_count_once(name: str, tmp_path: Path) -> None:
    training = Training(AscendShape(ranks=1, stages=1, steps=2))
    write_profiler(tmp_path / "profiler", training)
    write_ascend(tmp_path, training, "pt")
    (source,) = tmp_path.rglob(name)
    paths = [tmp_path / folder / name for folder in ("first", "second")]
    for path in paths:
        path.parent.mkdir()
        path.write_bytes(source.read_bytes())
    answers = []
    for files in (paths[:1], paths):
        build_store(files, tmp_path / f"{len(files)}.store")
        with closing(open_run_store(tmp_path / f"{len(files)}.store")) as store:
            answers.append(answer(QueryReader(store), "collectives"))
    single, twice = answers
    assert [table.id for table in single.tables] == [table.id for table in twice.tables]
    for table in single.tables:
        assert rows(single, table.id) == rows(twice, table.id)
    sentence = "1 file is left out, as another of the same rank comes first"
    assert [any(sentence in note.text for note in whole.notes) for whole in answers] == [False, True]


def test_links_that_take_most_time_are_listed_and_all_are_counted(cluster: QueryReader) -> None:
    whole, few = answer(cluster, "collectives"), answer(cluster, "collectives", limit=2)
    times = [row["time"] for row in rows(whole, "links")]
    assert [row["time"] for row in rows(few, "links")] == sorted(times, reverse=True)[:2]
    assert figure(few, "links") == len(times)
    sentence = f"2 of {len(times)} links are listed, those that take most time"
    assert any(sentence in note.text for note in few.notes)
