"""Parts that threads read at the same time, under ThreadSanitizer.

By a native program without Python, which the sanitizer cannot see into.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.tiler.json_traces import busy_events
from tests.tiler.readers.trace_event.test_parts import LAYOUTS, eventful

NATIVE = Path(__file__).resolve().parents[4] / "tiler" / "native"
PROGRAM = Path(__file__).with_name("threads") / "parts.cpp"
ROOMS = ("base", "columns", "trace_event")
FLAGS = ("-std=c++17", "-O1", "-g", "-fsanitize=thread", f"-I{NATIVE}")

pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled with ThreadSanitizer."""
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    folder = tmp_path_factory.mktemp("threads")

    def compiled(source: Path) -> Path:
        made = folder / f"{source.parent.name}-{source.stem}.o"
        command = [compiler, *FLAGS, "-c", str(source), "-o", str(made)]
        subprocess.run(command, check=True, capture_output=True, text=True)
        return made

    sources = [PROGRAM, *(path for room in ROOMS for path in sorted((NATIVE / room).glob("*.cpp")))]
    with ThreadPoolExecutor() as pool:
        objects = [str(made) for made in pool.map(compiled, sources)]
    linked = folder / "parts"
    link = subprocess.run([compiler, "-fsanitize=thread", *objects, "-o", str(linked)], capture_output=True, text=True)
    if "tsan" in link.stderr:
        pytest.skip("the compiler has no ThreadSanitizer")
    assert link.returncode == 0, link.stderr
    return linked


def assert_clean(program: Path, trace: Path, block_bytes: int) -> int:
    """Reads it with four threads. Returns how many parts were taken."""
    command = [str(program), str(trace), str(block_bytes), "4"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    assert run.returncode == 0, run.stdout
    return int(run.stdout.split(", ")[1].split()[0])


def test_a_large_file(program: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    trace.write_text(json.dumps({"traceEvents": busy_events(5)}))
    assert assert_clean(program, trace, 20_000) > 10


@pytest.mark.parametrize("layout", LAYOUTS)
def test_events_of_all_kinds(program: Path, tmp_path: Path, layout: str) -> None:
    before, between, after = LAYOUTS[layout]
    trace = tmp_path / "trace.json"
    trace.write_text(before + between.join(eventful(7, 400)) + after)
    taken = sum(assert_clean(program, trace, size) for size in (100, 777, 5000))
    assert taken > 20
