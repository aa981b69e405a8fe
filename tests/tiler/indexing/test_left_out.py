"""A run of several files, some of which cannot be read: they are named, and the others are indexed."""

from __future__ import annotations

import gzip
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.tiler.readers import wire_writer as w
from tilescope.tiler.errors import TooLarge, TraceError
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.sources import sources
from tilescope.tiler.readers import discover
from tilescope.tiler.readers.fingerprint import take_fingerprints
from tilescope.tiler.store import open_run_store

XSPACE = w.message(1, w.data(2, "/host:CPU"), w.message(3, w.message(4, w.number(2, 5)) * 3))
JSON = b'{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}]}'


def manifest(store: Path) -> dict[str, Any]:
    opened = open_run_store(store)
    try:
        return opened.manifest()
    finally:
        opened.close()


def put(folder: Path, **files: bytes) -> list[Path]:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return [folder / name for name in files]


def test_a_foreign_file_and_a_broken_one_are_named(tmp_path: Path) -> None:
    members = {"host0.json": JSON, "types.json": b'{"a": 1}', "deep/x.pb": b"\x0a\x03abc", "host1.json": JSON}
    files = put(tmp_path / "in", **members)
    build_store(files, tmp_path / "store")
    found = manifest(tmp_path / "store")
    assert found["files"] == ["host0.json", "host1.json"]
    assert found["events"]["slices"] == "2"
    assert found["warnings"] == [
        "types.json is left out: it is JSON, but not a trace: it has no traceEvents",
        "deep/x.pb is left out: it is of no known trace format",
    ]
    store = open_run_store(tmp_path / "store")
    assert sources(store) == take_fingerprints(files)  # so that the index is one of these files
    store.close()
    assert build_store(files, tmp_path / "store") == found["build"]


def test_when_no_file_can_be_read_the_first_one_says_why(tmp_path: Path) -> None:
    files = put(tmp_path, **{"a.json": b'{"a": 1}', "b.json": b'{"b": 1}', "c.json": b"text"})
    with pytest.raises(
        TraceError, match=r"a.json: is JSON, but not a trace.*; of the other 2 files of the run none can"
    ):
        build_store(files, tmp_path / "store")
    assert not list((tmp_path / "store").glob("gen*"))
    with pytest.raises(TraceError, match=r"a.json: is JSON, but not a trace: it has no traceEvents \("):
        build_store(files[:1], tmp_path / "store")


def test_a_limit_is_no_reason_to_leave_a_file_out(tmp_path: Path) -> None:
    big = gzip.compress(JSON + b" " * 3_000_000)
    files = put(tmp_path, **{"a.json": JSON, "b.json.gz": big})
    with pytest.raises(TooLarge, match=r"b.json.gz: inflates to more than 2,000,000 bytes .*--max-inflated"):
        build_store(files, tmp_path / "store", max_inflated=2_000_000)
    assert not list((tmp_path / "store").glob("gen*"))
    build_store(files, tmp_path / "store", max_inflated=4_000_000)
    assert manifest(tmp_path / "store")["events"]["slices"] == "2"


def test_many_files_that_cannot_be_read_are_counted(tmp_path: Path) -> None:
    files = put(tmp_path, **{"a.json": JSON}, **{f"{k}.json": b"text" for k in range(30)})
    build_store(files, tmp_path / "store")
    warnings = manifest(tmp_path / "store")["warnings"]
    assert len(warnings) == 21
    assert warnings[-1] == "10 more files are left out: they cannot be read"


def test_a_preview_with_a_file_that_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilescope.tiler.indexing.build._PREVIEW_EVENTS", 0)
    files = put(tmp_path, **{"a.json": b"text", "b.json": JSON, "c.xplane.pb": XSPACE})
    build_store(files, tmp_path / "store")
    found = manifest(tmp_path / "store")
    assert (found["files"], found["events"]["slices"]) == (["b.json", "c.xplane.pb"], "4")


@pytest.mark.parametrize("host", ["h", "other"])
def test_an_archive_of_a_log_directory_counts_nothing_twice(tmp_path: Path, host: str) -> None:
    run = tmp_path / "logs" / "plugins" / "profile" / "2026_01_31_10_00_00"
    put(
        run,
        **{
            "h.xplane.pb": XSPACE,
            f"{host}.trace.json.gz": gzip.compress(JSON),
            "perfetto_trace.json.gz": gzip.compress(JSON),
        },
    )
    with tarfile.open(tmp_path / "logs.tgz", "w:gz") as archive:
        archive.add(tmp_path / "logs", "logs")
    (from_folder,) = discover(tmp_path / "logs")
    (from_archive,) = discover(tmp_path / "logs.tgz")
    assert from_archive.hosts == from_folder.hosts
    assert from_archive.notes == from_folder.notes
    build_store(from_archive.files, tmp_path / "store")
    assert manifest(tmp_path / "store")["events"]["slices"] == ("3" if host == "h" else "4")


def test_more_files_than_may_be_open_at_first(tmp_path: Path) -> None:
    """In a process of its own, whose limit is then another one."""
    files = put(tmp_path, **{f"h{k}.xplane.pb": XSPACE for k in range(60)})
    code = """
import resource, sys
from pathlib import Path
from tilescope.tiler.indexing import build_store
from tilescope.tiler import descriptors
descriptors._OTHERS = 100
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))
build_store([Path(file) for file in sys.argv[4:]], Path(sys.argv[3]))
"""
    command = [sys.executable, "-P", "-c", code]
    for hard in (400, 70):
        limits = [str(min(hard, 80)), str(hard)]
        store = tmp_path / f"store{hard}"
        done = subprocess.run([*command, *limits, store, *files], capture_output=True, text=True, check=False)
        if hard == 400:
            assert done.returncode == 0, done.stderr
            assert manifest(store)["events"]["slices"] == "180"
        else:
            assert "Too many open files" in done.stderr.splitlines()[-1]
            assert not list(store.glob("gen*"))


@pytest.mark.parametrize("name", ["b.xplane.pb", "b.xplane.pb.gz", "b.trace.json", "b.trace.json.gz"])
@pytest.mark.parametrize("kind", ["folder", "zip", "tar"])
def test_a_file_of_no_bytes_adds_no_host(tmp_path: Path, kind: str, name: str) -> None:
    folder = tmp_path / "plugins" / "profile" / "2026_01_31_10_00_00"
    files = put(folder, **{"a.xplane.pb": XSPACE, name: b"", "c.xplane.pb": XSPACE})
    place = folder
    if kind == "zip":
        place = tmp_path / "run.zip"
        with zipfile.ZipFile(place, "w") as packed:
            for file in files:
                packed.write(file, file.name)
    elif kind == "tar":
        place = tmp_path / "run.tar"
        with tarfile.open(place, "w") as archive:
            for file in files:
                archive.add(file, file.name)
    (run,) = discover(place)
    assert (run.hosts, run.notes) == (("a", "c"), (f"{name} is left out: it is empty",))
    build_store(run.files, tmp_path / "store")
    found = manifest(tmp_path / "store")
    assert (found["hosts"], found["files"]) == (["a", "c"], ["a.xplane.pb", "c.xplane.pb"])
    assert found["events"]["slices"] == "6"
