"""Bringing a file to the disk while it is written."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from tilescope.tiler.store.flusher import Flusher


def test_one_thread_at_a_time_brings_a_file_to_the_disk_and_closing_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "data.mdb"
    path.write_bytes(b"written")
    begun, may_end = threading.Event(), threading.Event()
    flushed: list[bytes] = []

    def fsync(descriptor: int) -> None:
        begun.set()
        assert may_end.wait(10)
        flushed.append(os.pread(descriptor, 100, 0))

    monkeypatch.setattr(os, "fsync", fsync)
    flusher = Flusher(path)
    flusher.begin()
    assert begun.wait(10)
    flusher.begin()  # it is being done
    may_end.set()
    flusher.close()
    assert flushed == [b"written"]
    flusher.begin()
    flusher.close()
    assert flushed == [b"written"] * 2


def test_what_cannot_be_brought_to_the_disk_is_left_to_publishing(tmp_path: Path) -> None:
    flusher = Flusher(tmp_path / "absent")
    flusher.begin()
    flusher.close()
    flusher.close()


def test_without_a_thread_publishing_does_all_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    flusher = Flusher(tmp_path / "data.mdb")
    flusher.begin()
    flusher.close()
