"""Captures of servers that answer, refuse, are busy, or go away."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.capture.fake_profiler import FakeProfiler, Method, Recording, answering, in_turn, refusing
from tests.capture.peers import peer, saying, speaking_http2
from tilescope.capture import (
    CaptureCause,
    CaptureOptions,
    CapturePhase,
    CaptureResult,
    Failure,
    HostProgress,
    ProfilerAddress,
    capture,
    parse_addresses,
)
from tilescope.capture.options import MOST_ANSWER_BYTES
from tilescope.profiler import profiler_pb2 as pb
from tilescope.tiler.errors import UsageError

C = CaptureCause
NOW_NS = 1_800_000_000 * 10**9
BUSY = refusing(grpc.StatusCode.INTERNAL, "Another profiling session active.")
QUICK = CaptureOptions(duration_ms=1, run_name="run")


class FakeTime:
    """Sleeps at once, and knows how long it was to sleep."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def unix_ns(self) -> int:
        return NOW_NS

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    def chance(self) -> float:
        return 0.5 if len(self.slept) % 2 else 1.0


def run_of(logdir: Path) -> Path:
    return logdir / "plugins" / "profile" / "run"


def left(logdir: Path) -> dict[str, bytes]:
    return {str(path.relative_to(logdir)): path.read_bytes() for path in logdir.rglob("*") if path.is_file()}


async def test_several_hosts_start_together_and_some_fail(tmp_path: Path) -> None:
    one, other = FakeProfiler({"Profile": answering(b"one")}), FakeProfiler({"Profile": answering(b"other")})
    told: list[HostProgress] = []
    options = CaptureOptions(
        duration_ms=7,
        host_tracer_level=3,
        device_tracer_level=0,
        python_tracer_level=1,
        include_dataset_ops=False,
        attempts=1,
    )
    with one.serving() as first, other.serving() as second:
        gone = ProfilerAddress("127.0.0.1", 1)
        result = await capture((first, gone, second), options, tmp_path / "logs", told.append, clock=FakeTime())
    assert result.folder is not None
    assert [host.address for host in result.captured] == [first, second]
    assert [host.failure for host in result.failed] == [Failure(C.REFUSED)]
    assert left(result.folder) == {
        f"127.0.0.1_{first.port}.xplane.pb": b"one",
        f"127.0.0.1_{second.port}.xplane.pb": b"other",
    }
    assert [host.size_bytes for host in result.hosts] == [3, 0, 5]
    (request,) = one.requests("Profile")
    assert (request.emit_xspace, request.duration_ms, request.session_id) == (True, 7, result.run_name)
    assert request.opts == pb.ProfileOptions(
        version=1,
        duration_ms=7,
        start_timestamp_ns=NOW_NS + 500_000_000,
        host_tracer_level=3,
        python_tracer_level=1,
        enable_hlo_proto=True,
    )
    assert other.requests("Profile")[0].opts == request.opts
    phases = [progress.phase for progress in told if progress.address == first]
    assert phases == [CapturePhase.CONNECTING, CapturePhase.DELAYED, CapturePhase.RECEIVING, CapturePhase.DONE]


async def test_one_host_starts_at_once_and_is_told_of_in_order(tmp_path: Path) -> None:
    recording = Recording(b"x" * 100_000)
    told: list[HostProgress] = []

    def tell(progress: HostProgress) -> None:
        told.append(progress)
        if progress.phase is CapturePhase.COLLECTING:
            recording.ended.set()

    fake = FakeProfiler(recording.methods)
    with fake.serving() as address:
        result = await capture([address], QUICK, tmp_path, tell)
    assert fake.requests("Profile")[0].opts.start_timestamp_ns == 0
    assert [progress.phase.value for progress in told] == [
        "connecting",
        "capturing",
        "collecting",
        "receiving",
        "done",
    ]
    assert (told[-1].size_bytes, told[-1].attempt, told[-1].attempts) == (100_000, 1, 3)
    assert left(tmp_path) == {"plugins/profile/run/127.0.0.1.xplane.pb": b"x" * 100_000}
    assert result.folder == run_of(tmp_path)


async def test_waits_grow_and_causes_are_told(tmp_path: Path) -> None:
    methods = {
        "Profile": in_turn(BUSY, answering(empty_trace=True), BUSY, BUSY, BUSY, BUSY, BUSY, answering(b"at last"))
    }
    time, told = FakeTime(), list[HostProgress]()
    with FakeProfiler(methods).serving() as address:
        options = CaptureOptions(duration_ms=1, attempts=10)
        (host,) = (await capture([address], options, tmp_path, told.append, clock=time)).hosts
    assert time.slept == [1.25, 2.0, 5.0, 8.0, 20.0, 30.0, 37.5]
    busy, empty = Failure(C.BUSY, "Another profiling session active"), Failure(C.EMPTY)
    assert (host.attempts, host.failure, host.tried) == (8, None, (busy, empty, busy, busy, busy, busy, busy))
    waits = [progress for progress in told if progress.phase is CapturePhase.WAITING]
    assert [progress.wait_s for progress in waits] == time.slept
    assert [progress.failure for progress in waits] == list(host.tried)
    assert "let the job run some steps first" in empty.hints[0]
    assert len(empty.hints) == 3


