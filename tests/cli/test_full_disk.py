"""What is written to a disk that is full: a line that names the file, and nothing half-written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tests.tiler.store.small_disk import small_disk
from tilescope.cli import main
from tilescope.tiler.indexing import build_store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("full") / "demo.store"
    build_store([DEMO_TRACE], store)
    return store


@pytest.mark.parametrize(
    "command",
    [
        "export STORE -o FILE.json",
        "export STORE -o FILE.json.gz",
        "ask STORE search --query /./ --limit 100 --format json -o FILE.json",
        "ask STORE search --query /./ --limit 1000 --table events --format csv -o FILE.csv",
        "synth --format chrome --events 5000 -o FILE.json",
    ],
)
def test_the_file_is_named(tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    with small_disk(tmp_path / "disk", 4096) as disk:
        words = command.replace("STORE", str(store)).replace("FILE", str(disk / "out")).split()
        assert main(words) == 1
        assert capsys.readouterr().err.splitlines()[-1] == f"tilescope: {words[-1]}: No space left on device"
        assert list(disk.iterdir()) == []


@pytest.mark.parametrize("command", ["export STORE", "info STORE", "ask STORE overview", "tools"])
def test_standard_output_is_named(store: Path, command: str) -> None:
    words = command.replace("STORE", str(store)).split()
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "tilescope", *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (ran.returncode, ran.stderr) == (1, "tilescope: standard output: No space left on device\n")
