"""A file of 400 MB that is dropped on the page: how fast it is sent, and how soon after that there is a picture.

python -m bench.upload
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from bench.browser_page import IS_OPEN
from bench.machine import machine_lines
from bench.table import Row, Target, measured_row, table_lines
from bench.traces import Trace, TraceSpec
from tests.browser.chromium import FLAGS, find_test_chromium

EVENTS = {"xspace": 10_200_000, "chrome": 2_050_000}  # about 400 MB, uncompressed
FIRST_PICTURE = Target(2.0, None, "{:.2f} s".format, at_most=True)

# When the last piece is answered, and when the preview of all tracks is drawn, by the clock of the page. The preview is
# grey: pixels in colour come later.
_WATCH = f"""() => {{
    const seen = {IS_OPEN};
    const plain = window.fetch;
    window.fetch = async (...asked) => {{
        if (asked[1]?.method === 'PUT') window.firstByteMs ??= performance.now();
        const answer = await plain(...asked);
        if (asked[1]?.method === 'PUT') window.lastByteMs = performance.now();
        return answer;
    }};
    const look = () => {{
        if (window.lastByteMs !== undefined && seen()) window.pictureMs = performance.now();
        else requestAnimationFrame(look);
    }};
    look();
}}"""


@contextmanager
def viewing(folder: Path) -> Iterator[str]:
    """`tilescope view` of an empty folder: its address."""
    (folder / "logs").mkdir(parents=True)
    command = [sys.executable, "-m", "tilescope", "view", "--no-browser", "--port", "0"]
    command += ["--cache-dir", str(folder / "cache"), str(folder / "logs")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            match = re.search(r"http://\S+", server.stdout.readline())
            assert match is not None
            yield match[0]
        finally:  # else leaving would wait for it without end
            server.terminate()


def dropped(page: Page, path: Path) -> tuple[float, float]:
    """Seconds that a file takes to be sent, and from its last byte to the first picture."""
    page.evaluate(_WATCH)
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 400, "y": 300, "data": data})
    page.get_by_role("dialog").get_by_role("button", name="Open", exact=True).click()
    page.wait_for_function("window.pictureMs !== undefined", timeout=120_000)
    first, last, picture = page.evaluate("[firstByteMs, lastByteMs, pictureMs]")
    return (last - first) / 1000, (picture - last) / 1000


def measure(browser: Browser, trace: Trace, times: int) -> Iterator[Row]:
    """Rows of one trace: medians of so many drops, each on a server of its own."""
    sent, seen = [], []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder, viewing(Path(folder)) as address:
            context = browser.new_context(bypass_csp=True)  # `wait_for_function` evaluates text
            page = context.new_page()
            with page.expect_response(re.compile("late-commands")):
                page.goto(address)
            seconds = dropped(page, trace.path)
            context.close()
        sent.append(seconds[0])
        seen.append(seconds[1])
    rate = f"sent with {trace.size_bytes / statistics.median(sent) / 1e6:.0f} MB/s"
    detail = f"at most {max(seen):.2f} s; {rate}"
    yield measured_row(f"{trace.facts()}: last byte to first picture", FIRST_PICTURE, statistics.median(seen), detail)


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the machine and the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.upload", description=__doc__, allow_abbrev=False)
    parser.add_argument("--times", type=int, default=5, help="drops of each trace; default: 5")
    args = parser.parse_args(argv)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_test_chromium(), args=FLAGS)
        for format_name, events in EVENTS.items():
            trace = TraceSpec(format_name, events, realistic=True).write(Path(folder) / format_name)
            rows += measure(browser, trace, args.times)
        browser.close()
    print("\n".join([*machine_lines("bench.upload", argv), "", *table_lines(rows)]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