@pytest.mark.parametrize(
    ("method", "attempts", "failure"),
    [
        (BUSY, 3, Failure(C.BUSY, "Another profiling session active")),
        (answering(empty_trace=True), 3, Failure(C.EMPTY)),
        (answering(b"x", empty_trace=True), 3, Failure(C.EMPTY)),
        (refusing(grpc.StatusCode.UNIMPLEMENTED, ""), 1, Failure(C.UNIMPLEMENTED, "UNIMPLEMENTED")),
        (refusing(grpc.StatusCode.UNAVAILABLE, "bye"), 3, Failure(C.LOST, "UNAVAILABLE: bye")),
        (answering(b"x" * 2_000_000), 1, Failure(C.TOO_LARGE, "2.0 MB; at most 1.0 MB are taken")),
    ],
)
async def test_nothing_is_left_of_a_capture_that_fails(
    tmp_path: Path, method: Method, attempts: int, failure: Failure
) -> None:
    options = CaptureOptions(duration_ms=1, most_answer_bytes=1_000_000)
    with FakeProfiler({"Profile": method}).serving() as address:
        result = await capture([address], options, tmp_path / "a" / "b", clock=FakeTime())
    (host,) = result.hosts
    assert (host.attempts, host.failure, result.folder) == (attempts, failure, None)
    assert list(tmp_path.iterdir()) == []


async def test_a_process_that_is_killed_while_it_sends(tmp_path: Path) -> None:
    def part_of_it(http: object) -> None:
        http.send_headers(1, ((":status", "200"), ("content-type", "application/grpc")))  # type: ignore[attr-defined]
        http.send_data(1, b"\0" + (1000).to_bytes(4, "big") + b"\x42\xe5\x07" + b"x" * 500)  # type: ignore[attr-defined]

    async with peer(speaking_http2(part_of_it, closes=True)) as address:
        result = await capture([address], QUICK, tmp_path, clock=FakeTime())
    assert result.hosts[0].failure == Failure(C.LOST, "after 503 of 1,000 bytes")
    assert list(tmp_path.iterdir()) == []
    async with peer(saying(b"HTTP/1.1 400 Bad Request\r\n\r\n")) as address:
        (host,) = (await capture([address], QUICK, tmp_path, clock=FakeTime())).hosts
    assert host.attempts == 1  # it will not become a profiler


async def stopped_in(tmp_path: Path, phase: CapturePhase, options: CaptureOptions, fake: FakeProfiler) -> CaptureResult:
    stop = asyncio.Event()

    def tell(progress: HostProgress) -> None:
        if progress.phase is phase:
            stop.set()

    with fake.serving() as address:
        return await capture([address], options, tmp_path, tell, stop)


async def test_stopping_keeps_what_the_server_has(tmp_path: Path) -> None:
    options = CaptureOptions(duration_ms=60_000, run_name="run")
    fake = FakeProfiler(Recording(b"so far").methods)
    result = await stopped_in(tmp_path, CapturePhase.CAPTURING, options, fake)
    assert result.was_stopped
    assert left(run_of(tmp_path)) == {"127.0.0.1.xplane.pb": b"so far"}
    ((_, asked), (_, terminated)) = fake.asked
    assert asked.session_id == terminated.session_id
    assert asked.session_id.startswith("run.")  # a server never forgets that a session was to end


async def test_stopping_before_there_is_anything(tmp_path: Path) -> None:
    options = CaptureOptions(duration_ms=60_000, delay_ms=60_000)
    for phase, methods in (
        (CapturePhase.DELAYED, Recording(b"x").methods),
        (CapturePhase.WAITING, {"Profile": BUSY}),
        (CapturePhase.CAPTURING, {"Profile": Recording(b"x").methods["Profile"]}),  # and no Terminate
    ):
        if phase is CapturePhase.CAPTURING:
            options = CaptureOptions(duration_ms=60_000)
        result = await stopped_in(tmp_path, phase, options, FakeProfiler(methods))
        (host,) = result.hosts
        assert host.failure is not None
        assert host.failure.cause is C.STOPPED
        assert list(tmp_path.iterdir()) == []
    why = "the server could not be told so: the server does not offer this: UNIMPLEMENTED: Method not found!"
    assert host.failure == Failure(C.STOPPED, why)


