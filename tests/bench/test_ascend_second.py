"""Folders of generation 2 of synthetic trainings on Ascend: like real files, and true among themselves."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter, defaultdict
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import pytest

from bench.ascend_run import AscendShape, Training, truth, write_ascend
from tests.bench.real_forms import fits, table, unlike
from tests.corpus import corpus_path

SHAPE = AscendShape()
RANKS = range(SHAPE.ranks)
OUTPUT: Final = "ASCEND_PROFILER_OUTPUT"
LANES: Final = {
    "Computing": "computation",
    "Communication": "communication",
    "Communication(Not Overlapped)": "pure_communication",
    "Free": "free",
}


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    return truth(Training(SHAPE))


@pytest.fixture(scope="module", params=["pt", "ms"])
def folders(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_ascend(tmp_path_factory.mktemp("capture"), Training(SHAPE), request.param)


def nanoseconds(text: str) -> int:
    return int(Decimal(text.strip()) * 1000)


def whole_ticks(text: str) -> int:
    length = nanoseconds(text)
    assert length % 10 == 0
    return length // 10


def timeline(folder: Path) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = json.loads((folder / OUTPUT / "trace_view.json").read_text(), parse_float=Decimal)
    return events


def is_pytorch(folders: list[Path]) -> bool:
    return folders[0].name.endswith("_ascend_pt")


def test_names_lead_to_ranks(folders: list[Path]) -> None:
    for rank, folder in enumerate(folders):
        assert json.loads((folder / f"profiler_info_{rank}.json").read_text())["rank_id"] == rank
        names = {path.name for path in (folder / OUTPUT).iterdir()}
        assert ("operator_details.csv" in names) == is_pytorch(folders)
        metadata = json.loads((folder / "profiler_metadata.json").read_text())["parallel_group_info"]
        assert [group["global_ranks"] for group in metadata.values()] == [list(SHAPE.group(rank))]


def test_kernels_are_like_real_ones(folders: list[Path]) -> None:
    own = (folders[0] / OUTPUT / "kernel_details.csv").read_text()
    real = table(corpus_path("ascend/msprof_analyze/kernel_details.csv"))
    rows = list(csv.DictReader(io.StringIO(own, newline="")))
    columns = own.split("\n")[0].split(",")
    more = [] if is_pytorch(folders) else ["Device_id", "OP State", "HF32 Eligible"]
    assert [name for name in columns if name not in more] == list(real[0])
    assert all(row["Start Time(us)"].endswith("\t") for row in rows)
    free = {"Step Id", "Start Time(us)", "Name", "Type"}
    free |= {name for name in real[0] if name.endswith(("Shapes", "Data Types", "Formats"))}
    for core in ("AI_CORE", "AI_VECTOR_CORE", "AI_CPU", "HCCL"):
        made, seen = ([row for row in lines if row["Accelerator Core"] == core] for lines in (rows, real))
        for name in real[0]:
            if name not in free:
                cells, others = [row[name] for row in made], [row[name] for row in seen]
                assert unlike(cells, others) <= {"1", "1.1"}, (core, name)
                assert {"N/A"} & set(cells) == {"N/A"} & set(others), (core, name)
        # Shapes have quotes of their own within the cell.
        for name in ("Input Shapes", "Output Shapes"):
            assert {cell[0] + cell[-1] for cell in (row[name] for row in made)} <= {
                cell[0] + cell[-1] for cell in (row[name] for row in seen)
            }, (core, name)
    kinds = {row["Accelerator Core"] for row in rows}
    assert kinds == {"AI_CORE", "AI_VECTOR_CORE", "MIX_AIC", "AI_CPU", "HCCL"}


def test_events_are_like_real_ones(folders: list[Path]) -> None:
    """Keys of each kind of event in their order, and whether a time is text or a number."""

    def kinds(events: list[dict[str, Any]], process: dict[Any, str]) -> dict[Any, set[Any]]:
        forms = defaultdict(set)
        for event in events:
            name = process.get(event["pid"], "")
            kind = (event["ph"], event.get("cat"), name, event["name"] if event["ph"] == "M" else "")
            args = tuple(event.get("args", ())) if event.get("cat") != "cpu_op" else ()
            forms[kind].add((tuple(event), args, type(event.get("ts")), type(event.get("dur"))))
        return forms

    def processes(events: list[dict[str, Any]]) -> dict[Any, str]:
        names = {event["pid"]: event["args"]["name"] for event in events if event["name"] == "process_name"}
        return {pid: "Python" if name == "MindSpore" else name for pid, name in names.items()}

    text = (folders[0] / OUTPUT / "trace_view.json").read_text()
    assert text.startswith('[{"ph": "M"')
    assert text.endswith('"ph": "X"}]')
    assert "\n" not in text
    own = timeline(folders[0])
    path = corpus_path("ascend/msprof_trace_view_string_ts.json")
    real = json.loads(path.read_text(), parse_float=Decimal)
    made, seen = kinds(own, processes(own)), kinds(real, processes(real))
    compared = [kind for kind in made if kind in seen and kind[2] in ("Python", "Ascend Hardware", "Overlap Analysis")]
    assert len(compared) >= 12
    for kind in compared:
        assert made[kind] <= seen[kind], kind
    assert {len(event["ts"]) for event in own if "ts" in event} == {len(event["ts"]) for event in real if "ts" in event}
    plane = json.loads(corpus_path("ascend/msprof_0_2_10.json").read_text())
    real_args = [event["args"] for event in plane if event.get("args", {}).get("task type")]
    own_args = [event["args"] for event in json.loads(text) if event.get("args", {}).get("task type")]
    assert own_args
    assert fits(own_args, real_args)
    assert [list(args) for args in own_args[:1]] == [list(real_args[0])]


def test_communication_is_like_a_real_file(folders: list[Path]) -> None:
    own = json.loads((folders[3] / OUTPUT / "communication.json").read_text())
    ((_, steps),) = json.loads(corpus_path("ascend/msprof_analyze/cluster_communication.json").read_text()).items()
    real = [by_rank for operators in steps.values() for by_rank in operators.values()]
    ranks = [value for by_rank in real for value in by_rank.values()]
    for step in own.values():
        assert set(step) == {"p2p", "collective"}
        for value in (*step["p2p"].values(), *step["collective"].values()):
            for transport in value["Communication Bandwidth Info"].values():
                assert all(len(figures) == 2 for figures in transport.pop("Size Distribution").values())
    for value in ranks:
        for transport in value["Communication Bandwidth Info"].values():
            transport.pop("Size Distribution", None)
    made = [value for step in own.values() for value in (*step["p2p"].values(), *step["collective"].values())]
    assert fits(made, ranks)


def test_headers_of_steps_are_those_of_the_cluster_table(folders: list[Path]) -> None:
    own = (folders[0] / OUTPUT / "step_trace_time.csv").read_text().split("\n")[0].split(",")
    real = corpus_path("ascend/msprof_analyze/cluster_step_trace_time.csv").read_text().split("\n")[0].split(",")
    assert own == ["Device_id", "Step", *real[3:], "Preparing"]


def test_rows_and_events_are_the_same_kernels(folders: list[Path], expected: dict[str, Any]) -> None:
    for rank, folder in enumerate(folders):
        rows = table(folder / OUTPUT / "kernel_details.csv")
        events = timeline(folder)
        kernels = {
            (str(event["args"]["Stream Id"]), str(event["args"]["Task Id"]), event["ts"]): event["dur"]
            for event in events
            if event["ph"] == "X" and str(event.get("args", {}).get("Task Type", "")).startswith(("AI_", "MIX"))
        }
        assert kernels == {
            (row["Stream ID"], row["Task ID"], row["Start Time(us)"].strip()): Decimal(row["Duration(us)"])
            for row in rows
            if row["Accelerator Core"] != "HCCL"
        }
        collectives = [(event["name"], event["ts"]) for event in events if event["name"].startswith("hcom_")]
        assert Counter(collectives) == Counter(
            (row["Name"], row["Start Time(us)"].strip()) for row in rows if row["Accelerator Core"] == "HCCL"
        )
        sums, counts = Counter[Any](), Counter[Any]()
        for row in rows:
            sums[row["Type"], row["Accelerator Core"]] += whole_ticks(row["Duration(us)"])
            counts[row["Type"], row["Accelerator Core"]] += 1
        kinds = expected["ranks"][rank]["kinds"]
        assert sums == {(kind["type"], kind["core"]): kind["total"] for kind in kinds}
        assert counts == {(kind["type"], kind["core"]): kind["count"] for kind in kinds}
        statistic = table(folder / OUTPUT / "op_statistic.csv")
        assert {(row["OP Type"], row["Core Type"]): whole_ticks(row["Total Time(us)"]) for row in statistic} == {
            key: total for key, total in sums.items() if key[1] != "HCCL"
        }
        flops = expected["ranks"][rank]["flops"]
        numbers = [int(row["aic_cube_fops"]) for row in rows if row["aic_cube_fops"] != "N/A"]
        assert sum(numbers) == flops["cube"] * SHAPE.steps
        cached = table(folder / OUTPUT / "l2_cache.csv")
        on_cores = [row for row in rows if row["Accelerator Core"] not in ("HCCL", "AI_CPU")]
        assert [(row["Task Id"], row["Op Name"]) for row in cached] == [
            (row["Task ID"], row["Name"]) for row in on_cores
        ]


def test_steps_add_up(folders: list[Path], expected: dict[str, Any]) -> None:
    for rank, folder in enumerate(folders):
        events, own = timeline(folder), expected["ranks"][rank]
        steps = [event for event in events if event["name"].startswith("ProfilerStep#")]
        origin = expected["start_ns"]
        assert [
            ((nanoseconds(event["ts"]) - origin) // 10, int(event["dur"] * 100), event["name"]) for event in steps
        ] == [(step["begin"], step["length"], f"ProfilerStep#{step['step']}") for step in own["host_steps"]]
        lanes, lengths = Counter[str](), Counter[str]()
        for event in events:
            if event["name"] in LANES and event["ph"] == "X":
                lanes[LANES[event["name"]]] += 1
                lengths[LANES[event["name"]]] += int(event["dur"] * 100)
        assert lanes == {lane: part["intervals"] for lane, part in own["parts"].items()}
        assert lengths == {lane: part["total"] for lane, part in own["parts"].items()}
        for row, step in zip(table(folder / OUTPUT / "step_trace_time.csv"), own["host_steps"], strict=True):
            columns = {name: whole_ticks(value) for name, value in row.items() if name not in ("Device_id", "Step")}
            assert columns["Computing"] + columns["Communication(Not Overlapped)"] + columns["Free"] == step["length"]
            assert columns["Stage"] + columns["Bubble"] == step["length"]
            assert columns["Communication"] == columns["Communication(Not Overlapped)"] + columns["Overlapped"]
            assert columns["Computing"] == step["computation"]
            assert columns["Free"] == step["free"]
        rows = table(folder / OUTPUT / "kernel_details.csv")
        by_step = Counter(row["Step Id"] for row in rows)
        assert by_step.pop("") == 1  # the first data: before the first step
        assert list(by_step) == [str(step["step"]) for step in own["steps"]]


def test_flows_lead_from_the_host_to_each_task(folders: list[Path]) -> None:
    for folder in folders:
        ends = defaultdict(list)
        for event in timeline(folder):
            if event.get("cat") in ("async_npu", "HostToDevice"):
                ends[event["cat"], str(event["id"])].append(event)
        rows = table(folder / OUTPUT / "kernel_details.csv")
        kinds = Counter(category for category, _ in ends)
        assert kinds["HostToDevice"] == len(rows)
        # Two kernels that begin at the same moment have one number, as in real files.
        assert kinds["async_npu"] == len({row["Start Time(us)"] for row in rows})
        for events in ends.values():
            phases = Counter(event["ph"] for event in events)
            assert phases["s"] == phases["f"]
            begin = min(nanoseconds(event["ts"]) for event in events if event["ph"] == "s")
            assert begin < min(nanoseconds(event["ts"]) for event in events if event["ph"] == "f")


def test_kernels_are_in_the_step_that_launches_them(folders: list[Path], expected: dict[str, Any]) -> None:
    for rank, folder in enumerate(folders):
        steps = expected["ranks"][rank]["host_steps"]
        begins = [expected["start_ns"] + step["begin"] * 10 for step in steps]
        launches: dict[str, int] = {}
        for event in timeline(folder):
            if event.get("cat") == "async_npu" and event["ph"] == "s":
                launches[str(event["id"])] = nanoseconds(event["ts"])
        for row in table(folder / OUTPUT / "kernel_details.csv"):
            start = nanoseconds(row["Start Time(us)"])
            launch = launches[str(start)]
            assert launch < start
            assert [sum(begin <= moment for begin in begins) for moment in (launch, start)] == (
                [int(row["Step Id"] or 0)] * 2
            )
            if row["Step Id"]:
                end = expected["start_ns"] + steps[int(row["Step Id"]) - 1]["end"] * 10
                assert start + nanoseconds(row["Duration(us)"]) <= end


def test_communication_is_that_of_the_truth(folders: list[Path], expected: dict[str, Any]) -> None:
    for rank, folder in enumerate(folders):
        sizes, lengths = Counter[int](), Counter[int]()
        for event in timeline(folder):
            args = event.get("args", {})
            if event["ph"] == "X" and args.get("size(Byte)"):
                peer = rank if args["dst rank"] == 4294967295 else args["dst rank"]
                assert args["src rank"] == rank
                sizes[peer] += args["size(Byte)"]
                lengths[peer] += int(event["dur"] * 100)
        own = expected["ranks"][rank]
        assert sizes == {link["peer"]: link["bytes"] for link in own["links"]}
        assert lengths == {link["peer"]: link["ticks"] for link in own["links"]}
        waits = 0
        for step in json.loads((folder / OUTPUT / "communication.json").read_text()).values():
            for operator in (*step["p2p"].values(), *step["collective"].values()):
                times = operator["Communication Time Info"]
                parts = ("Transit Time(ms)", "Wait Time(ms)", "Idle Time(ms)")
                assert sum(times[part] for part in parts) == pytest.approx(times["Elapse Time(ms)"])
                waits += round(times["Wait Time(ms)"] * 1e5)
        assert waits == sum(item["wait"] + item["linger"] for item in own["communications"])
        matrix = Counter[int]()
        for step in json.loads((folder / OUTPUT / "communication_matrix.json").read_text()).values():
            for name, links in (*step["p2p"].items(), *step["collective"].items()):
                for link, figures in links.items():
                    if "-total@" in name:
                        matrix[int(link.split("-")[1])] += round(figures["Transit Size(MB)"] * 1e6)
        assert matrix == sizes


def test_memory_is_what_is_allocated(folders: list[Path], expected: dict[str, Any]) -> None:
    for rank, folder in enumerate(folders):
        own = expected["ranks"][rank]["allocations"]
        events = []
        never = 0
        rows = table(folder / OUTPUT / "operator_memory.csv")
        for row in rows:
            size = int(row["Size(KB)"]) << 10
            events.append((nanoseconds(row["Allocation Time(us)"]), size, row["Allocation Total Allocated(MB)"]))
            if row["Release Time(us)"] in ("", "N/A"):
                never += 1
                assert (row["Release Time(us)"] == "") == is_pytorch(folders)
            else:
                events.append((nanoseconds(row["Release Time(us)"]), -size, row["Release Total Allocated(MB)"]))
        used, peak = 0, (0, 0)
        curve: list[tuple[int, Decimal]] = []
        for moment, size, total in sorted(events, key=lambda event: event[0]):
            used += size
            assert used == Decimal(total) * 2**20
            peak = max(peak, (used, -moment))
            curve.append((moment, Decimal(used)))
        assert (len(rows), never) == (own["count"], own["never_released"])
        assert peak == (own["peak"], -own["peak_at_ns"])
        records = table(folder / OUTPUT / "memory_record.csv")
        assert [
            (nanoseconds(row["Timestamp(us)"]), Decimal(row["Total Allocated(MB)"]) * 2**20)
            for row in records
            if row["Component"] == "PTA"
        ] == curve
        assert (
            max(Decimal(row["Total Reserved(MB)"]) for row in records if row["Component"] == "PTA") * 2**20
            == (own["reserved"])
        )
