"""How long tools about devices take: ten million operations of 40,000 instructions on eight cores."""

from __future__ import annotations

import random
import time
import urllib.request
from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from bench.answer_work import Subject, Timed, Work, row_of
from bench.pod_run import PodShape
from bench.server_process import serving
from bench.table import Row
from tilescope.tiler.tools import tools

SHAPE: Final = PodShape(hosts=2, chips=4, layers=13_300, steps=31)
QUICK_SHAPE: Final = PodShape(layers=40)

_TOOLS: Final = [
    which
    for which in ("overview", "input_pipeline", "op_profile", "hlo_stats", "framework_ops", "roofline")
    if which in tools()
]


def _whole(tool: str) -> Callable[[Subject, int], Iterator[Timed]]:
    def questions(subject: Subject, count: int) -> Iterator[Timed]:
        for _ in range(count):
            yield partial(subject.ask, tool)

    return questions


def _tenths(tool: str) -> Callable[[Subject, int], Iterator[Timed]]:
    def questions(subject: Subject, count: int) -> Iterator[Timed]:
        rng = random.Random(18)
        for _ in range(count):
            start = rng.randrange(subject.reader.end * 9 // 10)
            yield partial(subject.ask, tool, start=start, end=start + subject.reader.end // 10)

    return questions


class AgainWork(Work):
    """The same question once more, over HTTP: the server keeps answers."""

    def measured(self, subject: Subject, quick: bool = False) -> Row:
        """How long all questions but the first took."""
        seconds = []
        with serving(subject.path) as server:
            address = f"{server.url}{server.build_path()}/tools/{self.work.split()[0]}"
            for _ in range(4 if quick else self.count + 1):
                started_s = time.perf_counter()
                with urllib.request.urlopen(address, timeout=600) as answer:
                    answer.read()
                seconds.append(time.perf_counter() - started_s)
        return row_of(self, seconds[1:], [], f"the first {seconds[0] * 1e3:.0f} ms")


ROWS = tuple(
    work
    for tool in _TOOLS
    for work in (
        Work(f"{tool} of 40,000 instructions, whole run", 200, None, _whole(tool), 10),
        Work(f"{tool} of 40,000 instructions, a tenth", 200, None, _tenths(tool), 10),
        AgainWork(f"{tool} of 40,000 instructions, whole run, again", 20, None, _whole(tool), 10),
    )
)