async def test_cancelling_ends_the_remote_run(tmp_path: Path) -> None:
    recording = Recording(b"x")
    with FakeProfiler(recording.methods).serving() as address:
        options = CaptureOptions(duration_ms=60_000)
        capturing = asyncio.create_task(capture([address], options, tmp_path))
        assert await asyncio.to_thread(recording.began.wait, 60)
        capturing.cancel()
        await asyncio.wait({capturing})
        assert capturing.cancelled()
        assert await asyncio.to_thread(recording.ended.wait, 60)
    assert list(tmp_path.iterdir()) == []


def old_server(data: bytes, **fields: Any) -> Method:
    """Writes to its disk, as servers did that know no `emit_xspace`."""

    def profile(request: pb.ProfileRequest, context: grpc.ServicerContext) -> pb.ProfileResponse:
        folder = Path(request.repository_root, request.session_id)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{request.host_name}.xplane.pb").write_bytes(data)
        return pb.ProfileResponse(**fields)

    return profile


@pytest.mark.parametrize("name", [None, "run"])
async def test_what_an_old_server_wrote_is_taken(tmp_path: Path, name: str | None) -> None:
    logs, root = tmp_path / "logs", tmp_path / "shared"
    options = CaptureOptions(duration_ms=1, run_name=name)
    tool_data = [{"name": "../overview page.json", "data": b"{}"}]
    with FakeProfiler({"Profile": old_server(b"trace", tool_data=tool_data)}).serving() as address:
        result = await capture([address], options, logs)
        shared = CaptureOptions(duration_ms=1, run_name="other", repository_root=str(root))
        await capture([address], shared, logs)
    files = {"127.0.0.1.xplane.pb": b"trace", "127.0.0.1..._overview_page.json": b"{}"}
    assert left(logs / "plugins" / "profile") == {
        f"{run}/{file}": data for run in (result.run_name, "other") for file, data in files.items()
    }
    assert len(list(root.rglob("*.xplane.pb"))) == 1  # that is the server's


async def test_names_of_tools_take_no_place_of_a_trace(tmp_path: Path) -> None:
    tool_data = [{"name": name, "data": name.encode()} for name in ("xplane.pb", "b.xplane.pb", "a b", "a/b", "a_b")]
    methods = {"Profile": in_turn(answering(b"trace", tool_data=tool_data), answering(tool_data=tool_data))}
    with FakeProfiler(methods).serving() as address:
        inline = await capture([address], CaptureOptions(duration_ms=1, run_name="inline"), tmp_path)
        await capture([address], CaptureOptions(duration_ms=1, run_name="tool"), tmp_path)
    others = {"b.xplane.pb.tool": b"b.xplane.pb", "a_b": b"a b", "a_b.2": b"a/b", "a_b.3": b"a_b"}
    files = {
        "inline": {"xplane.pb": b"trace", "xplane.pb.tool": b"xplane.pb", **others},
        "tool": {"xplane.pb": b"xplane.pb", **others},
    }
    assert left(run_of(tmp_path).parent) == {
        f"{run}/127.0.0.1.{name}": data for run, of in files.items() for name, data in of.items()
    }
    assert len(inline.hosts[0].tool_files) == 5


async def test_no_link_leads_a_capture_out_of_its_folders(tmp_path: Path) -> None:
    logs, outside = tmp_path / "logs", tmp_path / "outside"
    for folder in (logs / "plugins", outside):
        folder.mkdir(parents=True)
    (logs / "plugins" / "profile").symlink_to(outside)
    confined = CaptureOptions(duration_ms=1, run_name="run", confined_to=(logs,))
    with FakeProfiler({"Profile": answering(b"trace")}).serving() as address:
        (host,) = (await capture([address], confined, logs)).hosts
        assert host.failure is not None
        assert host.failure.cause is C.CANNOT_WRITE
        assert "a symbolic link leads out of what is served" in host.failure.detail
        assert list(outside.iterdir()) == []
        both = CaptureOptions(duration_ms=1, run_name="run", confined_to=(logs, outside))
        assert (await capture([address], both, logs)).folder is not None
        assert left(outside) == {"run/127.0.0.1.xplane.pb": b"trace"}


