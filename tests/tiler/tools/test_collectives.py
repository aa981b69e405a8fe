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

from bench.ascend_run.__main__ import main as write_training
from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.readers.logdir import find_run
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer
from tilescope.tiler.tools.collectives.links import RankLink, shortfalls


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
    assert whole.notes[0].text.startswith("The slowest link is 0 → 1 by SDMA, recorded by rank 1")
    assert any("numbered within their groups" in note.text for note in whole.notes)


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


@pytest.mark.parametrize("training", ["ascend_pt"], indirect=True)
def test_a_span_is_answered_from_events(training: tuple[QueryReader, Any]) -> None:
    """Files have whole steps: any span comes from the tasks of planes, and its parts add up."""
    reader, truth = training
    end = reader.end + 1
    whole = answer(reader, "collectives", start=0, end=end)
    cut = end // 3
    parts = [answer(reader, "collectives", start=0, end=cut), answer(reader, "collectives", start=cut, end=end)]
    for name in ("transfer", "wait", "size"):
        assert sum(figure(part, name) for part in parts) == figure(whole, name)
    ticks = sum(link["ticks"] for rank in truth["ranks"] for link in rank["links"])
    assert figure(whole, "transfer") * reader.tick_ps == ticks * 10_000
    assert figure(whole, "wait") == figure(answer(reader, "collectives"), "wait")
    assert {row["event"] is None for row in rows(whole, "links")} == {False}


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


def test_why_there_is_no_answer(tmp_path: Path) -> None:
    reader = indexed(corpus_path("ascend/timeline_display_1.json"), tmp_path)
    with pytest.raises(NotAvailable, match="profile_communication=True"):
        answer(reader, "collectives")
