"""`tilescope shift`: kept beside a store or a run of shards, and told in the manifest; nothing stored changes."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bench.kineto_run import KinetoShape, write_job
from tests.pods import threads, write_pod
from tests.tiler.readers.layouts.rank_traces import BASE_NS, put, rank_trace
from tilescope.cli import main
from tilescope.tiler.errors import DamagedStore, StoreError, UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.mount import keep_merge, open_run, save_shifts
from tilescope.tiler.pages import decompress
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.schema import manifest_of
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.store.clocks import clock_names, clock_shifts
from tilescope.tiler.store.shifts import SHIFTS, Shift, read_shifts, update_shifts
from tilescope.tiler.store.store import need
from tilescope.tiler.store.sweep import evict


@pytest.fixture(params=["store", "shards"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    files = write_pod(tmp_path / "pod", hosts=2, events=300)
    folder = tmp_path / "run"
    if request.param == "store":
        build_store(files, folder)
    else:
        keep_merge(folder, build_shards(files, folder, threads, progress=lambda _: None))
    return folder


def test_shifts_are_kept_listed_and_taken_back(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(open_run(run)) as store:
        before = store.manifest()
    assert main(["shift", str(run)]) == 0
    assert capsys.readouterr().out == "no host is shifted\n"
    assert main(["shift", str(run), "synthetic=+1.5us", "synthetic (2)=-200ns"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "synthetic: +1.5 µs, set by hand",
        "synthetic (2): -200 ns, set by hand",
    ]
    assert read_shifts(run) == {
        "synthetic": Shift(1_500_000, "by_hand"),
        "synthetic (2)": Shift(-200_000, "by_hand"),
    }
    assert main(["shift", str(run), "synthetic=0"]) == 0
    assert capsys.readouterr().out == "synthetic (2): -200 ns, set by hand\n"
    with closing(open_run(run)) as store:
        assert store.manifest() == before
    (shift,) = clock_shifts(run, before)
    assert (shift.host, int(shift.shift)) == ("synthetic (2)", -200_000 // before["tick_ps"])
    assert manifest_of(before, "id", "name", shifts=[shift]).shifts == [shift]
    assert main(["shift", str(run), "synthetic=1us", "--clear"]) == 0
    assert capsys.readouterr().out == "synthetic: +1 µs, set by hand\n"
    assert main(["shift", str(run), "--clear"]) == 0
    assert capsys.readouterr().out == "no host is shifted\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("synthetic", "name a host and its shift"),
        ("nobody=1ms", "there is no host or rank 'nobody': there are synthetic, synthetic (2)"),
        ("synthetic=5", "the shift has no unit"),
        ("synthetic=+-5ms", "the shift has two signs: synthetic=+1.5ms moves to the right"),
        ("synthetic=--5ms", "the shift has two signs"),
        ("synthetic=soon", "'soon' is not a time"),
        ("synthetic=99999999999s", "is more than"),
    ],
)
def test_what_is_no_shift(run: Path, capsys: pytest.CaptureFixture[str], change: str, message: str) -> None:
    assert main(["shift", str(run), change]) == 2
    assert message in capsys.readouterr().err
    assert read_shifts(run) == {}


def test_tools_say_that_they_use_no_shifts(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    note = "imes are as they were recorded: the shifts of synthetic (2) are not added to them"
    assert main(["ask", str(run), "overview"]) == 0
    assert note not in capsys.readouterr().out
    update_shifts(run, {"synthetic (2)": 5000}, "measured")
    assert main(["ask", str(run), "overview"]) == 0
    assert note in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("name", ["run.json", "run.jsonl"])
def test_an_export_says_that_it_uses_no_shifts(
    run: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def exported() -> tuple[bytes, str]:
        assert main(["export", str(run), "-o", str(tmp_path / name)]) == 0
        return (tmp_path / name).read_bytes(), capsys.readouterr().err

    plain, message = exported()
    assert "shifts" not in message
    update_shifts(run, {"synthetic (2)": 5000}, "measured")
    shifted, message = exported()
    assert "times are as they were recorded: the shifts of synthetic (2) are not added to them" in message
    assert shifted == plain


def test_shifts_are_drawn_in_the_nearest_ticks(run: Path) -> None:
    update_shifts(run, {"a": -1, "b": 501, "c": -1499, "d": -1501}, "measured")
    hosts = ["a", "b", "c", "d"]
    shifts = clock_shifts(run, {"hosts": hosts, "tick_ps": 1000})
    assert {shift.host: shift.shift for shift in shifts} == {"b": "1", "c": "-1", "d": "-2"}
    shifts = clock_shifts(run, {"hosts": hosts, "tick_ps": 1})
    assert [shift.shift for shift in shifts] == ["-1", "501", "-1499", "-1501"]
    assert {shift.origin for shift in shifts} == {"measured"}


def test_a_store_that_is_removed_leaves_no_shifts(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    build_store(write_pod(tmp_path / "pod", hosts=1, events=300), folder)
    update_shifts(folder, {"synthetic": 1}, "by_hand")
    assert evict(folder)
    assert not folder.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b'{"version":1,"shifts":[{"host":"a","ps":"9223372036854775807"}]}',
        b'{"version":1,"shifts":[{"host":"a","ps":"1e9"}]}',
        b'{"version":1,"shifts":[{"host":"a","ps":"1","origin":"guessed"}]}',
        b"[" * 99_999,
    ],
)
def test_a_file_of_shifts_that_is_none(run: Path, content: bytes) -> None:
    (run / SHIFTS).write_bytes(content)
    with pytest.raises(DamagedStore, match=r"shifts\.json: makes no sense"):
        read_shifts(run)


def test_what_could_not_be_read_again_is_not_written(tmp_path: Path) -> None:
    update_shifts(tmp_path, {"host": 1}, "by_hand")
    with pytest.raises(UsageError, match="100,001 clocks with a shift are more than the 65,536 that there may be"):
        update_shifts(tmp_path, {f"host{k}": 1 for k in range(100_000)}, "measured")
    with pytest.raises(StoreError, match="bytes are more than the 4,194,304 that it may have"):
        update_shifts(tmp_path, {f"{k} {'x' * 900}": 1 for k in range(5000)}, "measured")
    assert read_shifts(tmp_path) == {"host": Shift(1, "by_hand")}


def test_an_archive_has_the_shifts_of_its_run(run: Path, tmp_path: Path) -> None:
    archive = tmp_path / "run.tsarc"
    save_shifts(run, {"synthetic (2)": 5000}, "measured", tick_ps=1)
    assert main(["archive", str(run), "-o", str(archive)]) == 0
    with closing(open_run(run)) as store, closing(open_run(archive)) as archived:
        shifts = clock_shifts(run, store.manifest())
        assert clock_shifts(archive, archived.manifest()) == shifts
        assert [shift.host for shift in shifts] == ["synthetic (2)"]
        # Neither the store nor what is kept of a mounted run has them.
        assert not store.manifest().get("shifts")
    # An archive of the archive has them as well.
    again = tmp_path / "again.tsarc"
    assert main(["archive", str(archive), "-o", str(again)]) == 0
    with closing(open_run(again)) as archived:
        assert clock_shifts(again, archived.manifest()) == shifts


def test_an_archive_takes_none(run: Path, tmp_path: Path) -> None:
    archive = tmp_path / "run.tsarc"
    assert main(["archive", str(run), "-o", str(archive)]) == 0
    assert read_shifts(archive) == {}
    with pytest.raises(UsageError, match="an archive takes no shifts"):
        update_shifts(archive, {"synthetic": 1}, "by_hand")


def test_shifts_of_ticks_with_their_origin_leave_those_of_others(run: Path) -> None:
    with closing(open_run(run)) as store:
        tick_ps = store.manifest()["tick_ps"]
    save_shifts(run, {"synthetic": 5})
    assert save_shifts(run, {"synthetic (2)": -3}, origin="measured") == {
        "synthetic": Shift(5 * tick_ps, "by_hand"),
        "synthetic (2)": Shift(-3 * tick_ps, "measured"),
    }
    save_shifts(run, {"synthetic": 0})
    assert read_shifts(run) == {"synthetic (2)": Shift(-3 * tick_ps, "measured")}


def test_a_shift_of_a_host_that_is_gone_can_be_taken_back(run: Path) -> None:
    update_shifts(run, {"gone": 1}, "by_hand")
    assert main(["shift", str(run), "gone=0"]) == 0
    assert read_shifts(run) == {}
    assert main(["shift", str(run), "gone=1ms"]) == 2


def test_commands_that_shift_at_once_lose_nothing(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:  # flock is of an open file: threads wait for each other as processes do
        list(pool.map(lambda k: update_shifts(tmp_path, {f"host{k}": k + 1}, "by_hand"), range(64)))
    assert {clock: shift.ps for clock, shift in read_shifts(tmp_path).items()} == {f"host{k}": k + 1 for k in range(64)}


@pytest.mark.parametrize("are_shards", [False, True])
def test_ranks_are_shifted_each_and_by_machine(tmp_path: Path, are_shards: bool) -> None:
    files = [
        put(tmp_path / "logs" / f"node{rank // 2}_1.{BASE_NS + rank}.pt.trace.json", rank_trace(rank, 4))
        for rank in range(4)
    ]
    run = tmp_path / "run"
    if are_shards:
        keep_merge(run, build_shards(files, run, threads, progress=lambda _: None))
    else:
        build_store(files, run)
    with closing(open_run(run)) as store:
        manifest = store.manifest()
        groups = json.loads(decompress(need(store, TRACKS)))["groups"]
    assert groups[0]["name"] == "4 ranks"
    assert manifest["hosts"] == [f"rank {rank} · node{rank // 2} · GPU 3" for rank in range(4)]
    save_shifts(run, {"rank 3": 7, "node1": 4}, origin="measured")
    save_shifts(run, {manifest["hosts"][0]: -2})
    assert [(shift.host, shift.shift, shift.origin) for shift in clock_shifts(run, manifest)] == [
        (manifest["hosts"][0], "-2", "by_hand"),
        (manifest["hosts"][2], "4", "measured"),
        (manifest["hosts"][3], "7", "measured"),
    ]


@pytest.mark.parametrize(
    ("host", "names"),
    [
        ("node1", ["node1"]),
        ("node1 (2)", ["node1 (2)"]),
        ("a · b", ["a · b"]),
        ("rank 3", ["rank 3"]),
        ("rank 3 (2)", ["rank 3 (2)", "rank 3"]),
        ("rank 3 · node1 · GPU 0", ["rank 3 · node1 · GPU 0", "rank 3", "node1"]),
        ("rank 3 · GPU 0 (2)", ["rank 3 · GPU 0 (2)", "rank 3"]),
        ("rank of all", ["rank of all"]),
    ],
)
def test_names_of_clocks(host: str, names: list[str]) -> None:
    assert clock_names(host) == names


def test_shifts_of_ranks_are_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    truth: dict[str, Any] = write_job(tmp_path / "job", KinetoShape(cycles=1))
    build_store(sorted((tmp_path / "job").iterdir()), tmp_path / "run")
    assert main(["shift", str(tmp_path / "run"), "rank 1=+2us", "--measure"]) == 0
    lines = capsys.readouterr().out.splitlines()
    offsets = {rank: ns for rank, ns in enumerate(truth["offsets"]) if ns}
    assert read_shifts(tmp_path / "run") == {
        **{f"rank {rank}": Shift(-1000 * ns, "measured") for rank, ns in offsets.items()},
        "rank 1": Shift(2_000_000, "by_hand"),
    }
    moved = min(offsets)
    (line,) = [line for line in lines if line.startswith(f"rank {moved}:")]
    assert ", measured, spread 0 ps over " in line
    assert main(["shift", str(tmp_path / "run"), "--clear"]) == 0
    assert capsys.readouterr().out == "no host is shifted\n"


def test_measured_shifts_go_before_those_that_there_were(tmp_path: Path) -> None:
    truth: dict[str, Any] = write_job(tmp_path / "job", KinetoShape(cycles=1))
    build_store(sorted((tmp_path / "job").iterdir()), tmp_path / "run")
    measured = {f"rank {rank}": Shift(-1000 * ns, "measured") for rank, ns in enumerate(truth["offsets"]) if ns}
    with closing(open_run(tmp_path / "run")) as store:
        hosts = store.manifest()["hosts"]
    moved = next(host for host in hosts if clock_names(host)[1] in measured)
    save_shifts(tmp_path / "run", {moved: 5, "rank 0": 7})
    assert main(["shift", str(tmp_path / "run"), "--measure"]) == 0
    assert read_shifts(tmp_path / "run") == measured
    update_shifts(tmp_path / "run", {"gone": 1}, "by_hand")
    assert main(["shift", str(tmp_path / "run"), "--measure", "--clear"]) == 0
    assert read_shifts(tmp_path / "run") == measured


def test_what_cannot_be_measured_is_refused(run: Path) -> None:
    with pytest.raises(UsageError, match="no collective of several ranks was recorded"):
        main(["shift", str(run), "--measure", "--debug"])
