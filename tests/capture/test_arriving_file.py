"""Files that arrive: what a killed capture left is removed, what is being written is not."""

from __future__ import annotations

import fcntl
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tilescope.capture.arriving_file import ArrivingFile, remove_leftovers

_WRITER = """
import sys
from pathlib import Path
from tilescope.capture.arriving_file import ArrivingFile

file = ArrivingFile(Path(sys.argv[1]))
file.write(b"half of a trace")
print("written", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    run = tmp_path / "plugins" / "profile" / "run"
    run.mkdir(parents=True)
    return run


def test_a_killed_capture_leaves_nothing_that_is_not_removed(tmp_path: Path, run: Path) -> None:
    command = [sys.executable, "-c", _WRITER, str(run / "host.xplane.pb")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"written\n"
        (part,) = run.iterdir()
        assert remove_leftovers(tmp_path) == []
        assert part.read_bytes() == b"half of a trace"
        writer.send_signal(signal.SIGKILL)
    assert remove_leftovers(tmp_path) == [part]
    assert not run.exists()


def test_what_else_is_there_stays(tmp_path: Path, run: Path) -> None:
    part = ".host.xplane.pb-0123abcd.part"
    kept = {run / name for name in ("host.xplane.pb", ".host.xplane.pb-12.part", part[1:])}
    for file in kept:
        file.write_bytes(b"x")
    outside = tmp_path.parent / f"{tmp_path.name} outside"
    outside.mkdir()
    (outside / part).write_bytes(b"x")
    (run.parent / "link").symlink_to(outside)
    (run / part).symlink_to(outside / part)
    logs = tmp_path / "logs"
    (logs / "plugins").mkdir(parents=True)
    (logs / "plugins" / "profile").symlink_to(outside.parent)
    assert remove_leftovers(logs) == []
    assert remove_leftovers(tmp_path / "nowhere") == []
    assert remove_leftovers(tmp_path) == []
    assert (outside / part).exists()
    assert kept < set(run.iterdir())


def test_who_clears_up_may_come_between_the_file_and_its_lock(
    tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = fcntl.flock
    removed: list[Path] = []

    def clear_up_first(file: object, how: int) -> None:
        if not removed and how == fcntl.LOCK_EX:
            monkeypatch.setattr(fcntl, "flock", lock)
            removed.extend(remove_leftovers(tmp_path))
            run.mkdir(exist_ok=True)
        lock(file, how)  # type: ignore[arg-type]

    monkeypatch.setattr(fcntl, "flock", clear_up_first)
    file = ArrivingFile(run / "host.xplane.pb")
    assert len(removed) == 1
    file.write(b"a trace")
    file.commit()
    assert (run / "host.xplane.pb").read_bytes() == b"a trace"
