"""`tilescope ask` about what costs the time: of one host, and of steps that somebody names."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.tiler.facts.findings.epochs import EPOCH_US, READING_US, write_epochs
from tests.tiler.facts.findings.tpu_run import Pod, run, write_hosts
from tilescope.cli.dispatch import main
from tilescope.tiler.indexing import build_store


@pytest.fixture(scope="module")
def epochs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("epochs")
    build_store([write_epochs(folder)], folder / "epochs.store")
    return folder / "epochs.store"


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pod")
    build_store(write_hosts(run(Pod(batch=(900, 9_400))), folder), folder / "pod.store")
    return folder / "pod.store"


def first_row(capsys: pytest.CaptureFixture[str], *words: str) -> Mapping[str, str]:
    assert main(["ask", *words, "--table", "findings", "--format", "csv"]) == 0
    return next(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def test_the_findings_of_a_host(pod: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, host = first_row(capsys, str(pod), "overview"), first_row(capsys, str(pod), "overview", "--host", "node-b")
    assert (whole["class"], host["class"]) == ("input", "input")
    assert whole["where"] == f"node-b · {host['where']}"
    assert first_row(capsys, str(pod), "overview", "--host", "node-a")["class"] == "unclear"
    assert main(["ask", str(pod), "overview", "--host", "node-z"]) == 2
    assert "node-a, node-b" in capsys.readouterr().err


def test_the_findings_of_steps_that_are_named(epochs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    steps = "--steps", "1-3", "--step-name", "epoch"
    row = first_row(capsys, str(epochs), "overview", *steps)
    assert row["class"] == "input"
    assert float(row["share"]) == pytest.approx(READING_US / EPOCH_US, rel=0.01)
    for page in ("gaps", "overview"):
        assert main(["ask", str(epochs), page, *steps, "--format", "brief"]) == 0
        assert row["sentence"] in capsys.readouterr().out
    assert main(["ask", str(epochs), "overview", "--steps", "1-3", "--step-name", "era"]) == 2
    assert "era" in capsys.readouterr().err


def test_the_headlines_of_pages_about_named_steps_are_alike(epochs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    headlines = set()
    for page in ("overview", "gaps", "pod"):
        assert main(["ask", str(epochs), page, "--steps", "2-3", "--step-name", "epoch", "--format", "json"]) == 0
        headlines.add(json.loads(capsys.readouterr().out)["headline"]["text"])
    assert len(headlines) == 1
    assert "DataLoader.__next__" in headlines.pop()
