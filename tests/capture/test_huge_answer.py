"""A trace of a quarter gigabyte goes to the disk, and takes no memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SIZE_MB = 250
MEMORY_MB = 24  # beside what the modules take; a trace in memory would take ten times as much

CLIENT = """
import asyncio, resource, sys
from pathlib import Path

import pytest
from tilescope.capture import CaptureOptions, capture, parse_addresses
peak_kb = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before_kb = peak_kb()
options = CaptureOptions(duration_ms=1, run_name="run")
result = asyncio.run(capture(parse_addresses(sys.argv[1]), options, Path(sys.argv[2])))
print(result.hosts[0].failure, result.hosts[0].size_bytes, peak_kb() - before_kb)
"""


def test_memory_is_bounded(tmp_path: Path) -> None:
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.capture.fake_profiler", str(SIZE_MB)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    with server:
        address = f"127.0.0.1:{int(server.stdout.readline())}"
        client = subprocess.run(
            [sys.executable, "-c", CLIENT, address, tmp_path], capture_output=True, text=True, timeout=300, check=True
        )
        server.stdin.close()
    failure, size_bytes, peak_kb = client.stdout.split()
    assert (failure, int(size_bytes)) == ("None", SIZE_MB * 1_000_000)
    assert int(peak_kb) < MEMORY_MB * 1000
    (trace,) = tmp_path.rglob("*.xplane.pb")
    assert trace.stat().st_size == SIZE_MB * 1_000_000
    with trace.open("rb") as file:
        assert file.read(256) == bytes(range(256))
    trace.unlink()
