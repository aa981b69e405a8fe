"""`tilescope shift`: kept beside a store or a run of shards, and told in the manifest; nothing stored changes."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from tests.pods import threads, write_pod
from tilescope.cli import main
from tilescope.tiler.errors import DamagedStore, UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.mount import keep_merge, open_run
from tilescope.tiler.schema import manifest_of
from tilescope.tiler.shards.build import build_shards
from tilescope.tiler.store.shifts import SHIFTS, clock_shifts, read_shifts, write_shifts
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
    assert capsys.readouterr().out.splitlines() == ["synthetic: +1.5 µs", "synthetic (2): -200 ns"]
    assert read_shifts(run) == {"synthetic": 1_500_000, "synthetic (2)": -200_000}
    assert main(["shift", str(run), "synthetic=0"]) == 0
    assert capsys.readouterr().out == "synthetic (2): -200 ns\n"
    with closing(open_run(run)) as store:
        assert store.manifest() == before
    (shift,) = clock_shifts(run, before["tick_ps"])
    assert (shift.host, int(shift.shift)) == ("synthetic (2)", -200_000 // before["tick_ps"])
    assert manifest_of(before, "id", "name", shifts=[shift]).shifts == [shift]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("synthetic", "name a host and its shift"),
        ("nobody=1ms", "there is no host 'nobody': there are synthetic, synthetic (2)"),
        ("synthetic=5", "the shift has no unit"),
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
    write_shifts(run, {"synthetic (2)": 5000})
    assert main(["ask", str(run), "overview"]) == 0
    assert note in " ".join(capsys.readouterr().out.split())


def test_shifts_are_drawn_in_the_nearest_ticks(run: Path) -> None:
    write_shifts(run, {"a": -1, "b": 501, "c": -1499, "d": -1501})
    assert {shift.host: shift.shift for shift in clock_shifts(run, 1000)} == {"b": "1", "c": "-1", "d": "-2"}
    assert [shift.shift for shift in clock_shifts(run, 1)] == ["-1", "501", "-1499", "-1501"]


def test_a_store_that_is_removed_leaves_no_shifts(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    build_store(write_pod(tmp_path / "pod", hosts=1, events=300), folder)
    write_shifts(folder, {"synthetic": 1})
    assert evict(folder)
    assert not folder.exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b'{"version":1,"shifts":[{"host":"a","ps":"9223372036854775807"}]}',
        b'{"version":1,"shifts":[{"host":"a","ps":"1e9"}]}',
        b"[" * 99_999,
    ],
)
def test_a_file_of_shifts_that_is_none(run: Path, content: bytes) -> None:
    (run / SHIFTS).write_bytes(content)
    with pytest.raises(DamagedStore, match=r"shifts\.json: makes no sense"):
        read_shifts(run)


def test_an_archive_takes_none(run: Path, tmp_path: Path) -> None:
    archive = tmp_path / "run.tsarc"
    assert main(["archive", str(run), "-o", str(archive)]) == 0
    assert read_shifts(archive) == {}
    with pytest.raises(UsageError, match="an archive takes no shifts"):
        write_shifts(archive, {"synthetic": 1})
