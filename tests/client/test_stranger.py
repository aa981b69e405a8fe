"""What a stranger writes from the documentation alone works against a store and against a real server."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tilescope
from bench.server_process import serving
from tests.client.write_notebook import NOTEBOOK
from tests.demo import DEMO_TRACE

STRANGER = Path(__file__).parent / "stranger.py"


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    folder = tmp_path_factory.mktemp("stranger")
    served = tilescope.index(DEMO_TRACE, folder / "served.store")
    local = tilescope.index(DEMO_TRACE, folder / "local.store")
    with serving(served) as server:
        yield {"store": str(local), "http": server.url, "grpc": f"grpc://{server.grpc_address}"}


@pytest.mark.deep
@pytest.mark.parametrize("way", ["store", "http", "grpc"])
def test_a_program(addresses: dict[str, str], way: str) -> None:
    pytest.importorskip("polars", reason="polars is not installed: make deep-tools")
    pytest.importorskip("duckdb", reason="duckdb is not installed: make deep-tools")
    done = subprocess.run([sys.executable, STRANGER, addresses[way]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "refused: end: 0.1 is a float, which cannot represent every tick: give an integer" in done.stdout
    assert "refused: not_found there is no event 1000000000000 on track " in done.stdout
    assert "unreachable: http://127.0.0.1:1/" in done.stdout


def test_the_notebook_against_a_server(addresses: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells of docs/client.ipynb, with a server's address where they have a store."""
    monkeypatch.chdir(NOTEBOOK.parent)
    names: dict[str, Any] = {}
    connect = f"tilescope.connect({addresses['http']!r})"
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        source = "".join(cell["source"]).replace("tilescope.connect(store)", connect)
        if cell["cell_type"] == "code":
            exec(source, names)
    assert repr(names["run"]._client).endswith(f"of {addresses['http'].rstrip('/')}>")
    assert names["found"].count > 0
