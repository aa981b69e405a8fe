"""A trace is indexed once: by one of two processes, and again only when it has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tilescope.tiler.errors import TraceError
from tilescope.tiler.indexing import BuildProgress, build_store
from tilescope.tiler.store import open_run_store

CHILD = Path(__file__).with_name("indexing_child.py")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    copy = tmp_path / "host0.xplane.pb"
    shutil.copy(DEMO_TRACE, copy)
    return copy


def published(store: Path) -> str:
    opened = open_run_store(store)
    opened.close()
    return opened.build


@contextmanager
def indexing(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A process that indexes; ends with the block in any case."""
    command = [sys.executable, "-P", str(CHILD), *map(str, arguments)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield child
    finally:
        child.kill()
        child.communicate()


def line_of(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def test_of_two_processes_one_works_and_the_other_takes_its_result(tmp_path: Path, trace: Path) -> None:
    store = tmp_path / "store"
    with indexing(trace, store, "build") as first:
        assert [line_of(first), line_of(first)] == ["read", "build"]  # there it stops
        with indexing(trace, store) as second:
            assert line_of(second) == "wait"
            first.stdin.write("\n")  # type: ignore[union-attr]
            first.stdin.flush()  # type: ignore[union-attr]
            assert line_of(first) == "publish"
            build = line_of(first)
            assert line_of(second) == build, "the second one has built again"
            assert (first.wait(timeout=20), second.wait(timeout=20)) == (0, 0)
    assert published(store) == build
    assert {entry.name for entry in store.iterdir()} == {"CURRENT", "LOCK", f"gen-{build}"}


def test_the_one_that_waits_works_when_the_first_dies(tmp_path: Path, trace: Path) -> None:
    store = tmp_path / "store"
    with indexing(trace, store, "build") as first:
        assert [line_of(first), line_of(first)] == ["read", "build"]
        with indexing(trace, store) as second:
            assert line_of(second) == "wait"
            first.kill()
            assert [line_of(second), line_of(second), line_of(second)] == ["read", "build", "publish"]
            build = line_of(second)
    assert published(store) == build
    assert {entry.name for entry in store.iterdir()} == {"CURRENT", "LOCK", f"gen-{build}"}


def test_the_one_that_waits_works_when_its_trace_is_another(tmp_path: Path, trace: Path) -> None:
    store, other = tmp_path / "store", tmp_path / "other.json"
    other.write_text("[]")
    with indexing(trace, store, "build") as first:
        assert [line_of(first), line_of(first)] == ["read", "build"]
        with indexing(other, store) as second:
            assert line_of(second) == "wait"
            first.communicate("\n")
            assert line_of(second) == "read"
            assert second.wait() == 0
    opened = open_run_store(store)
    assert opened.manifest()["files"] == ["other.json"]
    opened.close()


def test_an_unchanged_trace_is_not_indexed_again(tmp_path: Path, trace: Path) -> None:
    seen: list[BuildProgress] = []
    build = build_store([trace], tmp_path / "store")
    assert build_store([trace], tmp_path / "store", progress=seen.append) == build
    assert seen == []
    forced = build_store([trace], tmp_path / "store", force=True)
    assert forced != build
    assert published(tmp_path / "store") == forced


def test_a_changed_trace_is_indexed_again(tmp_path: Path, trace: Path) -> None:
    store = tmp_path / "store"
    builds = [build_store([trace], store)]
    stat = trace.stat()
    content = trace.read_bytes()

    os.utime(trace, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))  # touched: the middle may be another
    builds.append(build_store([trace], store))

    assert content[-1:] != b"\0"
    trace.write_bytes(content.replace(b"/host:CPU", b"/host:XPU"))  # same size, same time, other content
    os.utime(trace, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    builds.append(build_store([trace], store))

    trace.write_bytes(content + content)
    os.utime(trace, ns=(stat.st_atime_ns, stat.st_mtime_ns + 1))
    builds.append(build_store([trace], store))
    builds.append(build_store([trace, DEMO_TRACE], store))
    assert len(set(builds)) == 5


@pytest.mark.parametrize("damaged", ["gen-*/data.mdb", "CURRENT"])
@pytest.mark.parametrize("content", [b"", b"\xff\xfe\0 damage" * 1000, b"../elsewhere\n"])
def test_a_store_that_cannot_be_opened_is_made_again(tmp_path: Path, trace: Path, damaged: str, content: bytes) -> None:
    store = tmp_path / "store"
    first = build_store([trace], store)
    (file,) = store.glob(damaged)
    file.write_bytes(content)
    second = build_store([trace], store)
    assert second != first
    assert published(store) == second
    assert {entry.name for entry in store.iterdir()} == {"CURRENT", "LOCK", f"gen-{second}"}


def test_a_missing_trace_is_an_error_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"absent\.pb: cannot be opened"):
        build_store([tmp_path / "absent.pb"], tmp_path / "store")
    assert not (tmp_path / "store").exists()
