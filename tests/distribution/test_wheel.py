"""What somebody has who installs the wheel: the commands, the native module and the viewer; no Node, no compiler."""

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

from tests.demo import DEMO_TRACE

TIMEOUT_SECONDS = 60


def environment(home: Path) -> dict[str, str]:
    """An environment without the repository, without Node and without a compiler."""
    return {"PATH": "/nonexistent", "HOME": str(home), "LANG": os.environ.get("LANG", "C.UTF-8")}


@contextmanager
def serving(installed: Path, store: Path, folder: Path) -> Iterator[str]:
    """The URL of `tilescope serve` over a store."""
    server = subprocess.Popen(
        [installed / "tilescope", "serve", store, "--port", "0"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        line = server.stdout.readline()
        found = re.search(r"http://\S+", line)
        assert found, f"no URL in {line!r}"
        yield found[0].rstrip("/")
    finally:
        server.terminate()
        server.communicate(timeout=TIMEOUT_SECONDS)
    assert server.returncode == 0


def fetch(url: str) -> tuple[str, bytes]:
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as answer:
        assert answer.status == 200
        return answer.headers.get_content_type(), answer.read()


def test_the_wheel_holds_the_viewer_and_no_sources(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "tilescope/server/static/index.html" in names
    assert any(re.fullmatch(r"tilescope/server/static/assets/.*\.js", name) for name in names)
    assert any(re.fullmatch(r"tilescope/tiler/_native\..*\.so", name) for name in names)
    assert not [name for name in names if name.endswith((".cpp", ".hpp", ".ts", ".tsx", "README.md"))]
    assert [name for name in names if not re.match(r"tilescope(-[\w.]+\.dist-info)?/", name)] == []


def test_index_info_and_a_page(installed: Path, tmp_path: Path) -> None:
    def tilescope(*arguments: str | Path) -> str:
        command = [installed / "tilescope", *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment(tmp_path), check=True, capture_output=True, text=True,
            timeout=TIMEOUT_SECONDS,
        ).stdout  # fmt: skip

    tilescope("index", DEMO_TRACE, "-o", "demo.store")
    assert json.loads(tilescope("info", "demo.store", "--json"))["events"]["total"] == 5_673

    with serving(installed, tmp_path / "demo.store", tmp_path) as url:
        kind, page = fetch(f"{url}/")
        assert kind == "text/html"
        scripts = re.findall(r'src="(?:\./)?([^"]+\.js)"', page.decode())
        assert scripts, "the page loads no script"
        for script in scripts:
            assert fetch(f"{url}/{script}")[0] in ("text/javascript", "application/javascript")
        runs = json.loads(fetch(f"{url}/api/v1/runs")[1])["runs"]
        assert [run["state"] for run in runs] == ["ready"]
