"""The heat map of a pod in a browser: its first answer, and what a frame costs while one zooms.

A few hosts of a synthetic pod are indexed, and their stores linked under as many names as the run is to have hosts:

    python -m bench.heat_map                     352 hosts with 5,632 devices: 41,536 tracks
    python -m bench.heat_map --store pod.run     a run that is there
    python -m bench.heat_map --quick             a small one and short ways, for the test that keeps this alive
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser

from bench.browser_page import IS_OPEN, Frames, frames_of, measuring, opened, reached, wait
from bench.mounted_run import linked_run
from bench.pod_run import PodShape, write_pod
from bench.server_process import ServerProcess, serving
from bench.table import Row, Target, compared_row, measured_row, table_lines
from bench.viewports import percentile

_POD: Final = PodShape(hosts=16, chips=16, steps=32)
_HOSTS: Final = 352

FRAME: Final = Target(16.7, 8, lambda ms: f"{ms:.1f} ms", at_most=True)
ANSWER: Final = Target(2, None, lambda seconds: f"{seconds:.1f} s", at_most=True)
SIZE: Final = Target(1.2, None, lambda megabytes: f"{megabytes:.2f} MB", at_most=True)

# What the page asks for at first.
QUESTION: Final = "level=host&rows=2048&columns=1024"

IS_DRAWN: Final = "() => document.querySelector('.answer-slot:not([inert]) .heat-map canvas')?.width > 300"

# Turns the wheel in each frame for some milliseconds, at a part of the map's width and height.
ZOOM: Final = """([part, height, delta, milliseconds]) => new Promise(done => {
    const map = document.querySelector('.heat-map canvas');
    const box = map.getBoundingClientRect();
    const clientX = box.x + 168 + (box.width - 168) * part, clientY = box.y + 22 + (box.height - 22) * height;
    const until = performance.now() + milliseconds;
    const turn = () => {
        map.dispatchEvent(new WheelEvent('wheel', {
            deltaY: delta, ctrlKey: true, clientX, clientY, bubbles: true, cancelable: true,
        }));
        performance.now() < until ? requestAnimationFrame(turn) : done();
    };
    requestAnimationFrame(turn);
})"""


def write_run(folder: Path, hosts: int) -> Path:
    """A run of so many hosts, those of one pod again and again."""
    made = write_pod(folder / "pod", _POD)
    return linked_run(folder / "pod.run", made.files[:hosts], hosts)


def answer_rows(server: ServerProcess) -> Iterator[Row]:
    """The first answer: processor time, and bytes."""
    url = f"{server.url}{server.build_path()}/tools/heat_map?{QUESTION}"
    wall, cpu = time.perf_counter(), _cpu_seconds(server)
    request = urllib.request.Request(url, headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request, timeout=120) as response:
        sent = response.read()
    wall, cpu = time.perf_counter() - wall, _cpu_seconds(server) - cpu
    answer = gzip.decompress(sent)
    table = json.loads(answer)["tables"][0]["columns"]
    rows = f"{len(table[0]['values']):,} rows, {wall:.1f} s until it is there"
    yield measured_row("first answer, processor time", ANSWER, cpu, rows)
    yield measured_row("its bytes", SIZE, len(answer) / 1e6, f"{len(sent) / 1e3:.0f} kB as sent")


def _cpu_seconds(server: ServerProcess) -> float:
    """Processor time of the server, and of the processes in which it answers questions."""
    times = [process.cpu_times() for process in (server.process, *server.process.children(recursive=True))]
    return float(sum(each.user + each.system for each in times))


def frame_rows(browser: Browser, server: ServerProcess, args: argparse.Namespace) -> Iterator[Row]:
    """Frames while one zooms in at places all over the map and out again; finer answers come in between."""
    with opened(browser, server.url) as page:
        wait(page, IS_OPEN)
        run = page.evaluate("encodeURIComponent(tilescope.run)")
    link = f"{server.url}?run={run}#v=1&tool=heat_map"
    spots, frames = random.Random(3), Frames([], [])
    with opened(browser, link, {"drawn": IS_DRAWN}) as page:
        first = reached(page, "drawn")
        for _ in range(args.rounds):
            spot = [spots.uniform(0.05, 0.95), spots.uniform(0.05, 0.95)]
            for delta in (-20, 20):
                frames += frames_of(page, partial(page.evaluate, ZOOM, [*spot, delta, 1000 * args.seconds]))
                page.wait_for_timeout(500)  # a view that rests asks for more
    yield compared_row("navigation to the map, by then its answer is kept", f"{first:.0f} ms")
    middle, longest = percentile(frames.script, 0.5), max(frames.script)
    detail = f"p50 {middle:.1f} ms, max {longest:.1f} ms, {len(frames.script):,} frames"
    yield measured_row("script per frame, zooming, p95", FRAME, percentile(frames.script, 0.95), detail)
    yield compared_row("frame gaps, zooming, p95", f"{percentile(frames.gaps, 0.95):.1f} ms")


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the machine and the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.heat_map", description=__doc__, allow_abbrev=False)
    parser.add_argument("--store", type=Path, help="a run to serve; default: a synthetic pod")
    parser.add_argument("--hosts", type=int, default=_HOSTS, help=f"of the synthetic pod; default: {_HOSTS}")
    parser.add_argument("--rounds", type=int, default=6, help="ways in and out; default: 6")
    parser.add_argument("--seconds", type=float, default=2.5, help="of each way; default: 2.5")
    parser.add_argument("--quick", action="store_true", help="small and short")
    args = parser.parse_args(argv)
    if args.quick:
        args.hosts, args.rounds, args.seconds = 3, 1, 0.3
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as folder:
        store = args.store or write_run(Path(folder), args.hosts)
        with measuring("bench.heat_map", argv, store, 0) as measurement:
            if measurement is None:
                return 1
            browser, _ = measurement
            with serving(store) as server:
                rows = [*answer_rows(server), *frame_rows(browser, server, args)]
    print("\n".join(table_lines(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
