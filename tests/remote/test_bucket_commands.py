"""Commands on traces in a bucket of S3."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tilescope
from tests.remote.s3_server import skip_without_s3
from tilescope.cli.dispatch import main
from tilescope.remote import open_place
from tilescope.tiler.store.run_store import open_run_store

skip_without_s3()
pytestmark = pytest.mark.usefixtures("s3")


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("traces") / "host0.xplane.pb"
    assert main(["synth", "--events", "30000", "--tracks", "12", "-o", str(path)]) == 0
    return path


def records(store: Path) -> dict[bytes, bytes]:
    """All but the manifest, which has the time of the file."""
    opened = open_run_store(store)
    try:
        return {key: value for key, value in opened.records() if not key.startswith(b"M")}
    finally:
        opened.close()


def test_an_archive_in_a_bucket(tmp_path: Path, trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, archive = tmp_path / "store", tmp_path / "run.tsarc"
    assert main(["index", str(trace), "-o", str(store)]) == 0
    assert main(["archive", str(store), "-o", str(archive)]) == 0
    with open_place("s3://traces/archives").put("run.tsarc") as writer:
        writer.write(archive.read_bytes())
        writer.commit()
    answers = []
    for run in ("s3://traces/archives/run.tsarc", str(archive)):
        capsys.readouterr()
        assert main(["ask", run, "stats", "--format", "json"]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1]
    assert main(["verify", "s3://traces/archives/run.tsarc"]) == 0
    with tilescope.connect("s3://traces/archives/run.tsarc") as client:
        assert client.run().manifest["events"]["total"] == "30000"
    assert main(["ask", "s3://traces/archives/none.tsarc", "stats"]) != 0
    assert "s3://traces/archives/none.tsarc" in capsys.readouterr().err


def test_runs_of_a_bucket(
    tmp_path: Path, trace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for run in ("2026_01_31_10_00_00", "2026_02_01_10_00_00"):
        with open_place("s3://traces/logs").put(f"plugins/profile/{run}/host0.xplane.pb") as writer:
            writer.write(trace.read_bytes())
            writer.commit()
    capsys.readouterr()
    with monkeypatch.context() as patched:
        patched.setattr("tilescope.remote.bucket.BucketBlob.read", None)  # a listing opens nothing
        assert main(["info", "s3://traces/logs", "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    paths = [run["path"] for run in runs]
    assert paths == [f"s3://traces/logs/plugins/profile/2026_0{day}_10_00_00" for day in ("2_01", "1_31")]
    assert main(["index", paths[0], "-o", str(tmp_path / "remote")]) == 0
    assert main(["index", str(trace), "-o", str(tmp_path / "local")]) == 0
    assert records(tmp_path / "local") == records(tmp_path / "remote")
    assert main(["index", "s3://traces/logs", "-o", str(tmp_path / "both")]) == 2
    assert paths[0] in capsys.readouterr().err
