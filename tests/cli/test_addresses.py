"""Commands that take addresses: a trace elsewhere becomes the same index as the local file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.remote.static_server import Behaviour, static_server
from tilescope.cli.addresses import DEFAULT_SCRATCH_BYTES
from tilescope.cli.dispatch import main
from tilescope.tiler.blobs import DEFAULT_SCRATCH_BYTES as BLOBS_DEFAULT
from tilescope.tiler.store.run_store import open_run_store

SECRET = "sesame-0815"


def synth(path: Path, kind: str, events: int = 60_000) -> Path:
    assert main(["synth", "--format", kind, "--events", str(events), "--tracks", "12", "-o", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traces")
    synth(folder / "host0.xplane.pb", "xspace")
    synth(folder / "host0.trace.json.gz", "chrome")
    synth(folder / "host0.trace.json", "chrome")
    return folder


@pytest.fixture
def behaviour(traces: Path) -> Behaviour:
    return Behaviour({f"/{path.name}": path.read_bytes() for path in traces.iterdir()})


@pytest.fixture
def origin(behaviour: Behaviour) -> Iterator[str]:
    with static_server(behaviour) as origin:
        yield origin


def records(store: Path) -> dict[bytes, bytes]:
    opened = open_run_store(store)
    try:
        return {key: value for key, value in opened.records() if not key.startswith(b"M")}
    finally:
        opened.close()


def facts(store: Path) -> dict[str, object]:
    opened = open_run_store(store)
    try:
        manifest = opened.manifest()
    finally:
        opened.close()
    return {name: manifest[name] for name in ("events", "tick_ps", "start", "end", "hosts", "warnings", "ignored")}


def test_the_default_is_that_of_blobs() -> None:
    assert DEFAULT_SCRATCH_BYTES == BLOBS_DEFAULT


@pytest.mark.parametrize("name", ["host0.xplane.pb", "host0.trace.json.gz", "host0.trace.json"])
def test_an_index_is_that_of_the_local_file(
    tmp_path: Path, traces: Path, origin: str, behaviour: Behaviour, name: str
) -> None:
    local, remote = tmp_path / "local", tmp_path / "remote"
    assert main(["index", str(traces / name), "-o", str(local)]) == 0
    behaviour.cut_after = [100, 100_000, 5]
    assert main(["index", f"{origin}/{name}?signature={SECRET}", "-o", str(remote)]) == 0
    assert facts(local) == facts(remote)
    assert records(local) == records(remote)
    for file in remote.rglob("*"):
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["local", "remote"], "no scratch file is left"


def test_an_index_that_is_up_to_date_stays(
    tmp_path: Path, origin: str, behaviour: Behaviour, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["index", f"{origin}/host0.xplane.pb", "-o", str(tmp_path / "store")]
    assert main(command) == 0
    assert main(command) == 0
    assert "up to date already" in capsys.readouterr().out
    behaviour.etags["/host0.xplane.pb"] = '"2"'
    assert main(command) == 0
    assert "up to date already" not in capsys.readouterr().out


def test_scratch_is_bounded(
    tmp_path: Path, traces: Path, origin: str, behaviour: Behaviour, capsys: pytest.CaptureFixture[str]
) -> None:
    big = synth(tmp_path / "host1.xplane.pb", "xspace", 400_000)
    behaviour.objects["/host1.xplane.pb"] = big.read_bytes()
    address = f"{origin}/host1.xplane.pb"
    assert main(["index", str(big), "-o", str(tmp_path / "local")]) == 0
    assert main(["index", address, "-o", str(tmp_path / "remote"), "--scratch", "10MiB"]) == 0
    assert records(tmp_path / "local") == records(tmp_path / "remote")
    capsys.readouterr()
    assert main(["index", address, "-o", str(tmp_path / "none"), "--scratch", "1MB"]) == 1
    assert capsys.readouterr().err.strip().endswith("(allow more with --scratch)")


@pytest.mark.parametrize(
    ("status", "line"),
    [
        (404, "{}: the web server has no such object"),
        (403, "{}: the web server refuses it with status 403 (give a token for it: TILESCOPE_TOKENS={origin}=TOKEN)"),
        (400, "{}: the web server answers with status 400"),
    ],
)
def test_errors_are_one_line_with_the_address(
    tmp_path: Path, origin: str, behaviour: Behaviour, capsys: pytest.CaptureFixture[str], status: int, line: str
) -> None:
    behaviour.refused = [(status, {})]
    address = f"{origin}/host0.xplane.pb"
    assert main(["index", address, "-o", str(tmp_path / "store")]) == 1
    assert capsys.readouterr().err == f"tilescope: {line.format(address, origin=origin)}\n"


def test_damage_is_told_with_the_address(
    tmp_path: Path, origin: str, behaviour: Behaviour, capsys: pytest.CaptureFixture[str]
) -> None:
    content = behaviour.objects["/host0.xplane.pb"]
    behaviour.objects["/host0.xplane.pb"] = content[:1000] + b"\xff" * 1000 + content[2000:]
    assert main(["index", f"{origin}/host0.xplane.pb", "-o", str(tmp_path / "store")]) == 1
    error = capsys.readouterr().err
    assert f"{origin}/host0.xplane.pb: byte " in error
    assert "mirror" not in error


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.parametrize("name", ["host0.xplane.pb", "host0.trace.json.gz"])
@pytest.mark.parametrize(
    "command",
    [["ask", "{}", "stats", "--format", "json"], ["info", "{}", "--json"], ["export", "{}", "-o", "{folder}/out.json"]],
    ids=lambda command: command[0],
)
def test_commands_take_a_trace_at_an_address(
    tmp_path: Path,
    traces: Path,
    origin: str,
    cache: Path,
    capsys: pytest.CaptureFixture[str],
    command: list[str],
    name: str,
) -> None:
    results = []
    for number, place in enumerate((str(traces / name), f"{origin}/{name}")):
        folder = tmp_path / f"out{number}"
        folder.mkdir()
        capsys.readouterr()
        assert main([part.format(place, folder=folder) for part in command]) == 0
        printed = capsys.readouterr().out
        exported = [file.read_bytes() for file in folder.iterdir()]
        results.append((_comparable(printed) if command[0] != "export" else "", exported))
    assert results[0] == results[1]


def _comparable(printed: str) -> dict[str, object]:
    answer: dict[str, object] = json.loads(printed)
    return {name: value for name, value in answer.items() if name not in {"build", "created_ns", "store_bytes"}}


def test_a_trace_at_an_address_is_indexed_once(
    origin: str, behaviour: Behaviour, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    address = f"{origin}/host0.xplane.pb?signature={SECRET}"
    assert main(["verify", address]) == 0
    printed = capsys.readouterr()
    assert "everything agrees" in printed.out
    assert "host0.xplane.pb: indexed in " in printed.err
    assert main(["ask", address, "stats"]) == 0
    assert "indexed in" not in capsys.readouterr().err
    behaviour.etags["/host0.xplane.pb"] = '"2"'
    assert main(["ask", address, "stats"]) == 0
    printed = capsys.readouterr()
    assert "host0.xplane.pb: indexed in " in printed.err
    assert SECRET not in printed.err + printed.out
    for file in cache.rglob("*"):
        assert SECRET not in file.name
        assert not file.is_file() or SECRET.encode() not in file.read_bytes()


def test_what_is_no_trace_at_an_address(
    origin: str, behaviour: Behaviour, cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    behaviour.objects["/notes.txt"] = b"these are notes"
    for command in (["ask", f"{origin}/notes.txt", "stats"], ["info", f"{origin}/notes.txt"]):
        assert main(command) == 1
        error = capsys.readouterr().err
        assert error.startswith(f"tilescope: {origin}/notes.txt: ")
        assert error.count("\n") == 1
        assert "mirror" not in error
