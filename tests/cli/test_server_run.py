"""`tilescope ask URL TOOL`: the run of a server answers as its store does."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from bench.server_process import ServerProcess, serving
from tests.device_trace import DeviceTrace
from tilescope.cli import main
from tilescope.client import connect
from tilescope.tiler.store import open_run_store

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    DeviceTrace(folder, random.Random(7)).store.close()
    (path,) = folder.glob("*.store")
    return path


@pytest.fixture(scope="module")
def server(store: Path) -> Iterator[ServerProcess]:
    with serving(store) as process:
        yield process


@pytest.mark.parametrize("options", [[], ["--format", "json"], ["--start", "1us", "--format", "json"]])
@pytest.mark.parametrize("tool", ["stats", "overlap"])
def test_answers_are_those_of_the_store(
    store: Path, server: ServerProcess, tool: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    answers = []
    for place in (str(store), server.url):
        assert main(["ask", place, tool, *options]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1] != ""


def test_info_is_that_of_the_store(store: Path, server: ServerProcess, capsys: pytest.CaptureFixture[str]) -> None:
    printed = []
    for place in (str(store), server.url):
        assert main(["info", place]) == 0
        printed.append(capsys.readouterr().out.splitlines())
    assert printed[0][1:] == printed[1][1:] != []
    assert printed[1][0].endswith(f" at {server.url.partition('?')[0].rstrip('/')}"), (
        "two servers differ by their ports"
    )
    manifests = []
    for place in (str(store), server.url):
        assert main(["info", place, "--json"]) == 0
        manifests.append(json.loads(capsys.readouterr().out))
    assert manifests[0].items() <= manifests[1].items()


def test_a_run_is_named_in_the_url(server: ServerProcess, capsys: pytest.CaptureFixture[str]) -> None:
    run = server.build_path().split("/")[3]
    assert main(["ask", f"{server.url}?run={run}", "stats", "--format", "json"]) == 0
    assert main(["ask", f"{server.url}?run=nobody", "stats"]) == 1
    assert "nobody" in capsys.readouterr().err


def test_what_makes_no_sense_is_said_in_the_words_of_options(
    server: ServerProcess, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", server.url, "stats", "--tracks", "5000"]) == 2
    line = capsys.readouterr().err
    assert "track 5000 does not exist" in line
    assert line.count("\n") == 1
    assert main(["export", server.url]) == 2
    assert "this is a server: `tilescope ask` and `tilescope info` ask it" in capsys.readouterr().err


def test_a_server_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "http://127.0.0.1:9/", "stats"]) == 1
    assert "127.0.0.1:9" in capsys.readouterr().err


RULES = ["--fail-if", "stats.names.self > +0%", "--fail-if", "steps.p50 > 1h", "--fail-if", "roofline.peak > 3"]


@pytest.mark.parametrize("options", [[], ["--by", "track", "--per", "total"], RULES, [*RULES, "--match", "normalised"]])
def test_runs_of_a_server_are_compared_as_their_stores(
    two_runs: tuple[list[str], list[str]], options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    printed = []
    for places in two_runs:
        code = main(["compare", *places, *options, "--format", "json"])
        answer = json.loads(capsys.readouterr().out)
        printed.append((code, {name: value for name, value in answer.items() if name != "link"}))
    assert printed[0] == printed[1]
    if options[:1] == ["--fail-if"]:
        assert [rule["verdict"] for rule in printed[0][1]["rules"]] == ["failed", "fine", "unknown"]


def test_runs_of_a_server_and_others_are_not_compared(
    two_runs: tuple[list[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    stores, urls = two_runs
    assert main(["compare", stores[0], urls[1]]) == 2
    assert "compared with runs of the same server" in capsys.readouterr().err


@pytest.fixture(scope="module")
def two_runs(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[str], list[str]]]:
    """Two stores, and their addresses on a server."""
    other = tmp_path_factory.mktemp("other") / "other.store"
    DeviceTrace(other.parent, random.Random(8)).store.close()
    (other.parent / "devices.store").rename(other)
    with serving(store, other) as server, connect(server.url) as client:
        ids = {run.build: run.id for run in client.runs()}
        urls = []
        for path in (store, other):
            with closing(open_run_store(path)) as opened:
                urls.append(f"{server.url}?run={ids[opened.build]}")
        yield [str(store), str(other)], urls
