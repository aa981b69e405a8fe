"""Measures what starts at once: `import tilescope`, which notebooks do, and `tilescope --help`.

Whole processes are timed, Python's own start included. Which modules they
may load is tested in tests/cli/test_start.py.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from statistics import median

from bench.machine import machine_lines
from bench.table import Target, measured_row, table_lines


def milliseconds(value: float) -> str:
    return f"{value:.0f} ms"


STARTS = (
    ("import tilescope", ["-c", "import tilescope"], Target(60, None, milliseconds, at_most=True)),
    ("tilescope --help", ["-m", "tilescope", "--help"], Target(150, None, milliseconds, at_most=True)),
)


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=20, help="of each, of which the median counts; default: 20")
    args = parser.parse_args(argv)
    for line in machine_lines("bench.start", argv):
        print(line)
    rows = []
    for work, arguments, target in STARTS:
        times = sorted(time_ms(arguments) for _ in range(args.runs))
        detail = f"fastest {times[0]:.0f}, slowest {times[-1]:.0f}"
        rows.append(measured_row(work, target, median(times), detail))
    print("\n".join(table_lines(rows)))
    return 0


def time_ms(arguments: list[str]) -> float:
    """Wall time of one Python process."""
    begin = time.perf_counter()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1000


if __name__ == "__main__":
    sys.exit(main())
