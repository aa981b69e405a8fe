"""Measures the viewer in a browser: what a frame costs while one zooms, how even frames are, how soon a view is sharp.

python -m bench.viewer                     10 million events
python -m bench.viewer --store big.store   a store that is there
python -m bench.viewer --python OTHER      served by another installation, to compare with
python -m bench.viewer --quick             a small trace and short ways, for the test that keeps this alive
"""

from __future__ import annotations

import argparse
import itertools
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, sync_playwright

from bench.machine import load_average, machine_lines
from bench.server_process import serving
from bench.slow_link import HOST, slow_link
from bench.table import Row, Target, measured_row, table_lines
from bench.traces import TraceSpec
from bench.viewports import percentile
from tests.browser.chromium import FLAGS, find_chromium
from tilescope.tiler.indexing import build_store

SIZE = {"width": 1600, "height": 900}
ROUND_TRIP_S, BITS_PER_S = 0.050, 10e6


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:.1f} ms"


SCRIPT = Target(8, 6, _ms, at_most=True)
GAP = Target(20, None, _ms, at_most=True)
LONGEST_GAP = Target(37, None, _ms, at_most=True)
FIRST_PIXELS = Target(350, None, _ms, at_most=True)
SHARP = Target(800, None, _ms, at_most=True)
JUMP = Target(250, None, _ms, at_most=True)
SLOW_JUMP = Target(800, 600, _ms, at_most=True)

# Adds up what the callbacks of each animation frame take. The page has one frame loop.
WATCH = """() => {
    const frames = [];
    window.benchFrames = frames;
    const request = window.requestAnimationFrame.bind(window);
    window.benchWait = isTrue => new Promise(done => {
        const look = () => isTrue() ? done() : request(look);
        look();
    });
    window.requestAnimationFrame = callback => request(now => {
        const begin = performance.now();
        callback(now);
        const spent = performance.now() - begin;
        const last = frames[frames.length - 1];
        if (last !== undefined && last[0] === now) last[1] += spent;
        else frames.push([now, spent]);
    });
}"""

IS_SHARP = "() => window.tilescope?.state === 'open' && tilescope.sharp"
HAS_PIXELS = """() => {
    const canvas = document.querySelector('.timeline canvas');
    if (canvas === null || window.tilescope?.state !== 'open' || tilescope.frames === 0) return false;
    const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
    for (let k = 0; k < pixels.length; k += 4) {
        if (Math.max(pixels[k], pixels[k + 1], pixels[k + 2]) - Math.min(pixels[k], pixels[k + 1], pixels[k + 2]) > 30)
            return true;
    }
    return false;
}"""


@dataclass(frozen=True, slots=True)
class Frames:
    """Of one movement: script of each frame, and time from each to the next, in milliseconds."""

    script: list[float]
    gaps: list[float]

    def __add__(self, other: Frames) -> Frames:
        return Frames(self.script + other.script, self.gaps + other.gaps)


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[Page]:
    """A page of a fresh profile that watches its frames."""
    context = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"]})
    page = context.new_page()
    page.add_init_script(f"({WATCH})()")
    page.goto(url, wait_until="commit")
    yield page
    context.close()


def wait(page: Page, condition: str) -> float:
    """Milliseconds until a function of the page gives true, called in every frame."""
    begin = time.perf_counter()
    page.evaluate(f"benchWait({condition})")  # the page's policy forbids what wait_for_function does
    return (time.perf_counter() - begin) * 1000


def held(page: Page, key: str, seconds: float) -> Frames:
    """What the frames were like while a key was held."""
    page.evaluate("benchFrames.length = 0")
    page.keyboard.down(key)
    page.wait_for_timeout(seconds * 1000)
    page.keyboard.up(key)
    found: list[list[float]] = page.evaluate("benchFrames.slice(1)")
    gaps = [after[0] - before[0] for before, after in itertools.pairwise(found)]
    return Frames([spent for _, spent in found], gaps)


def zoom(browser: Browser, url: str, rounds: int, seconds: float) -> tuple[Frames, Frames]:
    """All levels in and out again, at places all over the run: frames while W is held, and while W or S is."""
    spots = random.Random(7)
    inwards, all_frames = Frames([], []), Frames([], [])
    with opened(browser, url) as page:
        wait(page, IS_SHARP)
        page.get_by_role("button", name="Expand all groups").click()
        wait(page, IS_SHARP)
        box = page.locator(".timeline").bounding_box()
        assert box is not None
        for _ in range(rounds):
            page.mouse.move(box["x"] + box["width"] * spots.uniform(0.1, 0.9), box["y"] + box["height"] / 2)
            inner = held(page, "w", seconds)
            inwards += inner
            all_frames += inner + held(page, "s", seconds)
    return inwards, all_frames


