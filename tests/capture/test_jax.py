"""Captures of the real thing: training loops of JAX on the processor, in processes of their own."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import tilescope
from tests.capture.loops import JAX, LIMIT_S, MANY, Loop, running, started
from tilescope.capture import (
    CaptureCause,
    CaptureOptions,
    CapturePhase,
    CaptureResult,
    Failure,
    HostProgress,
    WindowOptions,
    capture,
    capture_continuously,
)
from tilescope.tiler.verify import verify_store

pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(find_spec("jax") is None, reason="jax is not installed: make deep-tools"),
]


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Loop, Loop]]:
    folder = tmp_path_factory.mktemp("loops")
    with running(JAX, folder) as one, running(JAX, folder) as other:
        yield one, other


async def test_two_processes_become_one_run_of_two_hosts(loops: tuple[Loop, Loop], tmp_path: Path) -> None:
    options = CaptureOptions(duration_ms=1000)
    result = await capture([loop.address for loop in loops], options, tmp_path)
    assert [host.failure for host in result.hosts] == [None, None]
    assert result.folder is not None
    store = await asyncio.to_thread(tilescope.index, result.folder, tmp_path / "store")
    assert (await asyncio.to_thread(verify_store, tmp_path / "store")).events > 100
    async with tilescope.connect_async(store) as client:
        run = await client.run()
        series = (await run.ask("steps")).table("series")
        overview = await run.ask("overview")
    assert len(set(series["host"].tolist())) == 2
    assert all("'train'" in source for source in series["source"].tolist())
    assert min(series["count"].tolist()) >= 2
    assert overview.tables


async def test_a_second_capture_waits_for_the_first(loops: tuple[Loop, Loop], tmp_path: Path) -> None:
    loop, stop = loops[0], asyncio.Event()
    long = CaptureOptions(duration_ms=600_000, run_name="first", attempts=MANY)
    first = asyncio.create_task(capture([loop.address], long, tmp_path, stop=stop))
    await started(loop)

    def tell(progress: HostProgress) -> None:
        if progress.phase is CapturePhase.WAITING:
            stop.set()

    second = await capture(
        [loop.address], CaptureOptions(duration_ms=500, attempts=MANY, run_name="second"), tmp_path, tell
    )
    (host,) = second.hosts
    assert host.failure is None
    assert host.tried[0].cause is CaptureCause.BUSY
    ended = await first
    assert ended.was_stopped
    assert [path.name for path in sorted((tmp_path / "plugins" / "profile").iterdir())] == ["first", "second"]


async def test_a_trace_of_nothing_is_empty(loops: tuple[Loop, Loop], tmp_path: Path) -> None:
    nothing = CaptureOptions(duration_ms=1, host_tracer_level=0, device_tracer_level=0, attempts=1)
    (host,) = (await capture([loops[0].address], nothing, tmp_path)).hosts
    assert host.failure is not None
    assert host.failure.cause is CaptureCause.EMPTY
    assert list(tmp_path.iterdir()) == []


async def test_windows_follow_each_other(loops: tuple[Loop, Loop], tmp_path: Path) -> None:
    results, stop = list[CaptureResult](), asyncio.Event()

    def there(result: CaptureResult) -> None:
        results.append(result)
        if len(results) == 2:
            stop.set()

    windows = WindowOptions(1, take_over=True)
    await capture_continuously([loops[0].address], CaptureOptions(), windows, tmp_path, print, there, stop)
    assert [host.failure for result in results[:2] for host in result.hosts] == [None, None]
    assert results[-1].was_stopped
    again = await capture([loops[0].address], CaptureOptions(duration_ms=500), tmp_path)  # it records no more
    assert again.hosts[0].failure is None


async def test_ctrl_c(loops: tuple[Loop, Loop], tmp_path: Path) -> None:
    loop = loops[0]
    command = [sys.executable, "-m", "tilescope", "capture", str(loop.address), "--duration-ms", "600000"]
    command += ["--num-tracing-attempts", str(MANY)]
    places = ["--logdir", f"{tmp_path}/logs", "--cache-dir", f"{tmp_path}/cache", "--run-name", "run"]
    process = subprocess.Popen([*command, *places], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        await started(loop)
        process.send_signal(signal.SIGINT)
        out, err = await asyncio.to_thread(process.communicate, timeout=LIMIT_S)
    finally:
        process.kill()
    assert process.returncode == 130, err
    lines = out.splitlines()
    assert lines[0] == f"{tmp_path}/logs/plugins/profile/run: 1 host, ended early"
    assert lines[2].startswith("indexed ")
    assert f"{loop.address}: told to stop, sends what it has" in err


async def test_a_process_that_is_killed(loops: tuple[Loop, Loop], tmp_path: Path) -> None:
    """The last one: the loop is gone afterwards."""
    loop = loops[1]
    long, stop = CaptureOptions(duration_ms=600_000, attempts=MANY), asyncio.Event()

    def tell(progress: HostProgress) -> None:
        if progress.failure is not None and progress.failure.cause is not CaptureCause.BUSY:
            stop.set()

    capturing = asyncio.create_task(capture([loop.address], long, tmp_path, tell, stop))
    await started(loop)
    loop.process.kill()
    (host,) = (await capturing).hosts
    assert host.tried[-1].cause is CaptureCause.LOST
    assert host.failure == Failure(CaptureCause.STOPPED)
    assert list(tmp_path.iterdir()) == []
