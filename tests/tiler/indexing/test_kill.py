"""Processes that are killed while they index: the index before is served, and the next build leaves nothing of them.

`make kill-test` kills many more of them than `make test` does.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.demo import DEMO_TRACE
from tilescope.tiler.indexing import build_store
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import Shape, decode_page, decompress
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.store import open_run_store
from tilescope.tiler.synth import write_synthetic_trace
from tilescope.tiler.verify import verify_store

pytestmark = pytest.mark.slow

KILLS = int(os.environ.get("TILESCOPE_KILLS", "10"))  # at random moments
EVENTS = 300_000
EVERY_CHECK = KILLS > 10

Fault = tuple[str, str, int]  # "before" or "after", name of the function, which call of it

# What publishing does, in order, for a store with an index in it. `replace` is the moment that counts.
BEFORE_IT_COUNTS = [
    ("before", "mkdir", 1),
    ("after", "mkdir", 1),
    ("before", "put_many", 1),
    ("after", "put_many", 1),
    ("before", "put_many", 2),
    ("before", "fsync", 1),  # what was written so far, beside the last tables
    ("after", "fsync", 1),
    ("before", "sync", 1),
    ("after", "sync", 1),
    ("after", "close", 1),
    ("before", "unlink", 1),  # LMDB's lock file
    ("before", "fsync", 2),
    ("before", "rename", 1),
    ("after", "rename", 1),
    ("before", "fsync", 3),
    ("before", "fsync", 4),
    ("after", "fsync", 4),
    ("before", "replace", 1),
]
FROM_THEN_ON = [
    ("after", "replace", 1),
    ("before", "fsync", 5),
    ("after", "fsync", 5),
    ("before", "mark_used", 1),
    ("before", "rmtree", 1),
    ("after", "unlink", 2),  # the old index's file is gone, its folder is not
    ("before", "rmdir", 1),
    ("after", "rmtree", 1),
]


@dataclass
class Builds:
    """A store, and a process that starts builds into it and kills them."""

    folder: Path
    process: subprocess.Popen[str]
    scratch: Path

    @property
    def store(self) -> Path:
        return self.folder / "store"

    def run(self, trace: Path, *, after_s: float | None = None, fault: Fault | None = None, force: bool = False) -> Any:
        command = {"trace": str(trace), "store": str(self.store), "after_s": after_s, "fault": fault, "force": force}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(command), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        return answer

    def served(self) -> str:
        """The name of the trace whose index is served, after a look at every root tile."""
        opened = open_run_store(self.store)
        try:
            manifest = opened.manifest()
            events = 0
            for block in range(manifest["blocks"]):
                shape = Shape.decode(decompress(opened.get(SHAPE, block) or b""))
                for tile in range(len(shape.level)):
                    if shape.level[tile] == manifest["root_level"]:
                        assert list(decode_page(decompress(stored_page(opened, shape.page_of(tile)) or b"")))
                        events += int(shape.events[tile])
            assert events >= int(manifest["events"]["total"]) > 0
            return str(manifest["files"][0])
        finally:
            opened.close()

    def check_nothing_is_left(self) -> None:
        names = sorted(entry.name for entry in self.store.iterdir())
        assert names == ["CURRENT", "LOCK", (self.store / "CURRENT").read_text().strip()]
        assert list(self.scratch.iterdir()) == []


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """The process that starts builds and its scratch folder, for all tests: it takes longer to start than to build."""
    scratch = tmp_path_factory.mktemp("tmp")
    with subprocess.Popen(
        [sys.executable, "-P", str(Path(__file__).with_name("killed_builds.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(scratch)},
    ) as process:
        yield process, scratch
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=30) == 0


@pytest.fixture
def builds(killer: tuple[subprocess.Popen[str], Path], tmp_path: Path) -> Builds:
    process, scratch = killer
    return Builds(tmp_path, process, scratch)


def test_killed_at_any_moment(builds: Builds) -> None:
    traces = [
        write_synthetic_trace(builds.folder / name, format="xspace", events=EVENTS, tracks=40, seed=seed).path
        for name, seed in (("1.pb", 1), ("2.pb.gz", 2))  # one that has to be inflated leaves nothing of that, either
    ]
    builds.run(traces[0])
    served = traces[0].name
    duration_s = builds.run(traces[0], force=True)["seconds"]
    moments = random.Random(3)
    kills = 0
    for _ in range(3 * KILLS):
        if kills == KILLS:
            break
        trace = traces[0] if served == traces[1].name else traces[1]
        answer = builds.run(trace, after_s=moments.uniform(0, duration_s))
        if answer["signal"] == 0:  # faster than the last one
            duration_s = answer["seconds"]
            served = trace.name
            continue
        kills += 1
        now_served = builds.served()
        assert now_served in (served, trace.name)  # it may have died just after it had published
        served = now_served
        if EVERY_CHECK or kills % 3 == 0:
            was_published = served == trace.name
            answer = builds.run(trace)
            assert answer["signal"] == 0
            duration_s = duration_s if was_published else answer["seconds"]
            served = builds.served()
            assert served == trace.name
            builds.check_nothing_is_left()
        if kills % 10 == 0:
            verify_store(builds.store)
    print(f"{kills} builds killed, each of {duration_s:.2f} s")
    assert kills == KILLS, "most builds ended before they were killed"


# On every run the moments around the one that counts, and every third of the others.
QUICK = {*BEFORE_IT_COUNTS[-1::-3], *FROM_THEN_ON[::3]}
FAULTS = [
    pytest.param(fault, id="-".join(map(str, fault)), marks=() if fault in QUICK else pytest.mark.deep)
    for fault in BEFORE_IT_COUNTS + FROM_THEN_ON
]


@pytest.mark.parametrize("fault", FAULTS)
def test_killed_while_publishing(builds: Builds, fault: Fault) -> None:
    old = write_synthetic_trace(builds.folder / "old.pb", format="xspace", events=2_000, tracks=4, seed=1).path
    build_store([old], builds.store)
    assert builds.run(DEMO_TRACE, fault=fault)["signal"] == signal.SIGKILL
    assert builds.served() == (old.name if fault in BEFORE_IT_COUNTS else DEMO_TRACE.name)
    verify_store(builds.store)
    assert builds.run(DEMO_TRACE)["signal"] == 0
    assert builds.served() == DEMO_TRACE.name
    builds.check_nothing_is_left()


def test_killed_before_anything_was_published(builds: Builds) -> None:
    for fault in [("after", "mkdir", 2), ("after", "put_many", 1), ("after", "rename", 1), ("before", "replace", 1)]:
        assert builds.run(DEMO_TRACE, fault=fault)["signal"] == signal.SIGKILL
        assert not (builds.store / "CURRENT").exists()
    assert builds.run(DEMO_TRACE)["signal"] == 0
    assert builds.served() == DEMO_TRACE.name
    builds.check_nothing_is_left()
