"""Times of questions about memory in any range, of a run of a million allocations and frees.

The trace that other rows are about has none: this one is written for them. The first question reads all of it; others
are answered from what it kept.
"""

from __future__ import annotations

import atexit
import itertools
import random
import shutil
import tempfile
from collections.abc import Iterator
from functools import cache, partial
from pathlib import Path
from typing import Final

from bench.answer_work import Subject, Timed, Work
from bench.pod_run.wire import message, number, stat, text
from bench.viewports import WIDTH_PX, random_viewports
from tilescope.tiler.indexing import build_store
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import values_of

EVENTS: Final = 1_000_000
_QUICK_EVENTS: Final = 4_000
_DEVICES: Final = 4
_CAPACITY: Final = 32 << 30
_STATS: Final = (
    "index_on_host",
    "bytes_reserved",
    "bytes_allocated",
    "bytes_available",
    "addr",
    "allocation_bytes",
    "tf_op",
)
_KINDS: Final = ("MemoryAllocation", "MemoryDeallocation")


def write_allocations(path: Path, events: int) -> Path:
    """Writes an XSpace of a host with so many allocations and frees, on a thread for each device."""
    rng = random.Random(11)
    lines = [_line(rng, device, events // _DEVICES) for device in range(_DEVICES)]
    names = [
        message(field, number(1, key), message(2, number(1, key), text(2, name)))
        for field, labels in ((4, _KINDS), (5, _STATS))
        for key, name in enumerate(labels, 1)
    ]
    path.write_bytes(message(1, text(2, "/host:CPU"), *lines, *names))
    return path


def _line(rng: random.Random, device: int, events: int) -> bytes:
    held: list[tuple[int, int]] = []
    heap = time = 0
    parts = []
    for _ in range(events):
        time += rng.randrange(1_000, 200_000)
        is_free = bool(held) and (len(held) > 2000 or rng.random() < 0.5)
        made = rng.randrange(1 << 35), rng.randrange(4096) * 512
        address, size = held.pop(rng.randrange(len(held))) if is_free else made
        heap += -size if is_free else size
        fields = [(1, device), (2, 0), (3, heap), (4, _CAPACITY - heap), (5, address)]
        stats = [stat(4, key, value) for key, value in fields]
        if not is_free:
            held.append((address, size))
            stats += [stat(4, 6, size), stat(4, 7, f"jit(step)/layer{rng.randrange(96)}/op{rng.randrange(4)}")]
        parts.append(message(4, number(1, 2 if is_free else 1), number(2, time * 1000), *stats))
    return message(3, number(1, device + 1), text(2, f"thread {device}"), *parts)


@cache
def _subject(events: int) -> Subject:
    folder = Path(tempfile.mkdtemp(prefix="tilescope-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # the questions are asked later
    trace = write_allocations(folder / "host.xplane.pb", events)
    path = folder / "memory.store"
    build_store([trace], path)
    trace.unlink()
    return Subject(path, open_run_store(path))


def _events(count: int) -> int:
    return _QUICK_EVENTS if count <= 3 else EVENTS


def _lists(_: Subject, count: int) -> Iterator[Timed]:
    """The first list of lanes of a store that was just opened: nothing of it is kept."""
    subject = _subject(_events(count))
    for _number in range(count):
        yield partial(Subject(subject.path, subject.store).ask, "lanes")


def _ranges(_: Subject, count: int) -> Iterator[Timed]:
    """Anywhere in that run, and of any device."""
    subject = _subject(_events(count))
    subject.ask("memory_profile", start=0, end=1)
    for place, viewport in enumerate(itertools.islice(random_viewports(subject.reader, seed=12), count)):
        yield partial(
            subject.ask, "memory_profile", start=viewport.start, end=viewport.end, memory=str(place % _DEVICES)
        )


def _views(_: Subject, count: int) -> Iterator[Timed]:
    """The lane of a memory, anywhere."""
    subject = _subject(_events(count))
    lane = next(iter(values_of(subject.ask("lanes").table("lanes").column("lane"))))
    subject.ask("lane_bins", lane=lane)
    for viewport in itertools.islice(random_viewports(subject.reader, seed=13), count):
        yield partial(subject.ask, "lane_bins", lane=lane, start=viewport.start, end=viewport.end, bins=WIDTH_PX)


ROWS = (
    Work("lanes of 1 million allocations, first", 500, None, _lists, 5),
    Work("memory of a device, any range of 1 million allocations", 200, 50, _ranges),
    Work("a memory's lane in any view of 1 million allocations", 50, None, _views),
)
