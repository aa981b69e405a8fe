"""Questions in processes beside the event loop."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.server.fakes import FakeStore
from tilescope.server.errors import QuestionFailed, TooManyRequests
from tilescope.server.services import overtime
from tilescope.server.services import workers as module
from tilescope.server.services.fair_queue import Asker, Limits
from tilescope.server.services.overtime import Overtime
from tilescope.server.services.worker import BuildSource
from tilescope.server.services.workers import Workers
from tilescope.tiler.caches import CacheSize, KeyedCache
from tilescope.tiler.errors import DamagedStore, TraceError, UsageError
from tilescope.tiler.query import Interruptible, QueryReader

pytestmark = pytest.mark.slow

CACHED: KeyedCache[QueryReader, str, int] = KeyedCache("sizes_of_test", "Sizes", lambda size: size)
ASKER = Asker("127.0.0.1", "connection")


def opened(folder: Path, path: Path, build: str) -> FakeStore:
    """A store that leaves a line for each time it is opened and closed."""
    store = FakeStore(build)

    def close() -> None:
        note(folder, "closed")

    store.close = close  # type: ignore[method-assign]
    note(folder, "opened")
    return store


def note(folder: Path, what: str) -> None:
    with (folder / "log").open("a") as log:
        log.write(f"{what}\n")


def noted(folder: Path) -> list[str]:
    return (folder / "log").read_text().split()


@dataclass(frozen=True)
class Task:
    """Does what its name says."""

    what: str
    folder: Path

    def __call__(self, reader: QueryReader) -> Interruptible[Any]:
        note(self.folder, self.what)
        match self.what:
            case "pid":
                yield
                return os.getpid()
            case "kept":
                yield
                return gc.get_freeze_count(), "tilescope.tiler.tools" in sys.modules
            case "cache":
                yield
                CACHED.keep(reader, "", 50_000)
                CACHED.keep(reader, "too large for the limit", 200_000)
            case "bad":
                yield
                raise UsageError("no such track")
            case "awkward":
                raise TraceError("/data/t.json", "cannot be pickled: two arguments", offset=7)
            case "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            case "hog":
                while True:
                    pass
            case "asleep":
                time.sleep(3600)
            case "term":
                yield
                os.kill(os.getpid(), signal.SIGTERM)
                yield
            case "long":
                try:
                    while True:
                        yield
                finally:
                    note(self.folder, "dropped")
        return self.what


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    workers = Workers(Limits(8, 8, 8), processes=1, cache_bytes=100_000)
    yield workers
    await workers.close()


@pytest.fixture
def ask(workers: Workers, tmp_path: Path) -> Any:
    source = BuildSource(tmp_path, "b1", partial(opened, tmp_path))

    async def ask(what: str) -> Any:
        with workers.asking(ASKER) as asking:
            return await asyncio.wait_for(asking.answer(Task(what, tmp_path), source), 30)

    return ask


async def until(folder: Path, what: str) -> None:
    async with asyncio.timeout(30):
        while what not in noted(folder):
            await asyncio.sleep(0.01)


async def test_the_answer_comes_from_another_process_that_stays(ask: Any, tmp_path: Path) -> None:
    pid = await ask("pid")
    assert pid != os.getpid()
    assert await ask("pid") == pid
    assert noted(tmp_path).count("opened") == 1


async def test_what_was_loaded_is_kept_out_of_collections(ask: Any) -> None:
    kept, is_loaded = await ask("kept")
    assert kept > 50_000
    assert is_loaded


async def test_the_error_of_a_task_is_raised(ask: Any) -> None:
    with pytest.raises(UsageError, match="no such track"):
        await ask("bad")
    with pytest.raises(QuestionFailed, match=r"^t\.json: byte 7: cannot be pickled"):
        await ask("awkward")
    assert await ask("fine") == "fine"


async def test_processes_report_their_caches_with_each_answer(ask: Any, workers: Workers) -> None:
    assert workers.caches == []
    await ask("cache")
    (cache,) = [cache for cache in workers.caches if cache.name == "sizes_of_test"]
    assert (cache.title, cache.entries) == ("Sizes", 1)
    assert 50_000 <= cache.size_bytes < 51_000
    with pytest.raises(QuestionFailed, match="has died"):
        await ask("killed")
    assert workers.caches == []


def test_caches_of_several_processes_are_added_up() -> None:
    workers = Workers(Limits(8, 8, 8), processes=3)
    both, alone = CacheSize("both", "Both", 10, 1), CacheSize("alone", "Alone", 5, 2)
    workers._caches = [[both], (), [alone, both]]
    assert workers.caches == [CacheSize("both", "Both", 20, 2), alone]


async def must_be_begun_anew(other: asyncio.Task[Any], folder: Path) -> None:
    """A long question whose process has ended; it is given up then."""
    async with asyncio.timeout(30):
        while noted(folder).count("long") < 2:
            await asyncio.sleep(0.01)
    other.cancel()
    with pytest.raises(asyncio.CancelledError):
        await other


async def test_a_process_that_dies_costs_one_question(ask: Any, tmp_path: Path) -> None:
    other = asyncio.create_task(ask("long"))
    await asyncio.sleep(0)
    pid = await ask("pid")
    with pytest.raises(QuestionFailed, match="has died"):
        await ask("killed")
    assert await ask("pid") != pid
    await must_be_begun_anew(other, tmp_path)


@pytest.mark.parametrize(("what", "limit"), [("hog", "PROCESSOR_S"), ("asleep", "WALL_S")])
async def test_a_turn_that_does_not_end_costs_one_question(
    ask: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, limit: str
) -> None:
    pid = await ask("pid")
    other = asyncio.create_task(ask("long"))
    await asyncio.sleep(0)
    with monkeypatch.context() as shorter:
        endless = asyncio.create_task(ask(what))
        await until(tmp_path, what)
        shorter.setattr(
            overtime, limit, 1.0
        )  # not before: the first turn of a process, on a busy machine, may take as long
        with pytest.raises(Overtime, match="given up: it took 1 s"):
            await endless
    assert await ask("pid") != pid
    await must_be_begun_anew(other, tmp_path)


async def test_a_turn_that_does_not_end_does_not_keep_the_server(ask: Any, workers: Workers, tmp_path: Path) -> None:
    asked = asyncio.create_task(ask("hog"))
    await asyncio.sleep(0)
    (tmp_path / "log").touch()
    await until(tmp_path, "hog")
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    async with asyncio.timeout(30):
        await workers.close()


async def test_a_process_that_dies_between_questions_is_replaced(ask: Any) -> None:
    pid = await ask("pid")
    os.kill(pid, signal.SIGKILL)
    other = None
    with suppress(QuestionFailed):  # that it is gone is seen with the next one, at the latest
        other = await ask("pid")
    assert pid not in (other, await ask("pid"))


async def test_sigterm_is_for_the_server(ask: Any) -> None:
    assert await ask("term") == "term"


async def test_a_short_question_is_answered_beside_a_long_one_on_one_process(ask: Any, tmp_path: Path) -> None:
    long = asyncio.create_task(ask("long"))
    await asyncio.sleep(0)
    assert await ask("short") == "short"
    long.cancel()
    with pytest.raises(asyncio.CancelledError):
        await long
    assert await ask("next") == "next"
    assert "dropped" in noted(tmp_path)


async def test_who_stops_waiting_stops_the_work(ask: Any, workers: Workers, tmp_path: Path) -> None:
    for _ in range(3):
        long = asyncio.create_task(ask("long"))
        await asyncio.sleep(0)
        (tmp_path / "log").touch()
        await until(tmp_path, "long")
        long.cancel()
        with pytest.raises(asyncio.CancelledError):
            await long
        assert len(workers) == 0
        await until(tmp_path, "dropped")
        (tmp_path / "log").unlink()


async def test_more_than_may_be_are_refused_and_those_before_go_on(ask: Any, workers: Workers) -> None:
    asked = [asyncio.create_task(ask("pid")) for _ in range(8)]
    await asyncio.sleep(0)
    with pytest.raises(TooManyRequests):
        await ask("pid")
    assert len(set(await asyncio.gather(*asked))) == 1
    assert len(workers) == 0


async def test_processes_end_when_nobody_asks(ask: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "IDLE_S", 0.1)
    pid = await ask("pid")
    async with asyncio.timeout(30):
        while Path(f"/proc/{pid}").exists():
            await asyncio.sleep(0.01)
    assert await ask("pid") != pid


async def test_a_store_that_does_not_open_is_the_error_of_the_question(workers: Workers, tmp_path: Path) -> None:
    with workers.asking(ASKER) as asking, pytest.raises(DamagedStore, match="damaged"):
        await asking.answer(Task("pid", tmp_path), BuildSource(tmp_path, "b1", damaged))


def damaged(path: Path, build: str) -> FakeStore:
    raise DamagedStore("it is damaged")


# In a process of its own: in that of the tests, others have started it before.
AHEAD = """
import asyncio, psutil
from tilescope.server.services.fair_queue import Limits
from tilescope.server.services.workers import Workers

