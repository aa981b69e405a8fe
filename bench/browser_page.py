"""A page in Chromium that watches its own frames: what the benchmarks of the viewer open, wait for and hold keys in."""

from __future__ import annotations

import itertools
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from bench.machine import load_average, machine_lines
from bench.traces import TraceSpec
from tests.browser.chromium import FLAGS, find_chromium
from tilescope.tiler.indexing import build_store

SIZE = {"width": 1600, "height": 900}

# How long a window may take until it is there, and how long Chromium must do next to nothing then.
SETTLING_S, LOOK_S = 5.0, 0.3

# Adds up what the callbacks of each animation frame take, and notes when each of `moments` is true for the first time:
# `performance.now()` counts from the navigation.
WATCH = """moments => {
    const frames = [];
    const times = {};
    window.benchFrames = frames;
    window.benchTimes = times;
    const request = window.requestAnimationFrame.bind(window);
    window.benchWait = isTrue => new Promise(done => {
        const look = () => isTrue() ? done() : request(look);
        look();
    });
    const left = new Map(Object.entries(moments));
    const watch = () => {
        for (const [name, isTrue] of left) {
            if (isTrue()) {
                times[name] = performance.now();
                left.delete(name);
            }
        }
        if (left.size > 0) request(watch);
    };
    request(watch);
    window.requestAnimationFrame = callback => request(now => {
        const begin = performance.now();
        callback(now);
        const spent = performance.now() - begin;
        const last = frames[frames.length - 1];
        if (last !== undefined && last[0] === now) last[1] += spent;
        else frames.push([now, spent]);
    });
}"""

IS_OPEN = "() => window.tilescope?.state === 'open' && tilescope.frames > 0"
IS_SHARP = "() => window.tilescope?.state === 'open' && tilescope.sharp"


def has_pixels(selector: str, is_there: str = "() => true") -> str:
    """Script that is true if a canvas shows anything in colour, by three strips of it from top to bottom: each that is
    read is a part of the frame.
    """
    return f"""() => {{
        if (!({is_there})()) return false;
        for (const canvas of document.querySelectorAll({selector!r})) {{
            const context = canvas.getContext('2d');
            for (const part of context !== null && canvas.height > 0 ? [0.1, 0.4, 0.7] : []) {{
                const pixels = context.getImageData(Math.floor(part * canvas.width), 0, 4, canvas.height).data;
                for (let k = 0; k < pixels.length; k += 4) {{
                    const rgb = [pixels[k], pixels[k + 1], pixels[k + 2]];
                    if (Math.max(...rgb) - Math.min(...rgb) > 30) return true;
                }}
            }}
        }}
        return false;
    }}"""


# `window.tilescope` is loaded late: it is no part of the picture.
OURS = {"pixels": has_pixels(".timeline canvas:first-of-type"), "sharp": IS_SHARP}


@dataclass(frozen=True, slots=True)
class Frames:
    """Frames of one movement: script of each, and time from each to the next, in milliseconds."""

    script: list[float]
    gaps: list[float]

    def __add__(self, other: Frames) -> Frames:
        return Frames(self.script + other.script, self.gaps + other.gaps)


@contextmanager
def opened(browser: Browser, url: str, moments: dict[str, str] | None = None) -> Iterator[Page]:
    """A page of a fresh profile that watches its frames. `moments`: conditions whose times `reached` tells."""
    context = browser.new_context(viewport={"width": SIZE["width"], "height": SIZE["height"]})
    page = context.new_page()
    named = ", ".join(f"{name}: {condition}" for name, condition in (moments or {}).items())
    page.add_init_script(f"({WATCH})({{{named}}})")
    _let_settle(browser)
    page.goto(url, wait_until="commit")
    yield page
    context.close()


def _let_settle(browser: Browser) -> None:
    """Waits until the new window is there: Chromium loads hundreds of files of its own for it, for about a second."""
    session = browser.new_browser_cdp_session()

    def cpu_s() -> float:
        return sum(float(process["cpuTime"]) for process in session.send("SystemInfo.getProcessInfo")["processInfo"])

    until = time.perf_counter() + SETTLING_S
    before = cpu_s()
    while time.perf_counter() < until:
        time.sleep(LOOK_S)
        now = cpu_s()
        if now - before < 0.1 * LOOK_S:
            break
        before = now
    session.detach()


def reached(page: Page, moment: str) -> float:
    """Milliseconds from the navigation until a moment, once it is reached."""
    page.evaluate(f"benchWait(() => benchTimes.{moment} !== undefined)")
    return float(page.evaluate(f"benchTimes.{moment}"))


def wait(page: Page, condition: str) -> float:
    """Milliseconds until a function of the page gives true, called in every frame."""
    begin = time.perf_counter()
    page.evaluate(f"benchWait({condition})")  # the page's policy forbids what wait_for_function does
    return (time.perf_counter() - begin) * 1000


def held(page: Page, key: str, seconds: float) -> Frames:
    """Frames that were drawn while a key was held."""

    def hold() -> None:
        page.keyboard.down(key)
        page.wait_for_timeout(seconds * 1000)
        page.keyboard.up(key)

    return frames_of(page, hold)


def frames_of(page: Page, movement: Callable[[], object]) -> Frames:
    """Frames that were drawn during a movement."""
    page.evaluate("benchFrames.length = 0")
    movement()
    frames: list[list[float]] = page.evaluate("benchFrames.slice(1)")
    gaps = [after[0] - before[0] for before, after in itertools.pairwise(frames)]
    return Frames([spent for _, spent in frames], gaps)


@contextmanager
def measuring(
    name: str, argv: Sequence[str] | None, store: Path | None, events: int
) -> Iterator[tuple[Browser, Path] | None]:
    """A browser, and a store: the one that is given, else one of so many events. None where there is no browser.

    Prints the machine before, and its load afterwards.
    """
    chromium = find_chromium()
    if chromium is None:
        print("error: there is no Chromium on the PATH", file=sys.stderr)
        yield None
        return
    print("\n".join(machine_lines(name, argv)), flush=True)
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as folder, sync_playwright() as playwright:
        if store is None:
            trace = TraceSpec("xspace", events).write(Path(folder))
            store = Path(folder) / "bench.store"
            build_store([trace.path], store)
            trace.remove()
        browser = playwright.chromium.launch(executable_path=chromium, headless=True, args=FLAGS)
        yield browser, store
        browser.close()
    print(f"load      {load_average():.1f} at the end\n")
