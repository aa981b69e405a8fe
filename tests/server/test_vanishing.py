"""Clients that are gone in the midst of their calls, and a server that ends in the midst of questions: a plain log."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.server_process import ServerProcess, serving
from tests.demo import DEMO_TRACE
from tilescope.tiler.indexing import build_store

pytestmark = pytest.mark.slow

CLIENT = Path(__file__).with_name("vanishing_client.py")


def begin(server: ServerProcess, seed: int) -> subprocess.Popen[str]:
    _, _, _, run, _, build = server.build_path().split("/")
    command = [sys.executable, str(CLIENT), server.grpc_address, run, build, str(seed)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_clients_that_vanish_leave_no_traceback(tmp_path: Path) -> None:
    build_store([DEMO_TRACE], tmp_path / "demo.store")
    with (tmp_path / "log").open("w") as log, serving(tmp_path / "demo.store", log=log) as server:
        clients = [begin(server, seed) for seed in range(12)]
        for client in clients:
            assert client.communicate(timeout=60)[0] == "asked\n"
        last = [begin(server, seed) for seed in range(12, 16)]
        for client in last:
            assert client.stdout is not None
            assert client.stdout.readline() == "asked\n"
        # And ends while it answers them.
    for client in last:
        client.communicate(timeout=60)
    lines = (tmp_path / "log").read_text().splitlines()
    assert not [line for line in lines if "Traceback" in line or line.startswith("  File ") or "Error" in line]