def is_there():
    return any("forkserver" in " ".join(child.cmdline()) for child in psutil.Process().children())

async def main():
    workers = Workers(Limits(1, 1, 1))
    assert not is_there()
    workers.start_ahead(0)
    while not is_there():
        await asyncio.sleep(0.01)
    await workers.close()

asyncio.run(main())
"""


def test_what_processes_are_forked_from_is_there_before_a_question() -> None:
    subprocess.run([sys.executable, "-c", AHEAD], check=True, timeout=60)


# Ctrl-C in a terminal goes to all processes of the command, also to one that is still loading what workers need.
INTERRUPTED = """
import asyncio, os, signal
from pathlib import Path
from tilescope.server.services import overtime
from tilescope.server.services import workers as module
from tilescope.server.services.overtime import Overtime

async def main():
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, stopped.set)
    module._PRELOAD = "slow_preload"
    workers = module.Workers(module.Limits(1, 1, 1))
    workers.start_ahead(0)
    while not Path("loading").exists():
        await asyncio.sleep(0.01)
    os.killpg(0, signal.SIGINT)
    await stopped.wait()
    async with asyncio.timeout(10):
        while not Path("loaded").exists():
            await asyncio.sleep(0.01)
    await workers.close()

asyncio.run(main())
"""
SLOW_PRELOAD = """
import time
from pathlib import Path

Path("loading").touch()
time.sleep(0.5)
Path("loaded").touch()
"""


def test_ctrl_c_while_workers_are_loaded_is_for_the_server_alone(tmp_path: Path) -> None:
    (tmp_path / "slow_preload.py").write_text(SLOW_PRELOAD)
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        cwd=tmp_path,
        start_new_session=True,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
