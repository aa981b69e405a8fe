"""Tools about devices against the truth of a synthetic pod run: what made it says what is in it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from bench.pod_run import Pod, PodShape, write_pod
from tilescope.tiler.facts.operations.xla_instructions import instruction_places
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.arguments import event_metadata
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of
from tilescope.tiler.verify import verify_store


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Pod:
    return write_pod(tmp_path_factory.mktemp("pod"), PodShape())


@pytest.fixture(scope="module")
def reader(pod: Pod) -> QueryReader:
    path = pod.folder / "store"
    build_store(pod.files, path)
    assert verify_store(path).operations
    return QueryReader(open_run_store(path))


def answer(reader: QueryReader, which: str, **asked: Any) -> Answer:
    return finish(ask(tool(which), Scope(reader), from_values(tool(which).question, asked)))


def by_row(of: Answer, table: str = "operations") -> list[dict[str, Any]]:
    columns = {column.id: values_of(column) for column in of.table(table).columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def times_of(known: dict[str, Any], *steps: int) -> tuple[Counter[str], Counter[str], Counter[str]]:
    """Count, total and own time of instructions in steps, on all cores."""
    found = Counter[str](), Counter[str](), Counter[str]()
    for step in known["steps"]:
        if not steps or step["step"] in steps:
            for core in step["cores"].values():
                for name, figures in core["ops"].items():
                    for into, figure in zip(found, figures, strict=True):
                        into[name] += figure
    return found


def test_the_same_shape_gives_the_same_bytes(pod: Pod, tmp_path: Any) -> None:
    again = write_pod(tmp_path, PodShape())
    assert [path.read_bytes() for path in again.files] == [path.read_bytes() for path in pod.files]
    other = write_pod(tmp_path, PodShape(seed=19))
    assert other.files[0].read_bytes() != pod.files[0].read_bytes()


def test_batch_size(pod: Pod, reader: QueryReader) -> None:
    for asked in ({}, {"steps": "41-42"}, {"host": pod.truth["hosts"][1]["name"]}):
        assert answer(reader, "overview", **asked).fact("batch_size").value == pod.truth["shape"]["batch"]


def test_instructions(pod: Pod, reader: QueryReader) -> None:
    known = pod.truth
    count, total, own = times_of(known)
    started = [core["init"] for core in known["cores"] if core["init"]]
    count["broadcast.2"] = len(started)
    total["broadcast.2"] = own["broadcast.2"] = sum(init["op"] for init in started)
    told = {(one["program"], one["name"]): one for one in known["instructions"]}
    of = answer(reader, "hlo_stats")
    rows = by_row(of)
    assert {(row["program"], row["name"]) for row in rows} == set(told)
    for row in rows:
        one = told[row["program"], row["name"]]
        assert (row["count"], row["total"], row["self"]) == (count[row["name"]], total[row["name"]], own[row["name"]])
        assert (row["category"], row["framework"] or "") == (one["category"], one["framework"])
        moved = one["hbm_read"] + one["hbm_written"]
        flops, everything = one["flops"] * row["count"], (moved + one["vmem_read"]) * row["count"]
        if one["counts_itself"]:
            ran = [(int(core), place) for place, step in enumerate(known["steps"]) for core in step["cores"]]
            flops = sum(known["custom_call"]["flops"] + core for core, _ in ran)
            everything = sum(known["custom_call"]["bytes"] + place for _, place in ran)
        assert (row["flops"], row["bytes"]) == (flops, everything), row["name"]
        if row["total"] and not one["counts_itself"]:
            assert row["hbm_rate"] * row["total"] / 1e12 == pytest.approx(moved * row["count"])
    # Cores are looked at from their first step or operation on, to the end of their last.
    span = sum(core["last"] - core["first"] for core in known["cores"])
    assert (of.fact("span").value, of.fact("busy").value) == (span, sum(own.values()))
    assert of.fact("cores").value == len(known["cores"])


def test_cores_share_what_is_known_of_an_instruction(pod: Pod, reader: QueryReader) -> None:
    answer(reader, "hlo_stats")
    assert len(instruction_places(reader)) == len(pod.truth["instructions"])
    for file in range(len(pod.files)):
        tables = event_metadata(reader.store, file)
        assert tables is not None
        for number, other in enumerate(tables.alike.tolist()):
            if other != number:
                assert tables.stats(number) == tables.stats(other)
                assert (tables.name[number], tables.entry(number).long_name) == (
                    tables.name[other],
                    tables.entry(other).long_name,
                )
        cores = [plane for plane, of in enumerate(tables.planes) if of.name.startswith("/device:")]
        assert len(cores) == 2
        of_second = tables.alike[(tables.plane == cores[1]) & (tables.name >= 0)]  # those that events use
        assert np.all(tables.plane[of_second] == cores[0])


def test_categories_are_those_of_all_cores(pod: Pod, reader: QueryReader) -> None:
    """Each name has the one that the metadata of all cores says that have it."""
    for file in range(len(pod.files)):
        tables = event_metadata(reader.store, file)
        assert tables is not None
        for number in range(len(tables)):
            name = int(tables.name[number])
            if name >= 0:
                said = [stat.value for stat in tables.stats_called("hlo_category", number)]
                assert reader.names[name].category == (said[-1] if said else "")


def test_each_step(pod: Pod, reader: QueryReader) -> None:
    """Hosts that have not captured a step have no part in it: steps go by their numbers."""
    for step in pod.truth["steps"]:
        count, total, own = times_of(pod.truth, step["step"])
        rows = {row["name"]: row for row in by_row(answer(reader, "hlo_stats", steps=str(step["step"])))}
        for name in count:
            row = rows[name]
            assert (row["count"], row["total"], row["self"]) == (count[name], total[name], own[name])
        # Custom calls say themselves what they compute.
        custom = sum(pod.truth["custom_call"]["flops"] + int(core) for core in step["cores"])
        assert rows["custom-call.1"]["flops"] == custom
    assert {len(step["cores"]) for step in pod.truth["steps"]} == {4, 6}


def test_the_tree_has_the_categories_of_the_steps(pod: Pod, reader: QueryReader) -> None:
    category = Counter[str]()
    for step in pod.truth["steps"]:
        for core in step["cores"].values():
            category.update(core["category"])
            assert sum(core["category"].values()) + core["idle"] == core["duration"]
    first, last = pod.truth["steps"][0]["step"], pod.truth["steps"][-1]["step"]
    rows = by_row(answer(reader, "op_profile", by="category", steps=f"{first}-{last}"))
    top = {row["name"]: row["self"] for row in rows if row["parent"] < 0 and row["name"] != "idle"}
    assert {name: taken for name, taken in category.items() if taken} == top


def test_ranges_add_up(reader: QueryReader) -> None:
    def figures(**asked: Any) -> Counter[tuple[str, str]]:
        rows = by_row(answer(reader, "hlo_stats", **asked))
        return Counter(
            {(row["name"], key): row[key] or 0 for row in rows for key in ("count", "total", "self", "flops", "bytes")}
        )

    end = reader.end + 1
    whole = figures()
    for cut in (end // 7, end // 2, end * 5 // 6):
        added = figures(start=0, end=cut)
        added.update(figures(start=cut, end=end))
        assert +added == +whole


def test_the_average_step_has_the_rates_of_all(pod: Pod, reader: QueryReader) -> None:
    """Of VMEM, too, which this program reads."""
    count, *_ = times_of(pod.truth)
    near = sum(one["vmem_read"] * count[one["name"]] for one in pod.truth["instructions"])
    taken = sum(core["duration"] for step in pod.truth["steps"] for core in step["cores"].values())
    average = by_row(answer(reader, "roofline"), "programs")[1]
    assert average["what"] == "Average step"
    assert average["vmem_read_rate"] == pytest.approx(near / taken * 1e12)
