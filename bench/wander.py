"""Measures the memory of the page while somebody wanders through a long run: zooms, pans, jumps, scrolls, looks.

python -m bench.wander                     ten minutes in 100 million events
python -m bench.wander --store big.store   in a store that is there
python -m bench.wander --minutes 2         shorter
python -m bench.wander --quick             a small trace and a short way, for the test that keeps this alive
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
from playwright.sync_api import CDPSession, Page

from bench.browser_page import IS_SHARP, measuring, opened, wait
from bench.server_process import serving
from bench.table import Row, Target, measured_row, table_lines

MB = 1e6
SAMPLE_S = 10.0
LONGEST_WAIT_S = 3.0


def _mb(size_bytes: float) -> str:
    return f"{size_bytes / MB:.0f} MB"


MEMORY = Target(350 * MB, None, _mb, at_most=True)
# Flat: what the second half adds. A tenth of the limit is what collections of garbage leave to chance.
GROWTH = Target(35 * MB, None, _mb, at_most=True)


@dataclass(frozen=True, slots=True)
class Sample:
    """The page at one moment, after its garbage has been collected."""

    at_s: float
    heap_bytes: int  # objects of scripts
    buffer_bytes: int  # typed arrays: columns of tiles, pictures
    process_bytes: int  # all that is the renderer's own, code and pictures of the browser included
    said_bytes: int  # what the page itself says that its tiles take

    @property
    def page_bytes(self) -> int:
        return self.heap_bytes + self.buffer_bytes

    def line(self) -> str:
        parts = (("heap", self.heap_bytes), ("buffers", self.buffer_bytes), ("process", self.process_bytes))
        sizes = ", ".join(f"{name} {_mb(size)}" for name, size in (*parts, ("tiles", self.said_bytes)))
        return f"{self.at_s:6.0f} s  page {_mb(self.page_bytes)} ({sizes})"


class Watcher:
    """Reads the memory of a page."""

    def __init__(self, page: Page, browser_pids: frozenset[int]) -> None:
        self._page = page
        self._session: CDPSession = page.context.new_cdp_session(page)
        self._others = browser_pids
        self._begin_s = time.monotonic()

    def sample(self) -> Sample:
        """Now, without garbage."""
        self._session.send("HeapProfiler.collectGarbage")
        heap = self._session.send("Runtime.getHeapUsage")
        return Sample(
            at_s=time.monotonic() - self._begin_s,
            heap_bytes=int(heap["usedSize"]) + int(heap.get("embedderHeapUsedSize", 0)),
            buffer_bytes=int(heap.get("backingStorageSize", 0)),
            process_bytes=self._renderer_bytes(),
            said_bytes=int(self._page.evaluate("tilescope.memory?.tiles ?? 0")),
        )

    def _renderer_bytes(self) -> int:
        """Memory of the page's own process: the largest of those that have begun since."""
        sizes = [0]
        for process in renderers():
            with suppress(psutil.Error):
                if process.pid not in self._others:
                    sizes.append(_private_bytes(process))
        return max(sizes)


def renderers() -> list[psutil.Process]:
    """Processes of pages of the browsers that this process has started."""
    steps = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.Error):
            if "--type=renderer" in process.cmdline():
                steps.append(process)
    return steps


def _private_bytes(process: psutil.Process) -> int:
    memory = process.memory_info()
    return int(memory.rss - memory.shared)


