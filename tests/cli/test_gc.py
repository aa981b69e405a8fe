"""`tilescope gc` beside real processes that read and build: what is in use stays, what was left behind goes."""

from __future__ import annotations

import argparse
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.demo import DEMO_TRACE
from tilescope.cli import cache_options, main
from tilescope.cli.sizes import parse_size
from tilescope.server.runs import cache
from tilescope.server.runs.cache import CacheDirectory
from tilescope.server.runs.job import IndexJob
from tilescope.tiler.indexing import build_store
from tilescope.tiler.readers import find_run
from tilescope.tiler.readers.fingerprint import stamps_digest
from tilescope.tiler.size_text import size_text
from tilescope.tiler.store import open_run_store
from tilescope.tiler.store.sweep import evict, size_of, sweep

pytestmark = pytest.mark.slow

INDEXING = Path(__file__).parents[1] / "tiler" / "indexing" / "indexing_child.py"

# Opens a store, says so, reads everything when it is told to, and says how many records it has found.
READING = (
    "import sys, pathlib\n"
    "from tilescope.tiler.store import open_run_store\n"
    "store = open_run_store(pathlib.Path(sys.argv[1]))\n"
    "print('open', flush=True)\n"
    "sys.stdin.readline()\n"
    "print(len(list(store.records())), flush=True)\n"
    "sys.stdin.readline()\n"
)


# Opens a store and reads all of it, again and again until standard input ends; then says how often.
READING_ON = (
    "import select, sys, pathlib\n"
    "from tilescope.tiler.store import open_run_store\n"
    "times = 0\n"
    "while not select.select([sys.stdin], [], [], 0)[0]:\n"
    "    store = open_run_store(pathlib.Path(sys.argv[1]))\n"
    "    assert len(list(store.records())) > 10\n"
    "    store.close()\n"
    "    times += 1\n"
    "    if times == 1:\n"
    "        print('reads', flush=True)\n"
    "print(times, flush=True)\n"
)


