"""Communication of Ascend devices, from files of both generations and from timelines, against figures of these."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import closing
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.ascend_run.__main__ import main as write_training
from tests.corpus import corpus_path
from tilescope.tiler.facts.ascend.communication import (
    ChosenPart,
    Communication,
    LinkTransfer,
    communication_source,
    transfers,
)
from tilescope.tiler.facts.ascend.communication.exact_figures import SCALE, exact, from_ticks, to_bytes, to_ticks
from tilescope.tiler.facts.ascend.communication.planes import Planes
from tilescope.tiler.facts.ascend.communication.sources import SOURCES
from tilescope.tiler.facts.ascend.communication.transfers import CommunicationSource
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, QueryReader, finish
from tilescope.tiler.readers.logdir import find_run
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows, everywhere

NS = 1000  # picoseconds
TICK_NS = 10  # of devices


def communication(
    path: Path,
    folder: Path,
    *,
    windows: Windows = EVERYTHING,
    step: int | None = None,
    source: CommunicationSource | None = None,
) -> Communication:
    store = folder / "run.store"
    if not store.exists():
        build_store(list(find_run(path).files), store)
    question = ChosenPart(lambda _, number: step is None or number == step, everywhere(windows))
    with closing(open_run_store(store)) as run_store:
        reader = QueryReader(run_store)
        first = source or communication_source(reader)
        assert first is not None
        return finish(first.read(reader, question))


def links(parts: list[LinkTransfer]) -> dict[tuple[Any, ...], tuple[int, int]]:
    """Nanoseconds and bytes of each link."""
    sums: dict[tuple[Any, ...], list[int]] = {}
    for link in parts:
        total = sums.setdefault((link.rank, link.source, link.destination, link.transport), [0, 0])
        total[0] += link.time
        total[1] += link.size
    return {key: (to_ticks(time, NS), to_bytes(size)) for key, (time, size) in sums.items()}


def mean(values: list[int]) -> float:
    return sum(values) / len(values) / SCALE


def test_steps_of_a_real_rank_have_the_mean_of_its_file(tmp_path: Path) -> None:
    path = corpus_path("ascend/cluster_propose/hccl_raw_0.csv")
    rank = communication(path, tmp_path)
    assert rank.problems == Counter()
    assert [step.step for step in rank.steps] == [1, 2, 3, 4, 5, 6]
    assert mean([step.transfer for step in rank.steps]) == pytest.approx(2.268855, abs=1e-12)
    assert mean([step.wait for step in rank.steps]) == pytest.approx(231.599475, abs=1e-12)
    over = [link for link in rank.links if (link.source, link.destination) == (1, 0)]
    assert round(mean([link.time for link in over]), 7) == 2.2006933
    assert round(mean([link.size for link in over]) / 1000, 4) == 46069.4187
    assert round(sum(link.bandwidth or 0 for link in over) / 6 / 1000, 3) == 188040273.548
    assert sum(operator.transfer for operator in rank.operators) == pytest.approx(
        sum(step.transfer for step in rank.steps), rel=1e-12
    )
    assert [step.step for step in communication(path, tmp_path, step=3).steps] == [3]


def test_a_real_cluster_of_the_second_generation(tmp_path: Path) -> None:
    """The first broadcast on rank 0, digit by digit."""
    cluster = communication(corpus_path("ascend/msprof_analyze/cluster_communication.json"), tmp_path)
    first = cluster.operators[0]
    figures = {
        "elapsed": "121.73694384375",
        "transfer": "0.0080599375",
        "wait": "115.96064153125",
        "synchronization": "102.699834",
    }
    assert {name: getattr(first, name) for name in figures} == {
        name: int(Decimal(figure).scaleb(22)) for name, figure in figures.items()
    }
    assert first.elapsed is not None
    assert first.elapsed - first.transfer - first.wait == int(Decimal("5.768242375").scaleb(22))
    assert round(first.wait / (first.wait + first.transfer), 4) == 0.9999
    hccs = next(link for link in cluster.links if link.transport == "HCCS")
    assert (to_bytes(hccs.size), hccs.time) == (63_936, int(Decimal("0.02366978125").scaleb(22)))
    assert round(hccs.size / hccs.time / 1e6, 4) == 2.7012
    packets = [packet for packet in cluster.packets if (packet.rank, packet.transport) == (0, "HCCS")]
    assert [(to_bytes(packet.packet), packet.count) for packet in packets[:3]] == [(3072, 18), (2944, 2), (2752, 1)]
    assert [(step.rank, step.step) for step in cluster.steps] == [(0, None), (1, None)]


def test_planes_of_a_real_timeline(tmp_path: Path) -> None:
    planes = communication(corpus_path("ascend/msprof_0_2_10.json"), tmp_path)
    to_rank_1 = {link.task: link for link in planes.links if link.destination == 1}
    assert {
        task: (link.transport, link.count, to_bytes(link.size), to_ticks(link.time, NS))
        for task, link in to_rank_1.items()
    } == {
        "Memcpy": ("SDMA", 7, 49_161_728, 3_612_060),
        "Reduce_Inline": ("SDMA", 7, 49_161_728, 3_990_500),
    }
    assert {link.source for link in planes.links} == {0}
    assert [link.count for link in planes.links if link.destination is None] == [1]  # `dst rank` 4294967295
    assert [operator.name for operator in planes.operators] == ["Default/AllReduce-op534_0"]
    assert [(step.rank, step.step) for step in planes.steps] == [(0, 10)]


def test_spans_of_a_timeline_add_up(tmp_path: Path) -> None:
    path = corpus_path("ascend/msprof_0_2_10.json")
    whole = links(communication(path, tmp_path).links)
    for cut in (5_000_000_000, 9_876_543_210):
        parts = [
            links(communication(path, tmp_path, windows=Windows.single(*span)).links)
            for span in ((0, cut), (cut, 10**12))
        ]
        for link, (time, size) in whole.items():
            halves = [part.get(link, (0, 0)) for part in parts]
            assert (sum(half[0] for half in halves), sum(half[1] for half in halves)) == (time, size)


KINDS = ("profiler", "ascend_pt", "ascend_ms")


@pytest.fixture(scope="module")
def training(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path, Any]:
    """A training as one of the profilers writes it, and its truth."""
    folder = tmp_path_factory.mktemp("training")
    write_training([str(folder / "run"), "--kind", request.param])
    truth = json.loads((folder / "run" / "truth.json").read_text())
    (folder / "run" / "truth.json").unlink()
    return request.param, folder, truth


@pytest.mark.parametrize("training", KINDS, indirect=True)
def test_links_of_a_training(training: tuple[str, Path, Any]) -> None:
    kind, folder, truth = training
    is_first = kind == "profiler"
    transports = {} if is_first else {"SDMA": "HCCS"}
    expected = {}
    for rank in truth["ranks"]:
        number = rank["rank"]
        for link in rank["links"]:
            transport = transports.get(link["transport"], link["transport"])
            if not is_first and link["peer"] == number:
                transport = "LOCAL"
            ends = (link["peer"], number) if is_first else (number, link["peer"])
            expected[number, *ends, transport] = (link["ticks"] * TICK_NS, link["bytes"])
    result = communication(folder / "run", folder)
    assert result.problems == Counter()
    assert links(result.links) == expected
    for rank in truth["ranks"]:
        waits = sum(operator["wait"] + operator["linger"] for operator in rank["communications"])
        own = [step for step in result.steps if step.rank == rank["rank"]]
        assert len(own) == truth["shape"]["steps"]
        assert to_ticks(sum(step.wait for step in own), NS) == waits * TICK_NS


@pytest.mark.parametrize("training", KINDS[1:], indirect=True)  # timelines of the first generation say no ranks
def test_links_of_its_timeline(training: tuple[str, Path, Any]) -> None:
    """The same times and bytes, in copies and reductions."""
    _, folder, truth = training
    expected = {}
    for rank in truth["ranks"]:
        number = rank["rank"]
        for link in rank["links"]:
            peer = None if link["peer"] == number else link["peer"]
            expected[number, number, peer, link["transport"]] = (link["ticks"] * TICK_NS, link["bytes"])
    result = communication(folder / "run", folder, source=Planes())
    assert links(result.links) == expected
    for rank in truth["ranks"]:
        waits = sum(operator["wait"] + operator["linger"] for operator in rank["communications"])
        own = [step for step in result.steps if step.rank == rank["rank"]]
        assert to_ticks(sum(step.wait for step in own), NS) == waits * TICK_NS


@pytest.mark.parametrize("training", KINDS, indirect=True)
def test_links_that_are_read_alone_are_the_same(training: tuple[str, Path, Any]) -> None:
    _, folder, _ = training
    communication(folder / "run", folder)  # indexes it
    question = ChosenPart(lambda _host, number: number != 1, everywhere(EVERYTHING))
    with closing(open_run_store(folder / "run.store")) as run_store:
        reader = QueryReader(run_store)
        sources = [source for source in SOURCES if source.is_in(reader)]
        assert sources
        for source in sources:
            whole, alone = (finish(read(reader, question)) for read in (source.read, source.read_links))
            assert alone.links == whole.links, source.title
            assert alone.problems <= whole.problems


def test_too_many_rows_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfers, "MAX_ROWS", 3)
    rank = communication(corpus_path("ascend/cluster_propose/hccl_raw_0.csv"), tmp_path)
    assert (len(rank.links), len(rank.operators), len(rank.steps)) == (3, 3, 6)
    assert rank.problems["links of communication beyond 3"] == 12 - 3
    assert rank.problems["operators of communication beyond 3"] == 500 - 3


@given(st.lists(st.decimals(0, 10**6, allow_nan=False, places=16), max_size=20))
def test_sums_are_exact(values: list[Decimal]) -> None:
    scaled = [exact(str(value)) for value in values]
    assert Fraction(sum(part or 0 for part in scaled), SCALE) == sum(map(Fraction, values))


@given(st.integers(0, 2**62), st.sampled_from([1, 1000, 10_000]))
def test_ticks_come_back(ticks: int, tick_ps: int) -> None:
    assert to_ticks(from_ticks(ticks, tick_ps), tick_ps) == ticks


@pytest.mark.parametrize("text", ["", "-1", "NaN", "Infinity", "1e999999999", "x", "1" * 41, None, True])
def test_what_is_no_figure(text: object) -> None:
    assert exact(text) is None


def test_less_than_the_last_digit_is_nothing() -> None:
    assert exact("1e-999999999") == 0
    assert exact("6e-05") == 6 * 10**17


HEADER = "step_num,communication_cost,wait_cost,link_info,communication_operator_cost\n"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ('1,-2,3,{},{}', "rows of hccl_raw without times"),
        ('1,2,3,"[1]",{}', "rows of hccl_raw without times"),
        ('1,2,3,"' + "[" * 100_000 + '",{}', "rows of hccl_raw without times"),
        ('x,2,3,{},{}', "rows of hccl_raw without times"),
        ('1,2,3,"{""0-1"": {""SDMA"": [1]}}",{}', "links of hccl_raw"),
        ('1,2,3,"{""a-1"": {""SDMA"": [1, 2, 3]}}",{}', "links of hccl_raw"),
        ('1,2,3,"{""0-1"": {""SDMA"": [NaN, 2, 3]}}",{}', "links of hccl_raw"),
        ('1,2,3,{},"{""op"": [1, 2]}"', "operators of hccl_raw"),
    ],
)  # fmt: skip
def test_damaged_rows_are_counted(row: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "hccl_raw_0.csv"
    path.write_text(f"{HEADER}{row}\n2,1,1,{{}},{{}}\n")
    result = communication(path, tmp_path)
    assert [(name.startswith(problem), count) for name, count in result.problems.items()] == [(True, 1)]
    assert [step.step for step in result.steps][-1] == 2


def test_waits_without_a_size_take_none_from_their_operator(tmp_path: Path) -> None:
    def task(name: str, start: int, **arguments: object) -> dict[str, Any]:
        return {"ph": "X", "pid": 1, "tid": 2, "name": name, "ts": start, "dur": 2, "args": {"src rank": 0} | arguments}

    threads = {1: "Group 0 Communication", 2: "Plane 0"}
    events = [
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "Communication"}},
        *(
            {"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": name}}
            for tid, name in threads.items()
        ),
        {"ph": "X", "pid": 1, "tid": 1, "name": "hcom_allReduce_", "ts": 0, "dur": 20},
        *(task("Notify_Wait", start) for start in (0, 4, 8)),
        task("Memcpy", 12, **{"dst rank": 1, "size(Byte)": 100, "transport type": "SDMA"}),
    ]
    (tmp_path / "trace_view.json").write_text(json.dumps(events))
    result = communication(tmp_path / "trace_view.json", tmp_path, source=Planes())
    ((wait, size),) = [(operator.wait, operator.size) for operator in result.operators]
    assert (to_ticks(wait, NS), size and to_bytes(size)) == (6000, 100)


def test_a_cluster_file_beside_those_of_its_ranks_counts_once(tmp_path: Path) -> None:
    """It is made from them: the same operators are in both."""
    figures = {"Elapse Time(ms)": 3, "Transit Time(ms)": 1, "Wait Time(ms)": 2}
    operator = {"Communication Time Info": figures, "Communication Bandwidth Info": {}}
    contents = {
        "communication.json": {"step1": {"collective": {"hcom_a@1": operator}}},
        "cluster_communication.json": {"('0', '1')": {"step1": {"hcom_a@1": {"0": operator, "1": operator}}}},
    }
    for name, content in contents.items():
        (tmp_path / name).write_text(json.dumps(content))
    build_store([tmp_path / name for name in contents], tmp_path / "run.store")
    result = communication(tmp_path, tmp_path)
    assert [(step.rank, step.step, to_ticks(step.wait, NS)) for step in result.steps] == [
        (0, 1, 2_000_000),
        (1, 1, 2_000_000),
    ]


def test_tasks_of_leaves_of_several_levels_count_once(tmp_path: Path) -> None:
    """Bursts and single tasks take turns, so leaves of two levels do, and one page has several runs of them."""
    threads = {1: "Group 0 Communication", 2: "Plane 0"}
    starts = [burst * 200_000 + number for burst in range(6) for number in (*range(1500), 70_000, 140_000)]
    sizes = {start: 1 + place for place, start in enumerate(starts)}
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "Communication"}},
        *(
            {"ph": "M", "pid": 1, "tid": tid, "name": "thread_name", "args": {"name": name}}
            for tid, name in threads.items()
        ),
        {"ph": "X", "pid": 1, "tid": 1, "name": "hcom_allReduce_", "ts": 0, "dur": 20},
    ]
    for start, size in sizes.items():
        arguments = {"src rank": 0, "dst rank": 1, "size(Byte)": size, "transport type": f"link {start % 3}"}
        events.append({"ph": "X", "pid": 1, "tid": 2, "name": "Memcpy", "ts": start, "dur": 1, "args": arguments})
    (tmp_path / "trace_view.json").write_text(json.dumps(events))
    build_store([tmp_path / "trace_view.json"], tmp_path / "run.store")
    with closing(open_run_store(tmp_path / "run.store")) as store:
        reader = QueryReader(store)
        plane = next(track.id for track in reader.tree.tracks if track.name == "Plane 0")
        runs = reader.plan(plane, EVERYTHING).leaf_runs
        assert len({run.first_of_page for run in runs}) < len(runs)
        for first, stop in ((150_000, 300_000), (0, 1_200_000), (400_100, 400_700), (0, 1_200_000)):
            question = ChosenPart(lambda *_: True, everywhere(Windows.single(first * NS, stop * NS)))
            expected: Counter[str] = Counter()
            for start, size in sizes.items():
                expected[f"link {start % 3}"] += size * (first <= start < stop)
            result = finish(Planes().read(reader, question))
            assert {link.transport: to_bytes(link.size) for link in result.links} == +expected
