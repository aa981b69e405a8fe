"""Training loops with a profiler server, in processes of their own; tests stay free of the frameworks."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.capture.test_grpc_call import Kept
from tilescope.capture import CaptureCause, CaptureFailed, CaptureOptions, Profiler, ProfilerAddress
from tilescope.capture.requests import profile_request

LIMIT_S = 120  # of whatever is waited for, on a machine that has other things to do
MANY = 100  # attempts
JAX = Path(__file__).with_name("jax_loop.py")
TENSORFLOW = Path(__file__).with_name("tensorflow_loop.py")


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


@contextmanager
def running(script: Path, folder: Path, python: str = sys.executable) -> Iterator[Loop]:
    """The loop of a script, whose first step is done; it ends with the block."""
    with socket.socket() as free:
        free.bind(("", 0))
        port = free.getsockname()[1]
    path = folder / str(port)
    process = subprocess.Popen([python, script, str(port), path], stdin=subprocess.PIPE, text=True)
    try:
        loop = Loop(process, ProfilerAddress("127.0.0.1", port), path)
        loop.go_on(1)
        yield loop
    finally:
        process.kill()
        process.communicate()


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
