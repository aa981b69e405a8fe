"""The native recorder is shared by threads: ThreadSanitizer watches a program of its own, without Python."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
NATIVE = HERE.parents[2] / "tiler" / "native"


def test_threads_share_the_recorder(tmp_path: Path) -> None:
    compiler = shutil.which(os.environ.get("CXX", "c++"))
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    library = [compiler, "-print-file-name=libtsan.so"]
    if not Path(subprocess.run(library, check=True, capture_output=True, text=True).stdout.strip()).is_absolute():
        pytest.skip(f"{compiler} has no ThreadSanitizer")
    program = tmp_path / "threads"
    sources = [HERE / "unlocked_spans_threads.cpp", NATIVE / "base" / "unlocked_spans.cpp"]
    options = ["-std=c++17", "-O1", "-g", "-fsanitize=thread", "-pthread", f"-I{NATIVE}"]
    subprocess.run([compiler, *options, *sources, "-o", program], check=True)
    ran = subprocess.run([program], check=False, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == [str(4 * 20_000), "0", "0"]
