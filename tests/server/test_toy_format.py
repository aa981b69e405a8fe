"""A format of another package, in one folder: indexed, proven, served, and its arguments told by every client."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import tilescope
from bench.server_process import ServerProcess, serving
from tests.toy_formats import TRACE, environment, install_format

pytestmark = pytest.mark.slow

TYPESCRIPT = Path(__file__).parents[2] / "viewer" / "client" / "dist" / "tilescope-client.js"
# As every client is told them.
ARGS = {
    "compute": [["batch", 7], ["lr", "0.5"]],
    "inner": [["note", "été"]],
    "transfer": [],
}

# Every event of a run with its arguments, through the Python client.
ASK = """
import json, sys, tilescope
with tilescope.connect(sys.argv[1]) as client:
    run = client.run(wait=True) if "://" in sys.argv[1] else client.run()
    events = [run.event(track, k) for track in run.tracks(kind="slice") for k in range(track.events)]
    print(json.dumps([[event.name, [[arg.name, arg.value] for arg in event.args]] for event in events]))
"""


@dataclass(frozen=True)
class Site:
    packages: Path
    logdir: Path
    store: Path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *command],
            env=environment(self.packages),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("toys")
    (folder / "packages").mkdir()
    run = folder / "logs" / "plugins" / "profile" / "2026_01_31_10_00_00"
    run.mkdir(parents=True)
    (run / "host0.toy").write_text(TRACE)
    (run / "host1.toy.gz").write_bytes(gzip.compress(TRACE.encode()))
    return Site(install_format(folder / "packages"), folder / "logs", folder / "toy.store")


@pytest.fixture(scope="module")
def server(site: Site) -> Iterator[ServerProcess]:
    """Of the log directory, which it indexes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(site.store.parent / "cache"))
        with serving(site.logdir, packages=site.packages) as server:
            yield server


def asked(site: Site, address: str) -> list[Any]:
    ran = site.run("-c", ASK, address)
    assert ran.returncode == 0, ran.stderr
    events: list[Any] = json.loads(ran.stdout)
    return events


def every_event() -> list[Any]:
    """Of two hosts."""
    return sorted([name, args] for name, args in ARGS.items() for _ in range(2))


def test_it_is_indexed_and_proven(site: Site) -> None:
    ran = site.run("-m", "tilescope", "index", str(site.logdir), "-o", str(site.store))
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "6 events" in ran.stdout
    proven = site.run("-m", "tilescope", "verify", str(site.store))
    assert (proven.returncode, proven.stderr) == (0, "")
    assert sorted(asked(site, str(site.store))) == every_event()


def test_it_is_served_and_arguments_are_told_over_http_and_grpc(site: Site, server: ServerProcess) -> None:
    assert sorted(asked(site, server.url)) == every_event()
    assert sorted(asked(site, f"grpc://{server.grpc_address}")) == every_event()
    # A client needs nothing of the package.
    with tilescope.connect(server.url) as client:
        run = client.run(wait=True)
        assert (run.manifest["format"], run.manifest["hosts"]) == ("toy", ["toybox"])
        assert run.manifest["files"] == ["host0.toy", "host1.toy.gz"]


def test_the_typescript_client_is_told_arguments(site: Site, server: ServerProcess) -> None:
    if shutil.which("node") is None or not TYPESCRIPT.exists():
        pytest.skip("there is no node, or the client is not built: make viewer")
    asked(site, server.url)  # it is indexed
    _, _, _, run, _, build = server.build_path().split("/")
    script = f"""
        import {{ Api }} from {json.dumps(TYPESCRIPT.as_uri())};
        const [url, run, build] = process.argv.slice(1);
        const event = await new Api(url).build(run, build).event(0, 0);
        console.log(JSON.stringify([event.name, event.args.map((arg) => [arg.name, arg.value])], (_, value) =>
            typeof value === "bigint" ? Number(value) : value));
    """
    command = ["node", "--input-type=module", "-e", script, "--", server.url.rstrip("/"), run, build]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)
    assert told in ([name, args] for name, args in ARGS.items())


def test_without_the_package_the_events_stay_and_arguments_say_what_is_missing(site: Site) -> None:
    bare = Site(site.packages.parent, site.logdir, site.store)
    if not site.store.exists():
        test_it_is_indexed_and_proven(site)
    missing = [["[unreadable]", "arguments are written as 'toy': install the package that reads them"]]
    found = dict(asked(bare, str(site.store)))
    assert (found["compute"], found["inner"]) == (missing, missing)
    assert bare.run("-m", "tilescope", "verify", str(site.store)).returncode == 0
    refused = bare.run("-m", "tilescope", "index", str(next(site.logdir.rglob("host0.toy"))), "-o", f"{site.store}2")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "is text, but neither a JSON object nor an array" in refused.stderr