class Wanderer:
    """Somebody who looks around without a plan, the same way each time."""

    def __init__(self, page: Page, seed: int = 5) -> None:
        self._page = page
        self._random = random.Random(seed)
        box = page.locator(".timeline").bounding_box()
        strip = page.locator(".minimap").bounding_box()
        assert box is not None
        assert strip is not None
        self._box, self._strip = box, strip

    def step(self) -> None:
        """One thing that people do."""
        chance = self._random.random()
        if chance < 0.35:
            self._hold(self._random.choice(("w", "Shift+w", "w", "s", "Shift+s")), self._random.uniform(0.3, 1.2))
        elif chance < 0.55:
            self._hold(self._random.choice(("a", "d", "Shift+a", "Shift+d")), self._random.uniform(0.2, 0.8))
        elif chance < 0.70:
            x = self._strip["x"] + self._strip["width"] * self._random.uniform(0.03, 0.97)
            self._page.mouse.click(x, self._strip["y"] + self._strip["height"] / 2)
        elif chance < 0.85:
            self._over()
            self._page.mouse.wheel(0, self._random.choice((-1, 1)) * self._random.uniform(200, 1500))
        elif chance < 0.95:
            self._over()
            self._page.mouse.click(*self._place())
        else:
            self._page.keyboard.press("0")
        self._until_sharp()

    def _place(self) -> tuple[float, float]:
        x = self._box["x"] + self._box["width"] * self._random.uniform(0.05, 0.95)
        return x, self._box["y"] + self._box["height"] * self._random.uniform(0.05, 0.5)

    def _over(self) -> None:
        self._page.mouse.move(*self._place())

    def _hold(self, keys: str, seconds: float) -> None:
        self._over()
        modifier, _, key = keys.rpartition("+")
        if modifier:
            self._page.keyboard.down(modifier)
        self._page.keyboard.down(key)
        self._page.wait_for_timeout(seconds * 1000)
        self._page.keyboard.up(key)
        if modifier:
            self._page.keyboard.up(modifier)

    def _until_sharp(self) -> None:
        """For a while: people do not always wait."""
        end = time.monotonic() + self._random.choice((0.1, LONGEST_WAIT_S))
        while time.monotonic() < end and not self._page.evaluate(f"({IS_SHARP})()"):
            self._page.wait_for_timeout(50)


def wander(page: Page, watcher: Watcher, seconds: float) -> list[Sample]:
    """The memory every ten seconds, printed as it goes."""
    wait(page, IS_SHARP)
    page.get_by_role("button", name="Expand all groups").click()
    wait(page, IS_SHARP)
    wanderer = Wanderer(page)
    samples = [watcher.sample()]
    steps = 0
    begin_s = time.monotonic()
    while time.monotonic() - begin_s < seconds:
        wanderer.step()
        steps += 1
        if time.monotonic() - begin_s >= len(samples) * SAMPLE_S:
            samples.append(watcher.sample())
            print(f"{samples[-1].line()}, {steps} steps", flush=True)
    samples.append(watcher.sample())
    return samples


def rows_of(samples: Sequence[Sample]) -> list[Row]:
    """The most that it was, and what the second half added to the first."""
    most = max(samples, key=lambda sample: sample.page_bytes)
    half = len(samples) // 2
    growth = max(s.page_bytes for s in samples[half:]) - max(s.page_bytes for s in samples[: half + 1])
    detail = f"of the process {_mb(max(s.process_bytes for s in samples))}"
    return [
        measured_row("memory of the page, most", MEMORY, most.page_bytes, detail),
        measured_row("what the second half adds", GROWTH, max(0, growth)),
    ]


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.wander", description=__doc__, allow_abbrev=False)
    parser.add_argument("--store", type=Path, help="a store to serve; default: one of 100 million synthetic events")
    parser.add_argument("--minutes", type=float, default=10.0, help="default: 10")
    parser.add_argument("--quick", action="store_true", help="small and short")
    args = parser.parse_args(argv)
    if args.quick:
        args.minutes = 0.05
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the machine, the memory as it goes, and the table."""
    args = _arguments(argv)
    with measuring("bench.wander", argv, args.store, 20_000 if args.quick else 100_000_000) as measurement:
        if measurement is None:
            return 1
        browser, store = measurement
        before = frozenset(process.pid for process in renderers())
        with serving(store) as server, opened(browser, server.url) as page:
            samples = wander(page, Watcher(page, before), args.minutes * 60)
    print("\n".join(table_lines(rows_of(samples))))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
