"""A script may hold a client to its end: nothing native is left then, whatever else the process has loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tilescope.tiler.indexing import build_store

pytestmark = pytest.mark.slow

# PyTorch keeps this registry beyond the end of the interpreter, by a reference that it never gives back.
KEEP_OVERLOADS = """
import ctypes, typing
ctypes.pythonapi.Py_IncRef(ctypes.py_object(typing._overload_registry))
"""

SCRIPT = """
import sys, tilescope
client = tilescope.connect(sys.argv[1])
run = client.run()
tracks = run.tracks()
print(run.stats().table["count"].sum())
"""


@pytest.mark.parametrize("before", ["", KEEP_OVERLOADS], ids=["alone", "beside PyTorch"])
def test_a_script_that_holds_a_client_ends_silently(tmp_path: Path, before: str) -> None:
    store = tmp_path / "store"
    build_store([DEMO_TRACE], store)
    command = [sys.executable, "-c", before + SCRIPT, str(store)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("5673\n", "")
