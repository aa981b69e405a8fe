"""`tilescope.index`: from a trace to a store, watched, stopped."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

import tilescope
from tests.demo import DEMO_TRACE
from tilescope import Cancelled, Progress, UnknownFormat, UsageError


def test_a_trace_becomes_a_store(tmp_path: Path) -> None:
    news: list[Progress] = []
    store = tilescope.index(DEMO_TRACE, tmp_path / "a.store", progress=news.append)
    with tilescope.connect(store) as client:
        run = client.run()
        assert news[-1] == Progress("ready", "ready", 1.0, build=run.build)
    assert {progress.state for progress in news[:-1]} == {"indexing"}
    assert {"read", "build", "publish"} <= {progress.phase for progress in news}
    fractions = [progress.fraction for progress in news]
    assert fractions == sorted(fractions)

    again: list[Progress] = []
    tilescope.index(str(DEMO_TRACE), str(store), progress=again.append)
    assert [progress.phase for progress in again] == ["start", "ready"]  # it is up to date
    assert again[-1].build == news[-1].build
    tilescope.index(DEMO_TRACE, store, progress=again.append, force=True)
    assert again[-1].build != news[-1].build


def test_files_of_one_run(tmp_path: Path) -> None:
    files = [shutil.copy(DEMO_TRACE, tmp_path / f"host{k}.xplane.pb") for k in range(2)]
    with tilescope.connect(tilescope.index(files, tmp_path / "b.store")) as client:
        assert client.run().manifest["files"] == ["host0.xplane.pb", "host1.xplane.pb"]


def test_it_can_be_stopped(tmp_path: Path) -> None:
    cancel = threading.Event()
    store = tmp_path / "c.store"

    def stop(progress: Progress) -> None:
        if progress.phase == "build":
            cancel.set()

    with pytest.raises(Cancelled):
        tilescope.index(DEMO_TRACE, store, progress=stop, cancel=cancel)
    assert not store.exists() or [path.name for path in store.iterdir()] == ["LOCK"]
    with pytest.raises(Cancelled):
        tilescope.index(DEMO_TRACE, store, cancel=cancel)


def test_what_the_callback_raises_comes_up(tmp_path: Path) -> None:
    def fail(progress: Progress) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tilescope.index(DEMO_TRACE, tmp_path / "d.store", progress=fail)


def test_what_is_no_trace(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no trace here"):
        tilescope.index(tmp_path, tmp_path / "e.store")
    (tmp_path / "a.txt").write_text("nothing")
    with pytest.raises(UnknownFormat):
        tilescope.index([tmp_path / "a.txt"], tmp_path / "e.store")
