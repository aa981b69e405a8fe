"""Traces that are written or shortened while they are indexed: no signal, one clear error, nothing left behind."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

import pytest

from tests.tiler.readers import wire_writer as w
from tilescope.tiler.errors import ChangedTrace, DamagedTrace
from tilescope.tiler.indexing import BuildProgress, build_store
from tilescope.tiler.indexing.reading.unchanged import unchanged
from tilescope.tiler.readers.xspace import XSpaceReader
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import write_synthetic_trace

pytestmark = pytest.mark.slow

CHILD = Path(__file__).with_name("shrinking_traces.py")
BUILDS = int(os.environ.get("TILESCOPE_SHRINKS", "12"))


def make_trace(folder: Path, kind: str) -> Path:
    is_json = kind.startswith("json")
    plain = folder / ("host.trace.json" if is_json else "host.xplane.pb")
    write_synthetic_trace(plain, format="chrome" if is_json else "xspace", events=60_000, tracks=16, seed=4)
    if kind.endswith(".gz"):
        packed = plain.with_name(plain.name + ".gz")
        packed.write_bytes(gzip.compress(plain.read_bytes(), 1))
        return packed
    if kind.endswith(".zip"):
        packed = folder / "traces.zip"
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.write(plain, plain.name)
        return packed
    return plain


@pytest.mark.parametrize("kind", ["xspace", "xspace.gz", "xspace.zip", "json", "json.gz", "json.zip"])
def test_shortened_at_any_moment(tmp_path: Path, kind: str) -> None:
    command = [sys.executable, "-P", str(CHILD), str(make_trace(tmp_path, kind)), "3", str(BUILDS)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"TMPDIR": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    builds = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(builds) == BUILDS
    published = builds[0]["left"]
    for build in builds:
        assert len(build["left"]) == len(published), build  # one generation, CURRENT and LOCK
        assert not any(name.endswith(".part") for name in build["left"]), build
        before_it_began = isinstance(build["moment"], float) and "TraceError" not in build["outcome"]
        assert "changed while it was read (index it again" in build["outcome"] or before_it_began, build
    assert builds[0]["outcome"] == "indexed"
    assert "ChangedTrace" in builds[1]["outcome"]  # while it is read
    assert Counter(build["outcome"] == "indexed" for build in builds)[False] >= 2


def test_a_trace_that_is_replaced_is_indexed_as_it_was(tmp_path: Path) -> None:
    trace, other = make_trace(tmp_path, "xspace"), tmp_path / "other"
    other.write_bytes(b"")

    def replace(progress: BuildProgress) -> None:
        if progress.phase == "build" and other.exists():
            other.replace(trace)

    build_store([trace], tmp_path / "store", progress=replace)
    store = open_run_store(tmp_path / "store")
    assert store.manifest()["events"]["total"] == "60000"
    store.close()


def test_a_trace_that_grows_under_the_map_has_changed(tmp_path: Path) -> None:
    trace = make_trace(tmp_path, "xspace")
    more = trace.read_bytes()[:100]

    def append(progress: BuildProgress) -> None:
        if progress.phase == "build":
            with trace.open("ab") as file:
                file.write(more)

    with pytest.raises(ChangedTrace, match=r"host\.xplane\.pb: changed while it was read"):
        build_store([trace], tmp_path / "store", progress=append)
    assert not (tmp_path / "store").exists()


def test_other_events_than_those_that_were_surveyed_are_refused(tmp_path: Path) -> None:
    """As through a map of somebody else's: no time of change tells of it."""

    def space(offset_ps: int) -> bytes:
        events = w.message(4, w.number(1, 1), w.number(2, offset_ps), w.number(3, 5)) * 3
        return w.message(1, w.data(2, "p"), w.message(3, w.number(1, 1), events))

    # Of the same size: one event later, one longer, one fewer.
    before = space(100)
    for after in (space(101), before.replace(w.number(3, 5), w.number(3, 6)), before.replace(b"\x22", b"\x7a", 1)):
        trace = tmp_path / "host.xplane.pb"
        trace.write_bytes(before)
        reader = XSpaceReader.open(trace)
        for _ in reader.survey():
            pass
        stat = trace.stat()
        with trace.open("r+b") as file:
            file.write(after)
        os.utime(trace, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        with pytest.raises(Exception, match="the file changed while it was read"):
            list(reader.track_chunks(0))
        reader.close()


def test_an_error_in_what_changed_is_told_as_the_change(tmp_path: Path) -> None:
    trace = tmp_path / "host.xplane.pb"
    trace.write_bytes(b"")

    def read(modified_ns: int) -> None:
        with unchanged([trace]):
            os.utime(trace, ns=(0, modified_ns))
            raise DamagedTrace(trace, "ends inside a field")

    with pytest.raises(ChangedTrace):
        read(1)
    with pytest.raises(DamagedTrace):
        read(1)
