"""Commands on an archive at an address: the same answers as of the file, in few requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.remote.static_server import Behaviour, static_server
from tilescope.cli.dispatch import main
from tilescope.tiler.blobs.head_blob import HEAD_BYTES
from tilescope.tiler.query import QueryReader

SECRET = "sesame-0815"


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    trace, store, file = folder / "host0.xplane.pb", folder / "run.store", folder / "run.tsarc"
    assert main(["synth", "--events", "60000", "--tracks", "40", "-o", str(trace)]) == 0
    assert main(["index", str(trace), "-o", str(store)]) == 0
    assert main(["archive", str(store), "-o", str(file)]) == 0
    assert file.stat().st_size > 4 * HEAD_BYTES
    return file


@pytest.fixture
def behaviour(archive: Path) -> Behaviour:
    return Behaviour({"/runs/run.tsarc": archive.read_bytes()})


@pytest.fixture
def address(behaviour: Behaviour) -> Iterator[str]:
    with static_server(behaviour) as origin:
        yield f"{origin}/runs/run.tsarc"


def output_of(words: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(words) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["info", "RUN", "--json"],
        ["ask", "RUN", "stats", "--format", "json"],
        ["ask", "RUN", "find", "--text", "0", "--format", "json"],
        ["export", "RUN", "--start", "0", "--end", "1ms"],
        ["attachments", "RUN", "--json"],
    ],
    ids=lambda words: words[0] + words[2].strip("-"),
)
def test_answers_are_those_of_the_file(
    words: list[str], archive: Path, address: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def answer(run: str) -> bytes:
        capfdbinary.readouterr()
        assert main([run if word == "RUN" else word for word in words]) == 0
        return capfdbinary.readouterr().out

    assert answer(address) == answer(str(archive)) != b""


def test_information_takes_few_requests(behaviour: Behaviour, address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads(output_of(["info", address, "--json"], capsys))["events"]["total"] == 60_000
    asked_first, *ranges = [headers.get("Range") for _, headers in behaviour.requests]
    assert asked_first is None  # whether it is a server of Tilescope
    assert ranges[0] == f"bytes=0-{HEAD_BYTES - 1}"
    assert len(ranges) <= 3
    assert len(set(ranges)) == len(ranges)  # nothing is read twice


def test_an_archive_is_proven_and_compared(archive: Path, address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"{address}: everything agrees" in output_of(["verify", address], capsys)
    assert "entries are equal" in output_of(["verify", "--same-as", address, str(archive)], capsys)


def test_an_archive_is_copied(archive: Path, address: str, tmp_path: Path) -> None:
    assert main(["archive", address, "-o", str(tmp_path / "copy.tsarc")]) == 0
    assert (tmp_path / "copy.tsarc").read_bytes() == archive.read_bytes()


def test_a_signed_address_is_shown_without_its_signature(
    behaviour: Behaviour, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert SECRET not in output_of(["info", f"{address}?signature={SECRET}"], capsys)
    assert f"signature={SECRET}" in behaviour.requests[-1][0]


def test_a_cut_archive(behaviour: Behaviour, address: str, capsys: pytest.CaptureFixture[str]) -> None:
    behaviour.objects["/runs/run.tsarc"] = behaviour.objects["/runs/run.tsarc"][:100_000]
    assert main(["ask", address, "stats"]) == 1
    assert f"{address}: byte 100,000: the archive is cut short" in capsys.readouterr().err


def test_a_replaced_archive_is_an_error_and_then_a_new_start(
    behaviour: Behaviour, address: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    init = QueryReader.__init__

    def init_replaced(self: QueryReader, *arguments: Any) -> None:
        behaviour.etags["/runs/run.tsarc"] = '"2"'
        init(self, *arguments)

    with monkeypatch.context() as patched:
        patched.setattr(QueryReader, "__init__", init_replaced)
        assert main(["ask", address, "stats"]) == 1
    assert f"{address}: the archive was replaced while it was open (open it again)" in capsys.readouterr().err
    assert main(["ask", address, "stats"]) == 0
