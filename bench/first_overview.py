"""Measures how long it takes from a click on a training in the list to its overview, of `tilescope serve`.

The training is indexed on the click. Each time it is another server, which has loaded what its workers need.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import sys
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, Final

from bench.machine import machine_lines
from bench.server_process import serving
from bench.start import milliseconds
from bench.table import Target, measured_row, table_lines

RUN: Final = Path(__file__).parents[2] / "shared/corpus/ascend/run_1"
_TARGET: Final = Target(1000, None, milliseconds, at_most=True)
_LOADED_S: Final = 6.0  # after the start: workers are loaded 2 s after it
_LOOK_S: Final = 0.01


def main(argv: Sequence[str] | None = None) -> int:
    """Prints where it ran, and the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.first_overview", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("run", type=Path, nargs="?", default=RUN, help=f"default: {RUN.name} of the corpus")
    parser.add_argument("--times", type=int, default=5, help="the median counts; default: 5")
    parser.add_argument("--loaded", type=float, default=_LOADED_S, metavar="S", help="seconds before the click")
    args = parser.parse_args(argv)
    for line in machine_lines("bench.first_overview", argv):
        print(line)
    indexed, answered = zip(*(click(args.run, args.loaded) for _ in range(args.times)), strict=True)
    detail = f"indexed after {milliseconds(median(indexed))}; slowest {milliseconds(max(answered))}"
    row = measured_row(f"{args.run.name}, from the click to the overview", _TARGET, median(answered), detail)
    print("\n".join(table_lines([row])))
    return 0


def click(run: Path, loaded_s: float) -> tuple[float, float]:
    """Milliseconds from the click until the run is indexed, and until its overview is there."""
    with tempfile.TemporaryDirectory(prefix="tilescope-bench-") as name:
        base = Path(name) / "base"
        shutil.copytree(run, base / run.name)
        with serving(base, cache=Path(name) / "cache") as server:
            (listed,) = _json(f"{server.url}api/v1/runs")["runs"]
            place = f"{server.url}api/v1/runs/{listed['id']}"
            time.sleep(loaded_s)
            begin = time.perf_counter()
            _json(f"{place}/index", "POST")
            while (status := _json(f"{server.url}api/v1/runs")["runs"][0])["state"] != "ready":
                assert status["state"] != "failed", status["error"]
                time.sleep(_LOOK_S)
            indexed = time.perf_counter()
            overview = _json(f"{place}/builds/{status['build']}/tools/overview")
            assert overview["facts"], "the overview says nothing"
            return (indexed - begin) * 1000, (time.perf_counter() - begin) * 1000


def _json(address: str, method: str = "GET") -> Any:
    request = urllib.request.Request(address, method=method, data=b"" if method == "POST" else None)
    with urllib.request.urlopen(request, timeout=60) as answer:
        body = answer.read()  # answers are sent as one gzip member, lists are not
    return json.loads(gzip.decompress(body) if answer.headers["Content-Encoding"] == "gzip" else body)


if __name__ == "__main__":
    sys.exit(main())
