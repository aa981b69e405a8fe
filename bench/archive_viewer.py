"""First screen of an archive that nginx serves: time, requests and bytes beside the viewer's own files.

python -m bench.archive_viewer                     5 million events
python -m bench.archive_viewer --store big.store   a store that is there

The slow network is a proxy on this machine (`slow_link.py`) that adds 100 ms to each round trip. Requests and bytes are
those of the archive up to the moment at which all that is visible has the detail that it is shown with.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from bench.browser_page import OURS, measuring, opened, reached
from bench.slow_link import HOST, slow_link
from bench.table import Row, Target, measured_row, skipped_row, table_lines
from tests.absence import find_program
from tests.server.nginx import static_nginx
from tilescope.tiler.size_text import size_text

EVENTS: Final = 5_000_000
ROUND_TRIP_S: Final = 0.1
LINK_BITS_PER_S: Final = 1e9  # the delay is what is added

_ARCHIVE_ANSWERS: Final = """() => performance.getEntriesByType('resource')
    .filter(entry => entry.name.endsWith('.tsarc'))
    .map(entry => [entry.responseEnd, entry.encodedBodySize])"""


def _ms(milliseconds: float) -> str:
    return f"{milliseconds:,.0f} ms"


def _count(number: float) -> str:
    return f"{number:,.0f}"


def _size(size_bytes: float) -> str:
    return size_text(int(size_bytes))


_REQUESTS: Final = Target(10, 6, _count, at_most=True)
_BYTES: Final = Target(1e6, 0.6e6, _size, at_most=True)
_PIXELS: Final = Target(500, 350, _ms, at_most=True)
_SLOW_PIXELS: Final = Target(1000, 800, _ms, at_most=True)


@dataclass(frozen=True, slots=True)
class Screen:
    """Cost of a first screen. Times: milliseconds since the navigation; requests and bytes: until it was sharp."""

    pixels: float
    sharp: float
    requests: int
    size_bytes: int


def first_screen(browser: Browser, url: str) -> Screen:
    """Opens a page of a fresh profile."""
    with opened(browser, url, OURS) as page:
        pixels, sharp = reached(page, "pixels"), reached(page, "sharp")
        answers: list[list[float]] = page.evaluate(_ARCHIVE_ANSWERS)
        sizes = [size for end, size in answers if end <= sharp]
        return Screen(pixels, sharp, len(sizes), int(sum(sizes)))


def _rows(browser: Browser, url: str, rounds: int) -> Iterator[Row]:
    near = [first_screen(browser, url) for _ in range(rounds)]
    with slow_link(urlsplit(url).port or 80, ROUND_TRIP_S, LINK_BITS_PER_S) as port:
        far = [first_screen(browser, f"http://{HOST}:{port}/") for _ in range(rounds)]
    # What is fetched ahead behind the sharp screen has not come yet where it takes 100 ms.
    yield measured_row("sharp first screen: requests, most", _REQUESTS, max(screen.requests for screen in far))
    yield measured_row("sharp first screen: bytes, most", _BYTES, max(screen.size_bytes for screen in far))
    for what, target, screens in (("", _PIXELS, near), (", 100 ms added", _SLOW_PIXELS, far)):
        sharp = f"sharp after {_ms(median(screen.sharp for screen in screens))}"
        yield measured_row(
            f"navigation to first pixels{what}, median", target, median(screen.pixels for screen in screens), sharp
        )


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the machine and the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.archive_viewer", description=__doc__, allow_abbrev=False)
    parser.add_argument("--store", type=Path, help="to archive; default: one of 5 million synthetic events")
    parser.add_argument("--events", type=int, default=EVENTS, help="of that store; default: 5 million")
    parser.add_argument("--rounds", type=int, default=4, help="of each, of which the median counts; default: 4")
    args = parser.parse_args(argv)
    with measuring("bench.archive_viewer", argv, args.store, args.events) as measurement:
        if measurement is None:
            return 1
        browser, store = measurement
        if find_program("nginx") is None:
            rows = [skipped_row("first screen of an archive from nginx", "nginx is not installed")]
        else:
            with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as name:
                site = Path(name, "site")
                command: list[str | Path] = [sys.executable, "-m", "tilescope", "archive", store, "--site", site]
                print(subprocess.run(command, check=True, capture_output=True, text=True).stdout, end="")
                with static_nginx(Path(name), (site / "nginx.conf").read_text()) as url:
                    rows = list(_rows(browser, url, args.rounds))
    print("\n".join(table_lines(rows)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
