"""Pods: the traces of several small hosts, and executors on which they are indexed."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from tilescope.tiler.synth import write_synthetic_trace


def write_pod(folder: Path, hosts: int, events: int = 2000, tracks: int = 40) -> list[Path]:
    """XSpaces of so many hosts, each with so many events."""
    folder.mkdir(exist_ok=True)
    files = [folder / f"host{host}.xplane.pb" for host in range(hosts)]
    for host, file in enumerate(files):
        write_synthetic_trace(file, format="xspace", events=events, tracks=tracks, seed=host)
    return files


@contextmanager
def threads() -> Iterator[Executor]:
    """An executor of this process."""
    with ThreadPoolExecutor(2, "shards") as executor:
        yield executor
