"""Times of tools about devices: ten million operations of 40,000 instructions on eight cores."""

from __future__ import annotations

import random
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

import tilescope.server.services.preload  # noqa: F401  as in the processes that a server asks
from bench.answer_work import Subject, Timed, Work, row_of
from bench.pod_run import PodShape
from bench.server_process import serving
from bench.table import Row, Target, measured_row
from tilescope.tiler.tools import tools

SHAPE: Final = PodShape(hosts=2, chips=4, layers=13_300, steps=31)
QUICK_SHAPE: Final = PodShape(layers=40)

_TOOLS: Final = [
    which
    for which in ("overview", "input_pipeline", "op_profile", "hlo_stats", "framework_ops", "roofline", "pod")
    if which in tools()
]

_WITH_FINDINGS: Final = frozenset({"overview", "input_pipeline", "pod"})


def whole(tool: str) -> Callable[[Subject, int], Iterator[Timed]]:
    """Questions about the whole run."""

    def questions(subject: Subject, count: int) -> Iterator[Timed]:
        for _ in range(count):
            yield partial(subject.ask, tool)

    return questions


def tenths(tool: str) -> Callable[[Subject, int], Iterator[Timed]]:
    """Questions about a tenth of it, anywhere."""

    def questions(subject: Subject, count: int) -> Iterator[Timed]:
        rng = random.Random(18)
        for _ in range(count):
            start = rng.randrange(subject.reader.end * 9 // 10)
            yield partial(subject.ask, tool, start=start, end=start + subject.reader.end // 10)

    return questions


class AgainWork(Work):
    """The same question once more, over HTTP: the server keeps answers."""

    def measured(self, subject: Subject, quick: bool = False) -> Row:
        """A row of the times of all questions but the first."""
        seconds = []
        with serving(subject.path) as server:
            address = f"{server.url}{server.build_path()}/tools/{self.work.split()[0]}"
            for _ in range(4 if quick else self.count + 1):
                started_s = time.perf_counter()
                with urllib.request.urlopen(address, timeout=600) as answer:
                    answer.read()
                seconds.append(time.perf_counter() - started_s)
        return row_of(self, seconds[1:], [], f"the first {seconds[0] * 1e3:.0f} ms")


class FirstWork(Work):
    """The first question to a store that was just opened: nothing that others read is kept."""

    def measured(self, subject: Subject, quick: bool = False) -> Row:
        """A row of the times, each for a reader of its own."""
        seconds, processor_s = [], []
        for _ in range(2 if quick else self.count):
            alone = Subject(subject.path, subject.store)
            started_s, begun_s = time.perf_counter(), time.process_time()
            alone.ask(self.work.split()[0])
            seconds.append(time.perf_counter() - started_s)
            processor_s.append(time.process_time() - begun_s)
        return row_of(self, seconds, processor_s, f"the first {seconds[0] * 1e3:.0f} ms")


class GrowthWork(Work):
    """Bytes that tools about devices add to a store: records of operations, their kinds and their sums."""

    def measured(self, subject: Subject, quick: bool = False) -> Row:
        """Their part of all bytes that are stored."""
        sizes: Counter[bytes] = Counter()
        for key, value in subject.store.records():
            sizes[key[:1]] += len(key) + len(value)
        whole = sum(sizes.values())
        parts = ", ".join(f"{name} {sizes[kind] / whole:.1%}" for kind, name in _KEPT.items())
        share = sum(sizes[kind] for kind in _KEPT) / whole
        target = Target(self.must_ms / 100, None, lambda part: f"{part:.1%}", at_most=True)
        return measured_row(self.work, target, share, f"{parts} of {whole / 1e6:.0f} MB")


_KEPT: Final = {b"X": "operations", b"K": "their kinds", b"Y": "their sums", b"Z": "those of steps"}


def tool_works(tool: str, run: str) -> tuple[Work, ...]:
    """Rows of a tool about a run."""
    # What costs the time is found out from all devices and hosts: the pages that begin with it have longer for it, and
    # limits of half of their answers.
    first_ms, tenth_ms, part = (500, 250, 0.5) if tool in _WITH_FINDINGS else (200, 200, 0.99)
    return (
        FirstWork(f"{tool} of {run}, whole run, first", first_ms, None, whole(tool), 5, part),
        Work(f"{tool} of {run}, whole run", 200, None, whole(tool), 10),
        Work(f"{tool} of {run}, a tenth", tenth_ms, None, tenths(tool), 10, part),
        AgainWork(f"{tool} of {run}, whole run, again", 20, None, whole(tool), 10),
    )


_OF_TOOLS: Final = [work for tool in _TOOLS for work in tool_works(tool, "40,000 instructions")]
ROWS = (*_OF_TOOLS, GrowthWork("records for tools about devices, part of the store", 25, None, whole("hlo_stats")))
