"""Collectives of PyTorch over ranks: against the truth of made trainings, and figures of a run of two ranks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from bench.kineto_run import VARIANTS, KinetoShape, write_hostile, write_job
from tests.corpus import corpus_path
from tests.reports.traces import answer, rows
from tilescope.tiler.errors import NotAvailable
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

SHAPE = KinetoShape(cycles=1)


def factor(name: str, ranks: int) -> float:
    """Bandwidth of a link beside that of the algorithm."""
    if name == "send and recv":
        return 1
    return (ranks - 1) / ranks * (2 if name == "allreduce" else 1)


Opened = Callable[[Sequence[Path]], QueryReader]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with ExitStack() as stack:

        def open_files(files: Sequence[Path]) -> QueryReader:
            store = tmp_path_factory.mktemp("run") / "store"
            build_store(sorted(files), store)
            return QueryReader(stack.enter_context(closing(open_run_store(store))))

        yield open_files


@pytest.fixture(
    scope="module", params=[SHAPE, KinetoShape(cycles=1, has_sequence=0)], ids=["Seq", "k-th of equal ones"]
)
def job(request: pytest.FixtureRequest, opened: Opened, tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("job")
    truth = write_job(folder, request.param)
    return opened(list(folder.iterdir())), truth


def name_of(instance: Mapping[str, Any]) -> str:
    return "send and recv" if instance["name"] == ["recv", "send"] else instance["name"][0]


def size_of(instance: Mapping[str, Any]) -> int:
    gathered = len(instance["ranks"]) if instance["name"] == ["_allgather_base"] else 1
    return int(instance["bytes"] * gathered)


def test_instances_are_those_of_the_truth(job: tuple[QueryReader, dict[str, Any]]) -> None:
    reader, truth = job
    whole = answer(reader, "collectives", clocks="measured", limit=65_536)
    listed = Counter(
        (row["name"], row["group"], row["recorded"], row["skew"], row["wait"], row["pure"], row["size"])
        for row in rows(whole, "instances")
    )
    assert listed == Counter(
        (
            name_of(each),
            each["group"],
            len(each["ranks"]),
            max(each["start"]) - min(each["start"]),
            sum(each["wait"]),
            each["pure"],
            size_of(each),
        )
        for each in truth["collectives"]
    )
    for row in rows(whole, "instances"):
        rate = row["size"] / (row["pure"] * reader.tick_ps / 1e12)
        assert row["bandwidth"] == pytest.approx(rate)
        assert row["bus_bandwidth"] == pytest.approx(rate * factor(row["name"], row["recorded"]))


def test_ranks_are_those_of_the_truth(job: tuple[QueryReader, dict[str, Any]]) -> None:
    reader, truth = job
    wait, last, count = Counter[int](), Counter[int](), Counter[int]()
    for each in truth["collectives"]:
        wait.update(dict(zip(each["ranks"], each["wait"], strict=True)))
        count.update(each["ranks"])
        last[each["ranks"][each["wait"].index(0)]] += 1
    whole = answer(reader, "collectives", clocks="measured")
    table = {int(row["rank"].split()[1]): row for row in rows(whole, "ranks")}
    for rank, row in table.items():
        figures = row["wait"], row["last"], row["collectives"], row["clock"], row["clock_spread"]
        assert figures == (wait[rank], last[rank], count[rank], truth["offsets"][rank], 0)
    assert len(table) == whole.fact("ranks").value == SHAPE.ranks
    assert whole.fact("wait").value == sum(wait.values())
    assert next(iter(table)) == SHAPE.slow_rank == min(table, key=lambda rank: table[rank]["score"])
    assert whole.fact("last_rank").value == table[SHAPE.slow_rank]["rank"]


def test_waits_by_rank_and_step_are_those_of_the_truth(job: tuple[QueryReader, dict[str, Any]]) -> None:
    reader, truth = job
    whole = answer(reader, "collectives", clocks="measured", limit=65_536)
    table = rows(whole, "waits")
    assert sum(row["wait"] for row in table) == sum(sum(each["wait"]) for each in truth["collectives"])
    by_rank = Counter[str]()
    for row in table:
        by_rank[row["rank"]] += row["wait"]
    assert dict(by_rank) == {row["rank"]: row["wait"] for row in rows(whole, "ranks")}
    numbers = {number for number, *_ in truth["ranks"][0][0]["steps"]}
    assert {row["step"] for row in table} == numbers


def test_steps_that_are_not_listed_are_counted(job: tuple[QueryReader, dict[str, Any]]) -> None:
    reader, _ = job
    whole = answer(reader, "collectives", limit=65_536)
    part = answer(reader, "collectives", limit=3)
    assert not any("rows are listed" in note.text for note in whole.notes)
    count = len(rows(whole, "waits"))
    assert any(f"3 of {count:,} rows are listed" in note.text for note in part.notes)
    assert rows(part, "waits") == rows(whole, "waits")[:3]


def test_sends_from_rank_to_rank_are_those_of_the_truth(job: tuple[QueryReader, dict[str, Any]]) -> None:
    reader, truth = job
    sums: dict[tuple[str, str], Counter[str]] = {}
    for each in truth["collectives"]:
        if name_of(each) == "send and recv":
            low, high = sorted(each["ranks"])
            members = sums.setdefault((str(low), str(high)), Counter())
            members.update({"count": 1, "time": each["pure"], "size": size_of(each)})
    table = rows(answer(reader, "collectives", limit=65_536), "links")
    assert sums
    for row in table:
        figures = Counter({name: row[name] for name in ("count", "time", "size")})
        assert figures == sums.pop((row["source"], row["destination"]))
    assert not sums


def test_groups_are_sums_of_instances(job: tuple[QueryReader, dict[str, Any]]) -> None:
    whole = answer(job[0], "collectives", limit=65_536)
    sums: dict[tuple[Any, ...], Counter[str]] = {}
    for row in rows(whole, "instances"):
        key = row["name"], row["group"], row["size"], row["recorded"]
        members = sums.setdefault(key, Counter())
        members.update({"count": 1, "wait": row["wait"], "pure": row["pure"]})
    table: dict[tuple[Any, ...], Counter[str]] = {}
    for row in rows(whole, "groups"):
        members = table.setdefault((row["name"], row["group"], row["size"], row["recorded"]), Counter())
        members.update({name: row[name] for name in ("count", "wait", "pure")})
    assert table == sums


def test_clocks_as_they_were_recorded(job: tuple[QueryReader, dict[str, Any]]) -> None:
    reader, truth = job
    whole = answer(reader, "collectives")
    starts = [
        [start + truth["offsets"][rank] for start, rank in zip(each["start"], each["ranks"], strict=True)]
        for each in truth["collectives"]
    ]
    assert whole.fact("wait").value == sum(max(each) - start for each in starts for start in each)
    (note,) = [note.text for note in whole.notes if note.severity == "warning"]
    assert "1.7 ms ahead of the middle of all ranks: clocks=measured" in note
    assert [note for note in answer(reader, "collectives", clocks="measured").notes if note.severity == "warning"] == []


@pytest.mark.parametrize("clocks", ["recorded", "measured"])
def test_a_range_is_the_sum_of_its_halves(job: tuple[QueryReader, dict[str, Any]], clocks: str) -> None:
    reader = job[0]
    whole = answer(reader, "collectives", clocks=clocks)
    middle = reader.end // 2
    halves = [answer(reader, "collectives", clocks=clocks, **part) for part in ({"end": middle}, {"start": middle})]
    assert 0 not in [half.fact("collectives").value for half in halves]
    for name in ("collectives", "wait", "time", "pure"):
        assert sum(int(half.fact(name).value or 0) for half in halves) == whole.fact(name).value


def test_ranks_of_which_no_other_is_chosen_wait_for_none(job: tuple[QueryReader, dict[str, Any]]) -> None:
    reader = job[0]
    (first, *_) = rows(answer(reader, "collectives"), "ranks")
    alone = answer(reader, "collectives", tracks=[first["track"]])
    assert alone.fact("collectives").value == 0
    assert any("no counterpart on another rank: left out" in note.text for note in alone.notes)


def test_two_cycles_of_a_profiler_are_one_run(opened: Opened, tmp_path: Path) -> None:
    truth = write_job(tmp_path, KinetoShape(has_sequence=0))
    whole = answer(opened(list(tmp_path.iterdir())), "collectives", clocks="measured")
    instances: Any = truth["collectives"]
    assert whole.fact("collectives").value == len(instances)
    assert whole.fact("ranks").value == SHAPE.ranks
    assert whole.fact("wait").value == sum(sum(each["wait"]) for each in instances)


def test_one_rank_has_no_answer(opened: Opened) -> None:
    reader = opened([corpus_path("kineto/nccl_data.json.gz")])
    with pytest.raises(NotAvailable, match="several ranks of PyTorch"):
        answer(reader, "collectives")


def test_collectives_of_hosts_of_two_ranks(opened: Opened) -> None:
    """Annotations that a device repeats are none; the k-th is one with the k-th of equal size."""
    reader = opened(list(corpus_path("kineto/h100_two_ranks").iterdir()))
    whole = answer(reader, "collectives")
    instances = sorted(rows(whole, "instances"), key=lambda row: row["start"])
    assert [row["name"] for row in instances] == ["gloo:all_reduce"] * 6
    assert [(row["skew"], row["pure"], row["last"][:6], row["size"]) for row in instances[:2]] == [
        (126_712, 10_420_850, "rank 1", 8_392_704),
        (1_086_605, 8_150_382, "rank 0", 8_396_800),
    ]
    assert whole.fact("ranks").value == 2
    assert [row["score"] for row in rows(whole, "ranks")] == [None, None]


def hostile(opened: Opened, folder: Path, name: str) -> QueryReader:
    variant = next(each for each in VARIANTS if each.name == name)
    write_hostile(folder, KinetoShape(ranks=4, steps=1, layers=1, slow_rank=1), variant)
    return opened(list(folder.iterdir()))


def test_types_that_are_not_known_have_no_bytes(opened: Opened, tmp_path: Path) -> None:
    whole = answer(hostile(opened, tmp_path, "unknown_types_of_data"), "collectives")
    assert whole.fact("collectives").value
    assert {(row["size"], row["bandwidth"], row["bus_bandwidth"]) for row in rows(whole, "instances")} >= {
        (None, None, None)
    }


def test_kernels_without_arguments_are_matched_by_stream_and_end(opened: Opened) -> None:
    """Events were sampled away: the k-th of one rank is not the k-th of the other."""
    reader = opened([corpus_path(f"kineto/sampled_rank-{rank}.json.gz") for rank in (0, 1)])
    whole = answer(reader, "collectives")
    us = 1_000_000 // reader.tick_ps
    listed = Counter((row["skew"], row["pure"], row["sequence"]) for row in rows(whole, "instances"))
    pairs = ((4_859, 57_924), (3_302, 8_370), (84, 42_496), (22_328, 13_838), (1_292, 62_163))
    assert listed == Counter((skew * us, pure * us, None) for skew, pure in pairs)
    texts = [note.text for note in whole.notes]
    assert any("20 kernels of communication do not say which collective" in text for text in texts)
    assert any("10 calls have no counterpart on another rank" in text for text in texts)
