"""Runs all stages of `make test`, two side by side, also after one failed; ends with a table of what happened.

A few tests that failed are run once more, with nothing beside them. Thousands of tests with real processes, sockets and
browsers on two busy cores meet moments that no test foresaw. What passes then is no failure of the stage, but it is no
secret: the table names it, and it wants mending, in the test or in what it tests. Not so a property that failed: its
example is a fault, and another run would try other examples.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from tests import native_stamp

ROOT = Path(__file__).resolve().parent.parent

# Where `conftest.py` keeps which properties have failed, in the cache of pytest.
FAILED_PROPERTIES = "tilescope/failed_properties"

# The longest, whose output is passed through.
FIRST = "test-python"

# How much it gives way to those beside it. Chromium runs pages at +7: beside busy processes that give way less, their
# tests run into limits.
YIELD = ("nice", "-n", "5")

# These run beside it, one after the other, and are printed when each has ended. When the longest has ended, two of them
# run side by side: so the ones that take long come first, and both processors have work to the end.
BESIDE = ("test-browser", "test-dist", "lint-python", "test-viewer", "lint-viewer", "lint-native")

# In CI these follow where the native code is not what the full checks have passed: they compile it once more, or as
# good as that. On a developer's machine they run when asked for, and then in full.
CI_BESIDE = ("tidy-quick", "sanitized")

# This comes after all others, and uses every processor.
CI_LAST = "sanitize-quick"

# Stages of pytest. Each keeps what failed in a folder of its own.
PYTEST = ("-m", "pytest")
RUN_AGAIN = {
    "test-python": PYTEST,
    "test-browser": PYTEST,
    CI_LAST: ("tests/run_sanitized.py",),
}
CACHES = ROOT / "build" / "pytest"
MOST_RUN_AGAIN = 5  # more than that is no accident


@dataclass(frozen=True, slots=True)
class Result:
    """How a stage has ended, and how long it took."""

    stage: str
    status: int
    seconds: float
    unsteady: tuple[str, ...] = ()  # tests that failed, and passed when they were run again

    @property
    def word(self) -> str:
        """What the table says."""
        if self.status != 0:
            return "FAILED"
        return f"ok, {len(self.unsteady)} only when run again" if self.unsteady else "ok"


def failed_tests(stage: str, kept: str = "cache/lastfailed") -> tuple[str, ...]:
    """Which tests of a stage failed, as its processes of pytest have kept it; none if they did not come that far."""
    files = sorted((CACHES / stage).glob(f"**/v/{kept}"))
    return tuple(test for file in files for test in json.loads(file.read_text()))


def run_failed_again(result: Result) -> Result:
    """The result of a stage after its failed tests had a second chance, if they are few."""
    tests = failed_tests(result.stage) if result.stage in RUN_AGAIN and result.status != 0 else ()
    if not 0 < len(tests) <= MOST_RUN_AGAIN or failed_tests(result.stage, FAILED_PROPERTIES):
        return result
    print(f"\n=== {result.stage}, again: {' '.join(tests)} ===", flush=True)
    begin = time.monotonic()
    command = [sys.executable, *RUN_AGAIN[result.stage], "-rs", "-o", f"cache_dir={CACHES / result.stage}", *tests]
    done = subprocess.run(command, cwd=ROOT, check=False)
    seconds = result.seconds + time.monotonic() - begin
    return Result(result.stage, 0, seconds, tests) if done.returncode == 0 else replace(result, seconds=seconds)


def run_stage(stage: str, *, held_back: bool = False) -> Result:
    """Runs one target of the Makefile. Its output is passed through, or held back until it has ended."""
    heading = f"\n=== {stage} ==="
    if not held_back:
        print(heading, flush=True)
    # Stages are run by a make of their own: one that inherits MAKEFLAGS would print every folder it enters.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    shutil.rmtree(CACHES / stage, ignore_errors=True)
    begin = time.monotonic()
    command = [*(YIELD if stage == FIRST else ()), "make", "--no-print-directory", stage]
    output = subprocess.PIPE if held_back else None
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=False, stdout=output, stderr=subprocess.STDOUT if held_back else None
    )
    seconds = time.monotonic() - begin
    if held_back:
        print(f"{heading}\n{done.stdout.decode(errors='replace')}", end="", flush=True)
    return Result(stage, done.returncode, seconds)


def main() -> int:
    begin = time.monotonic()
    is_native_checked = not os.environ.get("CI") or native_stamp.is_checked()
    beside = BESIDE if is_native_checked else (*BESIDE, *CI_BESIDE)
    with ThreadPoolExecutor(2) as lanes:
        first = lanes.submit(run_stage, FIRST)
        held_back = [lanes.submit(run_stage, stage, held_back=True) for stage in beside]
        results = [stage.result() for stage in (first, *held_back)]
    results = [run_failed_again(result) for result in results]
    if not is_native_checked:
        results.append(run_failed_again(run_stage(CI_LAST)))
    print("\n=== summary ===")
    for result in results:
        print(f"{result.stage:<14}{result.seconds:6.0f} s  {result.word}")
    print(f"{'all':<14}{time.monotonic() - begin:6.0f} s")
    for result in results:
        for test in result.unsteady:
            print(f"passed only when run again: {test}")
    failed = [result.stage for result in results if result.status != 0]
    print(f"failed: {', '.join(failed)}" if failed else "all stages passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
