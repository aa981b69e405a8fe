"""A run of shards: the same whatever the executor does, and the pages of a run indexed in one piece."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from tests.pods import threads, write_pod
from tests.tiler.shards.unreliable_executor import unreliable
from tilescope.tiler.errors import Cancelled, DamagedStore, DiskFull, StoreError, TraceError, UsageError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.sources import axis_of
from tilescope.tiler.lookup.tiles import page_content
from tilescope.tiler.pages import PageKey
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import PAGE
from tilescope.tiler.shards import task
from tilescope.tiler.shards.build import ShardOptions, build_shards
from tilescope.tiler.shards.folder import locked, shard_path, survey_path
from tilescope.tiler.shards.opened_executor import OpenExecutor
from tilescope.tiler.shards.progress import ShardProgress
from tilescope.tiler.shards.sharded_run import ShardedRun, read_sharded_run
from tilescope.tiler.shards.survey import Survey
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.documents import read_document, write_document
from tilescope.tiler.verify.same_entries import compare_stores

TRACKS = 40  # of a host: 32 of the first block, 8 of the second, and rollups behind

_BLOCK_IN_HEAD = slice(12, 16)  # where a page says its block


def build(files: list[Path], folder: Path, executor: OpenExecutor = threads, **options: Any) -> ShardedRun:
    return build_shards(files, folder, executor, progress=lambda _: None, options=ShardOptions(**options))


def pages_of(store: Path, block: int) -> dict[tuple[int, ...], bytes]:
    """The pages of a block, by the other numbers of their keys, without the number of the block."""
    opened = open_run_store(store)
    pages = {}
    for (_, *place), _ in opened.scan(PAGE, block):
        page = bytearray(page_content(opened, PageKey(block, *place)))
        page[_BLOCK_IN_HEAD] = b"\0\0\0\0"
        pages[tuple(place)] = bytes(page)
    opened.close()
    return pages


def test_pages_are_those_of_a_run_in_one_piece(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=3, tracks=32)
    run = build(files, tmp_path / "run")
    build_store(files, tmp_path / "whole")
    whole = open_run_store(tmp_path / "whole")
    for host, shard in enumerate(run.shards):
        store = shard_path(tmp_path / "run", shard.name)
        pages = pages_of(store, 0)
        assert pages
        assert pages == pages_of(tmp_path / "whole", host)
        opened = open_run_store(store)
        assert opened.get(NAMES, 0) == whole.get(NAMES, 0)
        for figure in ("origin_ns", "tick_ps", "end", "root_level", "overview", "names"):
            assert opened.manifest()[figure] == whole.manifest()[figure]
        assert axis_of(opened) == run.axis
        opened.close()
    whole.close()


@pytest.mark.parametrize("seed", range(4))
def test_an_unreliable_executor_changes_nothing(tmp_path: Path, seed: int) -> None:
    files = write_pod(tmp_path / "pod", hosts=4, events=500)
    run, attempts = build(files, tmp_path / "run"), Counter[str]()
    other = build(files, tmp_path / "other", partial(unreliable, seed, attempts), silence_seconds=2.5)
    assert attempts.total() > 2 * len(files)
    assert [shard.state for shard in other.shards] == ["ready"] * len(files)
    for shard, same in zip(run.shards, other.shards, strict=True):
        first, second = (shard_path(tmp_path / name, shard.name) for name in ("run", "other"))
        assert shard.name == same.name
        compare_stores(first, second)
        assert open_run_store(second).build == same.build


def test_the_same_command_takes_what_is_there(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=2, events=500)
    run = build(files, tmp_path / "run")

    @contextmanager
    def nobody() -> Iterator[Executor]:
        raise AssertionError("there is nothing to do")
        yield

    assert build(files, tmp_path / "run", nobody) == run
    shutil.rmtree(shard_path(tmp_path / "run", run.shards[1].name))
    again = build(files, tmp_path / "run")
    assert again.axis == run.axis
    assert again.shards[0] == run.shards[0]
    assert again.shards[1].build != run.shards[1].build
    assert build(files, tmp_path / "run", force=True).axis != run.axis


def test_a_host_that_fails_is_missing_until_it_is_mended(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=3, events=500)
    whole = files[1].read_bytes()
    files[1].write_bytes(b"this is no trace")
    run = build(files, tmp_path / "run")
    assert [shard.title for shard in run.failed] == [files[1].name]
    assert "host1.xplane.pb" in run.failed[0].error
    files[1].write_bytes(whole)
    mended = build(files, tmp_path / "run")
    assert not mended.failed
    assert mended.shards[0] == run.shards[0]


def test_a_run_needs_one_file_that_can_be_read(tmp_path: Path) -> None:
    files = [tmp_path / "a.json", tmp_path / "b.json"]
    files[0].write_text("nothing")
    with pytest.raises(TraceError, match=r"a\.json: .*; of the other 1 files none can be read either"):
        build(files, tmp_path / "run")
    assert not (tmp_path / "run" / "run.json").exists()


class _DisturbedExecutor(ThreadPoolExecutor):
    """Something happens when it has done a task of a kind of work."""

    def __init__(self, work: str, happens: Callable[[], None]) -> None:
        super().__init__(1)
        self._work, self._happens = work, happens

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = super().submit(fn, *args, **kwargs)
        if args[0]["work"] == self._work:
            future.result()
            self._happens()
        return future


def test_a_file_that_changes_while_it_is_surveyed_costs_one_shard(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=3, events=500)

    def change() -> None:
        changed_ns = files[1].stat().st_mtime_ns + 10**9
        os.utime(files[1], ns=(changed_ns, changed_ns))

    run = build(files, tmp_path / "run", lambda: _DisturbedExecutor("survey", change))
    assert [shard.title for shard in run.failed] == [files[1].name]
    assert "changed while its run was surveyed" in run.failed[0].error


def test_a_run_needs_one_file_that_can_be_indexed(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=1, events=500)
    with pytest.raises(TraceError, match=r"host0\.xplane\.pb: failed 3 times: its worker died"):
        build(files, tmp_path / "run", lambda: _DyingExecutor(str(files[0])))
    assert not (tmp_path / "run" / "run.json").exists()


def test_force_surveys_anew(tmp_path: Path) -> None:
    (file,) = write_pod(tmp_path / "pod", hosts=1, events=500)
    build([file], tmp_path / "run")
    (survey,) = (tmp_path / "run" / "surveys").iterdir()
    whole = read_document(survey, Survey, 1 << 30)
    write_document(survey, structs.replace(whole, names=[]))
    shutil.rmtree(tmp_path / "run" / "shards")
    (tmp_path / "run" / "axis.json.gz").unlink()
    with pytest.raises(TraceError, match="has a name that its run does not have"):
        build([file], tmp_path / "run")
    assert not build([file], tmp_path / "run", force=True).failed


def test_a_late_host_lies_on_the_axis_or_has_its_own(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=3, events=1000)
    first = build(files[:1], tmp_path / "run")
    both = build(files, tmp_path / "run")
    assert both.axis == first.axis
    assert both.shards[0] == first.shards[0]
    for shard in both.shards:
        opened = open_run_store(shard_path(tmp_path / "run", shard.name))
        assert axis_of(opened) == (shard.axis or both.axis)
        opened.close()
    assert both.shards[0].own is None
    assert build(files, tmp_path / "run") == both
    together = build(files, tmp_path / "run", force=True)
    assert not any(shard.own for shard in together.shards)


def test_shards_of_files_that_went_are_removed(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=2, events=500)
    run = build(files, tmp_path / "run")
    folder = tmp_path / "run"
    strangers = [folder / "shards" / "notes", folder / "shards" / ("0" * 16), folder / "surveys" / "mine.json.gz"]
    for stranger in strangers:
        stranger.mkdir()
        (stranger / "text").write_text("not ours")
    build(files[1:], folder)
    assert not shard_path(folder, run.shards[0].name).exists()
    assert not survey_path(folder, run.shards[0].name).exists()
    assert all((stranger / "text").exists() for stranger in strangers)
    assert [shard.name for shard in read_sharded_run(tmp_path / "run").shards] == [run.shards[1].name]


def test_a_command_that_is_stopped_leaves_what_is_done(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=3, events=500)

    def stop_after_one(progress: ShardProgress) -> None:
        if progress.work == "index" and progress.tasks_done:
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        build_shards(files, tmp_path / "run", threads, progress=stop_after_one)
    assert not (tmp_path / "run" / "run.json").exists()
    assert not list((tmp_path / "run").glob("session-*"))
    run = build(files, tmp_path / "run")
    assert not run.failed


class _DyingExecutor(ThreadPoolExecutor):
    """Its worker dies whenever it is sent a certain file."""

    def __init__(self, victim: str) -> None:
        super().__init__(1)
        self._victim = victim

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        (message,) = args
        if message["work"] == "index" and message["files"] == [self._victim]:
            Path(message["session"], f"index-{message['shard']}").write_text('{"fraction":0.5,"events":1}')
            future: Future[Any] = Future()
            future.set_exception(BrokenProcessPool("a process ended"))
            return future
        return super().submit(fn, *args, **kwargs)


def test_a_file_that_kills_its_workers_costs_one_shard(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=3, events=500)
    run = build(files, tmp_path / "run", lambda: _DyingExecutor(str(files[0])))
    assert [shard.title for shard in run.failed] == [files[0].name]
    assert "3 times" in run.failed[0].error


class _LateExecutor(ThreadPoolExecutor):
    """The first answer to each task comes when the second attempt has been answered, and once more behind it."""

    def __init__(self) -> None:
        super().__init__(2)
        self._late: dict[tuple[str, str], Future[Any]] = {}

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        task = args[0]["work"], args[0]["shard"]
        answer = super().submit(fn, *args, **kwargs)
        if task not in self._late:
            self._late[task] = Future()
            return self._late[task]
        answer.add_done_callback(lambda done: self._late[task].set_result(done.result()))
        return answer


def test_answers_that_come_after_a_retry_change_nothing(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=2, events=500)
    run, expected = (
        build(files, tmp_path / name, executor, silence_seconds=0.3)
        for name, executor in (("run", _LateExecutor), ("expected", threads))
    )
    assert not run.failed
    for shard in run.shards:
        compare_stores(*(shard_path(tmp_path / name, shard.name) for name in ("run", "expected")))
    assert [shard.name for shard in run.shards] == [shard.name for shard in expected.shards]


def test_a_disk_that_is_full_costs_the_shard_that_it_has_no_room_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = write_pod(tmp_path / "pod", hosts=3, events=500)

    def fill(files_of_shard: list[Path], store: Path, **options: Any) -> str:
        if files_of_shard == [files[1]]:
            raise DiskFull(f"{store}: the disk is full", 12 << 20)
        return build_store(files_of_shard, store, **options)

    with monkeypatch.context() as patched:
        patched.setattr(task, "build_store", fill)
        run = build(files, tmp_path / "run")
    assert [shard.title for shard in run.failed] == [files[1].name]
    assert "the disk is full" in run.failed[0].error
    assert "\n" not in run.failed[0].error
    completed = build(files, tmp_path / "run")
    assert not completed.failed
    assert completed.shards[0] == run.shards[0]


@pytest.mark.parametrize("document", ["axis", "sharded_run"])
def test_a_disk_that_is_full_keeps_the_run_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, document: str
) -> None:
    files = write_pod(tmp_path / "pod", hosts=2, events=500)
    before = build(files[:1], tmp_path / "run")

    def full(*_: Any) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(f"tilescope.tiler.shards.build.write_{document}", full)
        with pytest.raises(StoreError, match="the disk is full"):
            build(files, tmp_path / "run")
    assert read_sharded_run(tmp_path / "run") == before
    assert not list((tmp_path / "run").glob("session-*"))
    assert not build(files, tmp_path / "run").failed


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (None, "ValidationError"),
        ({"task": "index-of-another"}, "the executor answered with the report of index-of-another"),
        ({"task": "x", "pages": "1"}, "ValidationError"),
        ({"task": "x", "error": "long " * 1000}, "ValidationError"),
    ],
)
def test_answers_that_are_no_reports(tmp_path: Path, answer: Any, message: str) -> None:
    files = write_pod(tmp_path / "pod", hosts=2, events=500)

    class Confused(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            if args[0]["work"] == "index" and args[0]["files"] == [str(files[0])]:
                return super().submit(lambda: answer)
            return super().submit(fn, *args, **kwargs)

    run = build(files, tmp_path / "run", Confused)
    assert [shard.title for shard in run.failed] == [files[0].name]
    assert f"failed 3 times: {message}" in run.failed[0].error
    assert not build(files, tmp_path / "run").failed


def test_silence_ends(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=2, events=500)

    class Silent(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            return Future()

    with pytest.raises(TraceError, match="no worker was heard of"):
        build(files, tmp_path / "run", Silent, silence_seconds=0.01)


@pytest.mark.parametrize("work", ["survey", "index"])
def test_a_file_at_which_workers_hang_costs_one_shard(tmp_path: Path, work: str) -> None:
    files = write_pod(tmp_path / "pod", hosts=3, events=500)

    class Hanging(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            is_victim = args[0]["work"] == work and args[0]["files"] == [str(files[1])]
            return Future() if is_victim else super().submit(fn, *args, **kwargs)

    run = build(files, tmp_path / "run", Hanging, silence_seconds=1.0)
    assert [shard.title for shard in run.failed] == [files[1].name]
    assert "failed 3 times: no worker was heard of" in run.failed[0].error
    assert not build(files, tmp_path / "run").failed


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    files = write_pod(tmp_path / "pod", hosts=1, events=500)
    build_store(files, tmp_path / "store")
    with pytest.raises(UsageError, match="is a store already"):
        build(files, tmp_path / "store")
    with pytest.raises(UsageError, match="is not empty and has no shards"):
        build(files, tmp_path / "pod")
    with locked(tmp_path / "run"), pytest.raises(StoreError, match="another command"):
        build(files, tmp_path / "run")


@pytest.mark.parametrize("document", ["axis.json.gz", "surveys"])
def test_damaged_documents(tmp_path: Path, document: str) -> None:
    files = write_pod(tmp_path / "pod", hosts=1, events=500)
    run = build(files, tmp_path / "run")
    for path in [tmp_path / "run" / document, *(tmp_path / "run" / document).glob("*")]:
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-9])
    if document == "surveys":
        assert build(files, tmp_path / "run") == run
    else:
        with pytest.raises(DamagedStore, match=r"axis\.json\.gz: is damaged"):
            build(files, tmp_path / "run")
        assert not build(files, tmp_path / "run", force=True).failed
