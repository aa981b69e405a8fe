"""Captures of the real thing: training loops of JAX on the processor, in processes of their own."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import tilescope
from tests.capture.test_grpc_call import Kept
from tilescope.capture import (
    CaptureCause,
    CaptureOptions,
    CapturePhase,
    Failure,
    HostProgress,
    Profiler,
    ProfilerAddress,
    capture,
)
from tilescope.capture.failures import CaptureFailed
from tilescope.capture.requests import profile_request

LIMIT_S = 120  # of whatever is waited for, on a machine that has other things to do
MANY = 100  # attempts
LOOP = Path(__file__).with_name("jax_loop.py")


@dataclass(frozen=True)
class Loop:
    process: subprocess.Popen[str]
    address: ProfilerAddress
    steps: Path

    def step(self) -> int:
        return int(self.steps.read_text() or 0) if self.steps.exists() else 0

    def go_on(self, steps: int = 20) -> None:
        """Returns when so many steps are done."""
        until = self.step() + steps
        wait_for(lambda: self.process.poll() is not None or self.step() >= until)
        assert self.process.poll() is None, "the loop ended"


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(scope="module")
def loops(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Loop, Loop]]:
    folder = tmp_path_factory.mktemp("loops")
    started = []
    for k in range(2):
        with socket.socket() as free:
            free.bind(("", 0))
            port = free.getsockname()[1]
        path = folder / str(k)
        process = subprocess.Popen([sys.executable, LOOP, str(port), path], stdin=subprocess.PIPE, text=True)
        started.append(Loop(process, ProfilerAddress("127.0.0.1", port), path))
    try:
        for loop in started:
            loop.go_on(1)
        yield started[0], started[1]
    finally:
        for loop in started:
            loop.process.kill()
            loop.process.communicate()


async def started(loop: Loop) -> None:
    """Returns when a run is active in the process of the loop, and some steps of it are done.

    It asks for runs of its own until one is refused; they may be in the way of the one that is waited for, which
    therefore needs many attempts.
    """
    options = CaptureOptions(duration_ms=1)
    request = profile_request(options, session_id="probe", host_name="probe", repository_root="/nowhere")
    async with asyncio.timeout(LIMIT_S):
        while True:
            try:
                await Profiler(loop.address).profile(request, Kept(), answer_within_s=LIMIT_S)
            except CaptureFailed as error:
                if error.failure.cause is CaptureCause.BUSY:
                    break
            await asyncio.sleep(0.1)
    await asyncio.to_thread(loop.go_on)


async def test_two_processes_become_one_run_of_two_hosts(loops: tuple[Loop, Loop], tmp_path: Path) -> None:
    options = CaptureOptions(duration_ms=1000)
    result = await capture([loop.address for loop in loops], options, tmp_path)
    assert [host.failure for host in result.hosts] == [None, None]
    assert result.folder is not None
    store = await asyncio.to_thread(tilescope.index, result.folder, tmp_path / "store")
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