def opening(browser: Browser, url: str, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds from navigation to first pixels, and to a sharp view."""
    first, sharp = [], []
    for _ in range(rounds):
        begin = time.perf_counter()
        with opened(browser, url) as page:
            wait(page, HAS_PIXELS)
            first.append((time.perf_counter() - begin) * 1000)
            wait(page, IS_SHARP)
            sharp.append((time.perf_counter() - begin) * 1000)
    return first, sharp


def jumps(browser: Browser, url: str, count: int) -> list[float]:
    """Milliseconds from a press in the minimap to a sharp view, zoomed in."""
    spots = random.Random(11)
    times = []
    with opened(browser, url) as page:
        wait(page, IS_SHARP)
        box, strip = page.locator(".timeline").bounding_box(), page.locator(".minimap").bounding_box()
        assert box is not None
        assert strip is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        held(page, "w", 1.2)
        wait(page, IS_SHARP)
        for _ in range(count):
            page.mouse.click(strip["x"] + strip["width"] * spots.uniform(0.05, 0.95), strip["y"] + strip["height"] / 2)
            times.append(wait(page, IS_SHARP))
    return times


def measure_all(browser: Browser, url: str, args: argparse.Namespace) -> Iterator[Row]:
    """All rows, in the order of the table."""
    inwards, both = zoom(browser, url, args.rounds, args.seconds)
    detail = f"p50 {_ms(percentile(both.script, 0.5))}, max {_ms(max(both.script))}, {len(both.script):,} frames"
    yield measured_row("script per frame, zooming, p95", SCRIPT, percentile(both.script, 0.95), detail)
    yield measured_row("frame gaps while W is held, p95", GAP, percentile(inwards.gaps, 0.95))
    yield measured_row("frame gaps while W is held, max", LONGEST_GAP, max(inwards.gaps))
    if args.frames_only:
        return
    first, sharp = opening(browser, url, args.rounds)
    yield measured_row("navigation to first pixels, median", FIRST_PIXELS, percentile(first, 0.5))
    yield measured_row("navigation to a sharp view, median", SHARP, percentile(sharp, 0.5))
    near = jumps(browser, url, 10 * args.rounds)
    yield measured_row("jump to a sharp view, loopback, p95", JUMP, percentile(near, 0.95))
    with slow_link(urlsplit(url).port or 80, ROUND_TRIP_S, BITS_PER_S) as port:
        far = jumps(browser, f"http://{HOST}:{port}/", 10 * args.rounds)
    yield measured_row("jump to a sharp view, 50 ms and 10 Mbit/s, p95", SLOW_JUMP, percentile(far, 0.95))


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.viewer", description=__doc__, allow_abbrev=False)
    parser.add_argument("--store", type=Path, help="a store to serve; default: one of 10 million synthetic events")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="whose tilescope serves")
    parser.add_argument("--rounds", type=int, default=4, help="ways in and out; default: 4")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each way; default: 4")
    parser.add_argument("--frames-only", action="store_true", help="only what a frame costs")
    parser.add_argument("--quick", action="store_true", help="small and short")
    args = parser.parse_args(argv)
    if args.quick:
        args.rounds, args.seconds = 1, 0.5
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the machine and the table."""
    args = _arguments(argv)
    chromium = find_chromium()
    if chromium is None:
        print("error: there is no Chromium on the PATH", file=sys.stderr)
        return 1
    print("\n".join(machine_lines("bench.viewer", argv)), flush=True)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as folder, sync_playwright() as playwright:
        store = args.store
        if store is None:
            trace = TraceSpec("xspace", 20_000 if args.quick else 10_000_000).write(Path(folder))
            store = Path(folder) / "bench.store"
            build_store([trace.path], store)
        browser = playwright.chromium.launch(executable_path=chromium, headless=True, args=FLAGS)
        with serving(store, python=args.python) as server:
            rows = list(measure_all(browser, server.url, args))
        browser.close()
    print(f"load      {load_average():.1f} at the end\n")
    print("\n".join(table_lines(rows)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
