"""Continuous captures: windows that come, are kept and go; servers that forget, refuse, or were left recording."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.capture.fake_profiler import FakeProfiler, Method, answering, in_turn, refusing
from tests.capture.test_capturing import FakeTime, left
from tilescope.capture import (
    CaptureCause,
    CaptureOptions,
    CaptureResult,
    HostProgress,
    ProfilerAddress,
    WindowOptions,
    capture_continuously,
)
from tilescope.tiler.errors import UsageError

GONE = refusing(grpc.StatusCode.NOT_FOUND, "No continuous profiling session found.")
BUSY = refusing(grpc.StatusCode.ALREADY_EXISTS, "A profiling session is already running.")


def server(snapshot: Method, start: Method | None = None) -> FakeProfiler:
    return FakeProfiler(
        {
            "StartContinuousProfiling": start or answering(),
            "GetSnapshot": snapshot,
            "StopContinuousProfiling": answering(),
        }
    )


async def record(
    addresses: list[ProfilerAddress], logdir: Path, count: int, windows: WindowOptions, **options: Any
) -> tuple[list[CaptureResult], list[HostProgress]]:
    """So many windows, and what was told."""
    results, told, stop = list[CaptureResult](), list[HostProgress](), asyncio.Event()

    def there(result: CaptureResult) -> None:
        results.append(result)
        if len(results) == count - 1:
            stop.set()

    made = CaptureOptions(**options)
    time = FakeTime()
    await capture_continuously(addresses, made, windows, logdir, told.append, there, stop, clock=time)
    assert set(time.slept) == {windows.interval_s}
    return results, told


def numbered() -> Method:
    numbers = iter(range(100))
    return lambda request, context: answering(b"%04d" % next(numbers))(request, context)


@pytest.mark.parametrize("windows", [WindowOptions(5, keep=2), WindowOptions(5, keep_bytes=11)])
async def test_the_newest_windows_are_kept(tmp_path: Path, windows: WindowOptions) -> None:
    other = tmp_path / "plugins" / "profile" / "2020_01_01_00_00_00"
    other.mkdir(parents=True)
    fake = server(numbered())
    with fake.serving() as address:
        results, _ = await record([address], tmp_path, 5, windows, python_tracer_level=1)
    assert [host.size_bytes for result in results for host in result.hosts] == [4] * 5
    assert sorted(left(tmp_path).values()) == [b"0003", b"0004"]
    assert other.exists()
    assert results[-1].was_stopped
    assert [name for name, _ in fake.asked] == [
        "StartContinuousProfiling",
        *["GetSnapshot"] * 5,
        "StopContinuousProfiling",
    ]
    assert fake.asked[0][1].opts.python_tracer_level == 1


async def test_a_host_that_forgets_starts_again(tmp_path: Path) -> None:
    snapshot = in_turn(answering(b"1"), GONE, answering(empty_trace=True), answering(b"2"))
    steady = server(numbered())
    fake = server(snapshot)
    with fake.serving() as address, steady.serving() as other:
        results, told = await record([address, other], tmp_path, 6, WindowOptions())
    causes = [None if host.failure is None else host.failure.cause.value for host in (r.hosts[0] for r in results)]
    # Gone; said again when it is started anew; empty; and then it goes on.
    assert causes == [None, "refused_by_server", "refused_by_server", "empty", None, None]
    assert [result.hosts[1].size_bytes for result in results] == [4] * 6
    assert [name for name, _ in fake.asked if name != "GetSnapshot"] == [
        "StartContinuousProfiling",
        "StopContinuousProfiling",  # whatever is left of it
        "StartContinuousProfiling",
        "StopContinuousProfiling",
    ]
    assert {progress.phase.value for progress in told} == {
        "connecting",
        "capturing",
        "collecting",
        "receiving",
        "failed",
        "done",
    }


async def test_servers_without_it_and_servers_that_record_already(tmp_path: Path) -> None:
    busy = server(numbered(), in_turn(BUSY, answering()))
    with FakeProfiler({}).serving() as old, busy.serving() as address:
        results, _ = await record([old, address], tmp_path, 3, WindowOptions())
    failures = [[host.failure and host.failure.cause for host in result.hosts] for result in results]
    unimplemented = CaptureCause.UNIMPLEMENTED
    assert failures == [[unimplemented, CaptureCause.BUSY], [unimplemented, None], [unimplemented, None]]
    assert results[0].folder is None
    taken = server(numbered())
    with taken.serving() as address:
        await record([address], tmp_path, 2, WindowOptions(take_over=True))
    assert taken.asked[0][0] == "StopContinuousProfiling"


async def test_cancelling_ends_the_recording(tmp_path: Path) -> None:
    fake = server(numbered())
    with fake.serving() as address:
        recording = asyncio.Event()

        def tell(progress: HostProgress) -> None:
            if progress.phase.value == "capturing":
                recording.set()

        options, windows = CaptureOptions(), WindowOptions(600)
        capturing = asyncio.create_task(
            capture_continuously([address], options, windows, tmp_path, tell, print, asyncio.Event())
        )
        await asyncio.wait_for(recording.wait(), 60)
        capturing.cancel()
        await asyncio.wait({capturing})
        assert capturing.cancelled()
    assert fake.asked[-1][0] == "StopContinuousProfiling"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("fields", [{"interval_s": 0.5}, {"interval_s": float("nan")}, {"keep": 0}, {"keep_bytes": 0}])
def test_windows_that_make_no_sense(fields: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        WindowOptions(**fields)