@contextmanager
def child(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A Python process that ends with the block in any case."""
    command = [sys.executable, "-P", *map(str, arguments)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def gc(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[str]:
    assert main(["gc", *map(str, arguments)]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out.splitlines()


def generations(store: Path) -> list[str]:
    return sorted(path.name for path in store.glob("gen-*"))


def test_a_generation_stays_as_long_as_it_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = tmp_path / "store"
    old = build_store([DEMO_TRACE], store)
    opened = open_run_store(store)
    records = len(list(opened.records()))
    opened.close()
    with child("-c", READING, store) as reader:
        assert line_of(reader) == "open"
        new = build_store([DEMO_TRACE], store, force=True)
        assert generations(store) == sorted([f"gen-{old}", f"gen-{new}"])
        assert gc(capsys, store) == ["there is nothing to remove"]
        tell(reader)
        assert int(line_of(reader)) == records
    lines = gc(capsys, store, "--dry-run")
    assert lines[0].startswith(f"{store}/gen-{old}: ")
    assert lines[1].startswith("would free ")
    assert len(generations(store)) == 2
    assert gc(capsys, store)[1].startswith("freed ")
    assert generations(store) == [f"gen-{new}"]


def test_readers_never_find_a_gap_between_two_generations(tmp_path: Path) -> None:
    store = tmp_path / "store"
    build_store([DEMO_TRACE], store)
    with child("-c", READING_ON, store) as reader:
        assert line_of(reader) == "reads"
        for _ in range(20):
            build_store([DEMO_TRACE], store, force=True)
            sweep(store)
            evict(store, dry_run=True)
        tell(reader)
        assert int(line_of(reader) or 0) > 1
    sweep(store)
    assert len(generations(store)) == 1


def test_what_a_killed_process_was_writing_goes_and_what_a_living_one_writes_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = tmp_path / "store"
    build = build_store([DEMO_TRACE], store)
    trace = tmp_path / "again.pb"
    shutil.copy(DEMO_TRACE, trace)
    with child(INDEXING, trace, store, "build") as builder:
        assert [line_of(builder), line_of(builder)] == ["read", "build"]
        assert len(generations(store)) == 2
        assert gc(capsys, store) == ["there is nothing to remove"]
        assert len(generations(store)) == 2
        builder.send_signal(signal.SIGKILL)
        builder.wait()
        assert len(generations(store)) == 2
        lines = gc(capsys, store)
    assert len(lines) == 2
    assert ".part: " in lines[0]
    assert generations(store) == [f"gen-{build}"]


def test_a_store_of_the_cache_is_not_evicted_while_it_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = CacheDirectory(tmp_path / "cache")
    read, free = (directory.root / name / "1" for name in ("read-1", "free-1"))
    for store in (read, free):
        build_store([DEMO_TRACE], store)
    options = ["--cache-dir", directory.root, "--cache-size", "0"]
    with child("-c", READING, read) as reader:
        assert line_of(reader) == "open"
        lines = gc(capsys, *options, "--dry-run")
        assert lines[0].startswith(f"{free}: ")
        assert lines[1:] == [f"would free {size_text(size_of(free))}"]
        assert gc(capsys, *options)[0].startswith(f"{free}: ")
        assert read.exists()
        assert not free.exists()
        tell(reader)
        assert int(line_of(reader)) > 10
    assert gc(capsys, *options)[0].startswith(f"{read}: ")
    assert list(directory.root.iterdir()) == []


def test_opening_a_store_makes_it_the_last_to_go(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    directory = CacheDirectory(tmp_path / "cache")
    first, second = (directory.root / name / "1" for name in ("first-1", "second-1"))
    for store in (first, second):
        build_store([DEMO_TRACE], store)
    open_run_store(first).close()
    lines = gc(capsys, "--cache-dir", directory.root, "--cache-size", size_of(first) + 1000)
    assert lines[0].startswith(f"{second}: ")
    assert len(lines) == 2
    assert first.exists()


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch])
def test_what_is_no_store_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str], make: object) -> None:
    folder = tmp_path / "folder"
    make(folder)  # type: ignore[operator]
    assert main(["gc", str(folder)]) == 2
    assert capsys.readouterr().err == f"tilescope: {folder}: this is not a store\n"
    (tmp_path / "gen-mine").mkdir()
    (tmp_path / "notes.txt").touch()
    assert main(["gc", str(tmp_path)]) == 2
    assert (tmp_path / "gen-mine").exists()


def test_the_default_size_in_the_help_is_the_real_one() -> None:
    assert cache_options._DEFAULT_CAPACITY_BYTES == cache.DEFAULT_CAPACITY_BYTES == parse_size("20GB")


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("0", 0), ("4096", 4096), ("20GB", 20 * 10**9), ("1.5 GiB", 3 << 29), ("500m", 5 * 10**8), ("1kb", 1000)],
)
def test_sizes(text: str, size_bytes: int) -> None:
    assert parse_size(text) == size_bytes


@pytest.mark.parametrize("text", ["", "GB", "-1", "1 XB", "1e9", "1ib"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is no size"):
        parse_size(text)


def indexed(trace: Path, cache_dir: Path) -> Path:
    """The index of a trace in the cache directory, made as a server makes it."""
    run = find_run(trace)
    store = CacheDirectory(cache_dir).store_of(run.id, stamps_digest(run.files))
    line = IndexJob("", run.files, store, cache=cache_dir).to_line()
    worker = [sys.executable, "-P", "-m", "tilescope.server.runs.worker"]
    with subprocess.Popen(worker, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(line)
        process.stdin.flush()
        assert b'"done"' in process.stdout.readlines()[-1]
    return store


def test_the_index_of_a_trace_that_is_gone_goes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache_dir, traces = tmp_path / "cache", [tmp_path / "logs" / f"{name}.xplane.pb" for name in "abc"]
    traces[0].parent.mkdir()
    for trace in traces:
        shutil.copy(DEMO_TRACE, trace)
    gone, marked, kept = (indexed(trace, cache_dir) for trace in traces)
    (marked.parent / "marks.json").write_text("{}")
    assert gc(capsys, "--cache-dir", cache_dir) == ["there is nothing to remove"]
    for trace in traces[:2]:
        trace.unlink()
    lines = gc(capsys, "--cache-dir", cache_dir, "--dry-run")
    assert sorted(line.partition(": ")[0] for line in lines[:-1]) == sorted(map(str, (gone, marked)))
    assert len(CacheDirectory(cache_dir).stores()) == 3
    gc(capsys, "--cache-dir", cache_dir)
    assert CacheDirectory(cache_dir).stores() == [kept]
    assert not gone.parent.exists()
    assert [path.name for path in marked.parent.iterdir()] == ["marks.json"]


def test_a_member_of_an_archive_that_is_gone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache_dir, archive = tmp_path / "cache", tmp_path / "logs.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(DEMO_TRACE, "host0.xplane.pb")
    indexed(archive, cache_dir)
    assert gc(capsys, "--cache-dir", cache_dir) == ["there is nothing to remove"]
    archive.unlink()
    assert gc(capsys, "--cache-dir", cache_dir)[-1].startswith("freed ")
    assert not list(cache_dir.iterdir())


def test_an_index_whose_traces_are_not_known_stays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, content in (("a", None), ("b", b"?"), ("c", b"[]"), ("d", b"{}")):
        store = tmp_path / name / "1"
        build_store([DEMO_TRACE], store)
        if content is not None:
            (store.parent / "TRACES").write_bytes(content)
    assert gc(capsys, "--cache-dir", tmp_path) == ["there is nothing to remove"]


def test_the_index_of_one_run_is_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache_dir, runs = tmp_path / "cache", [tmp_path / "logs" / "plugins" / "profile" / name for name in ("r1", "r2")]
    for run in runs:
        run.mkdir(parents=True)
        shutil.copy(DEMO_TRACE, run / "host0.xplane.pb")
    first, second = (indexed(run, cache_dir) for run in runs)
    places = ["--cache-dir", cache_dir]
    assert gc(capsys, "--trace", runs[0], "--dry-run", *places)[0].startswith(f"{first}: ")
    assert first.exists()
    assert gc(capsys, "--trace", runs[0], *places)[0].startswith(f"{first}: ")
    assert CacheDirectory(cache_dir).stores() == [second]
    assert gc(capsys, "--trace", runs[0], *places) == ["there is nothing to remove"]
    opened = open_run_store(second)
    assert main(["gc", "--trace", str(tmp_path / "logs"), "--cache-dir", str(cache_dir)]) == 0
    assert capsys.readouterr() == ("there is nothing to remove\n", f"tilescope: {second}: is in use, and stays\n")
    opened.close()
    assert gc(capsys, "--trace", tmp_path / "logs", *places)[0].startswith(f"{second}: ")
    assert not list(cache_dir.iterdir())
    assert all((run / "host0.xplane.pb").exists() for run in runs)
