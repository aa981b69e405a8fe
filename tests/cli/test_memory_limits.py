"""`tilescope index` under limits of the system: one line that names the limit, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE

MB = 1_000_000


def index(store: Path, limit: str) -> subprocess.CompletedProcess[str]:
    """Indexes the demo under a limit as `prlimit` takes it.

    Set by that program, not between fork and exec: there the gRPC of this process runs, and ends it for want of memory.
    """
    command = [sys.executable, "-P", "-m", "tilescope", "index", str(DEMO_TRACE), "-o", str(store)]
    return subprocess.run(
        ["prlimit", limit, *command],
        capture_output=True,
        text=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # numpy's takes memory for each core, and ends the process
    )


def test_address_space(tmp_path: Path) -> None:
    store = tmp_path / "store"
    done = index(store, f"--as={4_000 * MB}")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.endswith(
        "cannot open the index: it needs 1 TiB of address space, though not of memory: this process may have "
        "4,000 MB of address space (ulimit -v) (raise the limit, or lift it)\n"
    )
    assert not store.exists()


@pytest.mark.parametrize("limit_mb", [60, 75, 90, 105])  # fails in Python, for want of threads, in native code
def test_data(tmp_path: Path, limit_mb: int) -> None:
    store = tmp_path / "store"
    done = index(store, f"--data={limit_mb * MB}")
    if done.returncode != 0:  # how much is enough depends on the machine
        assert done.returncode == 1
        assert done.stderr.startswith("tilescope: ")
        assert done.stderr.endswith(f"may have {limit_mb} MB of data (ulimit -d) (raise the limit, or lift it)\n")
        assert not store.exists()
    assert done.returncode == 1 or limit_mb > 60
