"""Captures of several ranks: tables lie in the run of their timelines, with the rank of their folder."""

from __future__ import annotations

import json
import tarfile
import zipfile
from pathlib import Path

import pytest

import tilescope
from tests.tiler.readers.ascend.conftest import index
from tilescope import Run
from tilescope.tiler.verify import verify_store

START_US = 1736413971558972


def put(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def capture(folder: Path, rank: int) -> None:
    """A folder as torch_npu leaves it, with what msprof made of the same capture."""
    ids = [
        {"ph": "M", "name": "process_name", "pid": 3, "args": {"name": "Ascend Hardware"}},
        {"ph": "M", "name": "thread_name", "pid": 3, "tid": 7, "args": {"name": "Stream 7"}},
    ]
    tasks = [
        {"ph": "X", "pid": 3, "tid": 7, "name": f"op{k}", "ts": f"{START_US + 9 * k}.125", "dur": 5} for k in range(9)
    ]
    output = folder / "ASCEND_PROFILER_OUTPUT"
    put(folder / f"profiler_info_{rank}.json", "{}")
    put(output / "trace_view.json", json.dumps([*ids, *tasks]))
    rows = "".join(f'op{k},Add,AI_CORE,"{START_US + 9 * k}.125\t",5.{rank}\n' for k in range(9))
    put(output / "kernel_details.csv", "Name,Type,Accelerator Core,Start Time(us),Duration(us)\n" + rows)
    put(output / "of_no_family.csv", f"a,b\n{rank},2\n")
    header = "Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us)\n"
    msprof = folder / f"PROF_000001_2024010203040{rank}111_ABC" / "mindstudio_profiler_output"
    put(msprof / "op_summary_20240102030405.csv", f"{header}op,Add,AI_CORE,{rank}.5,2\n")


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("job") / "logs"
    for rank in range(3):
        capture(folder / f"node_{100 + rank}_2024010203040{rank}678_ascend_pt", rank)
    return folder


def packed(job: Path, to: Path, kind: str) -> Path:
    files = sorted(path for path in job.rglob("*") if path.is_file())
    archive = to / f"logs.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(archive, "w") as out:
            for path in files:
                out.write(path, path.relative_to(job.parent))
    else:
        with tarfile.open(archive, "w:gz") as out_tar:
            for path in files:
                out_tar.add(path, path.relative_to(job.parent).as_posix())
    return archive


def listed(run: Run) -> set[tuple[str, str | None, str, int, int]]:
    table = run.ask("tables").table("tables")
    columns = (table[name].tolist() for name in ("name", "family", "host", "rank", "rows"))
    return set(zip(*columns, strict=True))


@pytest.mark.parametrize("kind", ["folder", "zip", "tgz"])
def test_tables_of_each_rank_lie_with_its_timeline(job: Path, tmp_path: Path, kind: str) -> None:
    place = job if kind == "folder" else packed(job, tmp_path, kind)
    store = index(place, tmp_path / "store")
    with tilescope.connect(store) as client:
        run = client.run()
        assert listed(run) == {
            (name, family, f"rank {rank}", rank, rows)
            for rank in range(3)
            for name, family, rows in (
                ("kernel_details.csv", "kernel_details", 9),
                ("of_no_family.csv", None, 1),
                ("op_summary_20240102030405.csv", "op_summary", 1),
            )
        }
        assert {track.path[-2] for track in run.tracks() if track.kind == "slice"} == {"rank 0", "rank 1", "rank 2"}
        assert len(run.events(limit=100)["start"]) == 27
    report = verify_store(store)
    assert (report.tables, report.table_cells) == (9, 3 * (9 * 5 + 2 + 5))


def test_a_file_that_cannot_be_read_costs_its_tables_alone(job: Path, tmp_path: Path) -> None:
    folder = tmp_path / "node_1_20240102030400678_ascend_pt"
    capture(folder, 0)
    put(folder / "ASCEND_PROFILER_OUTPUT" / "communication.json", '{"step1": {"collective": {')
    with tilescope.connect(index(tmp_path, tmp_path / "store")) as client:
        run = client.run()
        assert len(run.ask("tables").table("tables")["name"]) == 3
        assert len(run.events(limit=100)["start"]) == 9
        (left_out,) = [warning for warning in run.manifest["warnings"] if "communication.json" in warning]
        assert "is not JSON" in left_out
        assert "(line 1, column" in left_out


def test_one_table_by_its_path_is_a_run(job: Path, tmp_path: Path) -> None:
    path = next(job.rglob("kernel_details.csv"))
    with tilescope.connect(index(path, tmp_path / "store")) as client:
        table = client.run().ask("tables", number=0).table("rows")
        assert table["cell.Start Time(us)"].tolist() == [f"{START_US + 9 * k}.125" for k in range(9)]
        assert table["cell.Duration(us)"].tolist() == [5.0] * 9
