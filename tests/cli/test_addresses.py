"""Commands that take addresses: a trace elsewhere becomes the same index as the local file."""

from __future__ import annotations

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


def test_info_of_an_address(origin: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", f"{origin}/host0.xplane.pb"]) != 0
    assert f"tilescope index {origin}/host0.xplane.pb -o STORE" in capsys.readouterr().err


def test_ask_wants_a_store(origin: str, capsys: pytest.CaptureFixture[str]) -> None:
    address = f"{origin}/host0.xplane.pb"
    assert main(["ask", f"{address}?signature={SECRET}", "stats"]) == 2
    error = capsys.readouterr().err
    assert f"{address}: this is a file, not a store (index it first: tilescope index {address} -o STORE)" in error
    assert SECRET not in error