@pytest.mark.parametrize("what", ["link", "folder link", "pipe"])
async def test_what_an_old_server_wrote_is_a_file_and_no_link(tmp_path: Path, what: str) -> None:
    """Who may write into the log directory could have the server copy there what only the server may read."""
    logs, secret = tmp_path / "logs", tmp_path / "secrets" / "127.0.0.1.xplane.pb"
    secret.parent.mkdir()
    secret.write_bytes(b"a secret")

    def plant(request: pb.ProfileRequest, context: grpc.ServicerContext) -> pb.ProfileResponse:
        folder = Path(request.repository_root, request.session_id)
        folder.parent.mkdir(parents=True, exist_ok=True)
        if what == "folder link":
            folder.symlink_to(secret.parent)
        else:
            folder.mkdir()
            file = folder / f"{request.host_name}.xplane.pb"
            file.symlink_to(secret) if what == "link" else os.mkfifo(file)
        return pb.ProfileResponse()

    options = CaptureOptions(duration_ms=1, attempts=1, run_name="run", confined_to=(logs,))
    with FakeProfiler({"Profile": plant}).serving() as address:
        (host,) = (await capture([address], options, logs)).hosts
    assert host.failure is not None
    assert host.failure.cause in (C.CANNOT_WRITE, C.BAD_ANSWER)
    assert not any(path.is_file() and path.read_bytes() == b"a secret" for path in run_of(logs).glob("*"))
    assert secret.read_bytes() == b"a secret"


async def test_an_old_server_far_away(tmp_path: Path) -> None:
    tool_data = [{"name": "a.json", "data": b"{}"}]
    methods = {"Profile": in_turn(answering(), answering(tool_data=tool_data))}
    with FakeProfiler(methods).serving() as address:
        bare = await capture([address], QUICK, tmp_path)
        assert list(tmp_path.iterdir()) == []
        with_tools = await capture([address], QUICK, tmp_path)
    failure = bare.hosts[0].failure
    assert failure is not None
    assert failure.cause is C.NOT_INLINE
    assert failure.detail.startswith(f"it wrote {run_of(tmp_path)}.")
    assert "TensorFlow 2.21" in failure.hints[1]
    assert left(run_of(tmp_path)) == {"127.0.0.1.a.json": b"{}"}
    assert with_tools.hosts[0].tool_files == (run_of(tmp_path) / "127.0.0.1.a.json",)
    nowhere = CaptureOptions(duration_ms=1, repository_root="/proc/no")
    cannot = refusing(grpc.StatusCode.INTERNAL, "/proc/no; No such file or directory")
    with FakeProfiler({"Profile": cannot}).serving() as address:
        (host,) = (await capture([address], nowhere, tmp_path / "b")).hosts
    assert host.failure == Failure(C.NOT_INLINE, "and it cannot: INTERNAL: /proc/no; No such file or directory")
    assert host.attempts == 1
    empty = FakeProfiler({"Profile": old_server(b"", empty_trace=True)})
    with empty.serving() as address:
        result = await capture([address], CaptureOptions(duration_ms=1), tmp_path / "b", clock=FakeTime())
    assert (result.hosts[0].failure, result.folder) == (Failure(C.EMPTY), None)
    assert not (tmp_path / "b").exists()


async def test_disks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"")
    with FakeProfiler({"Profile": answering(b"x" * 1_000_000)}).serving() as address:
        (host,) = (await capture([address], QUICK, tmp_path / "file")).hosts
        assert host.failure == Failure(C.CANNOT_WRITE, f"{run_of(tmp_path / 'file')}: Not a directory")
        monkeypatch.setattr("shutil.disk_usage", lambda path: type("", (), {"free": 40_000}))
        (host,) = (await capture([address], QUICK, tmp_path / "full")).hosts
    room = "1.0 MB are needed, 40,000 bytes are free"
    assert host.failure == Failure(C.DISK_FULL, f"{run_of(tmp_path / 'full')}: {room}")
    assert left(tmp_path) == {"file": b""}
    assert not (tmp_path / "full").exists()


async def test_a_run_of_that_name(tmp_path: Path) -> None:
    run_of(tmp_path).mkdir(parents=True)
    with pytest.raises(UsageError, match="there is a run of that name already"):
        await capture(parse_addresses("a:1"), QUICK, tmp_path)


@pytest.mark.parametrize(
    "make",
    [
        lambda: CaptureOptions(duration_ms=0),
        lambda: CaptureOptions(delay_ms=-1),
        lambda: CaptureOptions(attempts=0),
        lambda: CaptureOptions(host_tracer_level=11),
        lambda: CaptureOptions(run_name="../a"),
        lambda: CaptureOptions(run_name=".."),
        lambda: CaptureOptions(run_name=""),
        lambda: CaptureOptions(answer_within_s=0),
        lambda: CaptureOptions(answer_within_s=float("nan")),
        lambda: CaptureOptions(most_answer_bytes=MOST_ANSWER_BYTES + 1),
        lambda: CaptureOptions(repository_root=""),
    ],
)
def test_options_that_make_no_sense(make: Callable[[], CaptureOptions]) -> None:
    with pytest.raises(UsageError):
        make()
