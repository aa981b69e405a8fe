"""What somebody has who installs a wheel: the commands, the native module and the viewer; no Node, no compiler."""

from __future__ import annotations

import json
import os
import re
import subprocess
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tests.distribution.conftest import Installed, install

TIMEOUT_SECONDS = 60
DEMO_EVENTS = 5_673

# Asks a server. Warnings are errors to it: generated code is older than the libraries that it runs with.
CLIENT = """
import sys, tilescope
with tilescope.connect(sys.argv[1]) as client:
    run = client.run()
    print(run.stats().table["count"].sum(), len(run.tracks()))
"""


def environment(home: Path) -> dict[str, str]:
    """An environment without the repository, without Node and without a compiler."""
    return {"PATH": "/nonexistent", "HOME": str(home), "LANG": os.environ.get("LANG", "C.UTF-8")}


@contextmanager
def serving(installed: Installed, store: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """The URLs of `tilescope serve` over a store: of HTTP, and of gRPC."""
    server = subprocess.Popen(
        [installed.bin / "tilescope", "serve", store, "--port", "0", "--grpc-port", "0"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        said = server.stdout.readline() + server.stdout.readline()
        found = re.fullmatch(r"Serving .* at (http://\S+)/ .*\ngRPC at (\S+)\n", said)
        assert found, f"no URLs in {said!r}"
        yield found[1], f"grpc://{found[2]}"
    finally:
        server.terminate()
        _, errors = server.communicate(timeout=TIMEOUT_SECONDS)
    assert server.returncode == 0
    assert "Traceback" not in errors, errors


def fetch(url: str) -> tuple[str, bytes]:
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer:
        assert answer.status == 200
        return answer.headers.get_content_type(), answer.read()


def run(folder: Path, *command: str | Path, **more: str) -> str:
    """What a command prints that has to succeed."""
    env = environment(folder) | more
    done = subprocess.run(
        command, cwd=folder, env=env, check=False, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_wheels_hold_the_viewer_and_no_sources(wheels: dict[str, Path]) -> None:
    for tag, wheel in wheels.items():
        names = zipfile.ZipFile(wheel).namelist()
        assert "tilescope/server/static/index.html" in names
        assert any(re.fullmatch(r"tilescope/server/static/assets/.*\.js", name) for name in names)
        module = r"_native\.abi3\.so" if tag == "cp312" else r"_native\.cpython-311-.*\.so"
        (library,) = (name for name in names if name.endswith(".so"))
        assert re.fullmatch(f"tilescope/tiler/{module}", library)
        assert not [name for name in names if name.endswith((".cpp", ".hpp", ".ts", ".tsx", "README.md"))]
        assert [name for name in names if not re.match(r"tilescope(-[\w.]+\.dist-info)?/", name)] == []


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="wheels are repaired on Linux alone")
def test_the_wheels_install_on_more_than_the_machine_of_their_build(wheels: dict[str, Path]) -> None:
    for tag, wheel in wheels.items():
        expected = "abi3" if tag == "cp312" else tag
        assert re.fullmatch(rf"tilescope-[\d.]+-{tag}-{expected}-(\w+\.)*manylinux_2_\d+_\w+\.whl", wheel.name), (
            wheel.name
        )


def test_index_info_and_a_page(installed: Installed, tmp_path: Path) -> None:
    tilescope = installed.bin / "tilescope"
    run(tmp_path, tilescope, "index", DEMO_TRACE, "-o", "demo.store")
    assert json.loads(run(tmp_path, tilescope, "info", "demo.store", "--json"))["events"]["total"] == DEMO_EVENTS
    assert "exact" in run(tmp_path, tilescope, "verify", "demo.store")

    with serving(installed, tmp_path / "demo.store", tmp_path) as (url, grpc_url):
        kind, page = fetch(f"{url}/")
        assert kind == "text/html"
        scripts = re.findall(r'src="(?:\./)?([^"]+\.js)"', page.decode())
        assert scripts, "the page loads no script"
        for script in scripts:
            assert fetch(f"{url}/{script}")[0] in ("text/javascript", "application/javascript")
        runs = json.loads(fetch(f"{url}/api/v1/runs")[1])["runs"]
        assert [run["state"] for run in runs] == ["ready"]
        answers = {run(tmp_path, installed.bin / "python", "-W", "error", "-c", CLIENT, at) for at in (url, grpc_url)}
        assert len(answers) == 1


@pytest.mark.parametrize("version", ["5.29.6", "6.31.1", "7.35.1"])
def test_generated_code_runs_with_every_protobuf_without_a_warning(
    installed: Installed, tmp_path: Path, version: str
) -> None:
    install(installed, "--no-deps", "--target", tmp_path / "lib", f"protobuf=={version}")
    program = (
        "import google.protobuf; from tilescope.v1 import tiles_pb2_grpc, tiles_pb2;"
        "print(google.protobuf.__version__, tiles_pb2.Run.FromString(tiles_pb2.Run(id='a').SerializeToString()).id)"
    )
    python = installed.bin / "python"
    assert run(tmp_path, python, "-W", "error", "-c", program, PYTHONPATH=str(tmp_path / "lib")) == f"{version} a\n"
