"""The benchmark of a billion events runs, with fewer, and goes on where it was stopped."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

import pytest

from bench import billion
from tilescope.tiler.mount import open_run
from tilescope.tiler.store.archive import open_archive

pytestmark = pytest.mark.slow

EVENTS = 12_000

STAGE = {"seconds": 1.0, "cpu_seconds": 1.0, "peak_rss_bytes": 1, "peak_private_bytes": 1, "output": ""}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(billion, "SHARDS", 2)
    monkeypatch.setattr(billion, "TRACKS", 40)


def test_a_run_that_is_stopped_and_completed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [str(tmp_path), "--events", str(EVENTS), "--keep-free", "0"]
    assert billion.main([*command, "--shards", "1"]) == 0
    assert "| archived, 1 shards" in capsys.readouterr().out
    assert billion.main(command) == 0
    table = capsys.readouterr().out
    for work in (
        "one file of 0.0012 M",
        "shard 1",
        "shard 2",
        "merged",
        "opened",
        "archived",
        "2 shards, CPU per event",
    ):
        assert f"| {work}" in table
    assert not list(tmp_path.glob("*.xplane.pb*"))
    with closing(open_run(tmp_path / "run")) as run, closing(open_archive(tmp_path / "run.tsarc")) as archive:
        manifest = run.manifest()
        assert manifest["events"]["total"] == str(EVENTS)
        assert len(manifest["hosts"]) == 2
        assert not manifest["missing"]
        assert archive.manifest()["events"] == manifest["events"]

    kept = tmp_path / "stages.json"
    stages = json.loads(kept.read_text())
    left = [stage for stage in stages if stage["name"] not in ("shard 2", "merged")]
    kept.write_text(json.dumps(left))
    assert billion.main(command) == 0
    assert [stage["name"] for stage in json.loads(kept.read_text())] == [
        *(stage["name"] for stage in left),
        "shard 2",
        "merged",
    ]


def test_a_disk_without_room(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert billion.main([str(tmp_path), "--events", str(EVENTS), "--keep-free", "1e18"]) == 1
    assert "are needed, and 1000 PB are to stay free" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.xplane.pb*"))


def test_a_folder_with_a_run_of_another_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stages.json").write_text(json.dumps([STAGE | {"name": "one file of 0.00012 M", "events": 7}]))
    assert billion.main([str(tmp_path), "--events", str(EVENTS)]) == 1
    assert "one file of 0.00012 M had 7 events, and would have 120" in capsys.readouterr().err
    assert not list(tmp_path.glob("*.xplane.pb*"))
