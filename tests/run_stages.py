"""Runs all stages of `make test`, some side by side, also after one failed; ends with a table of what happened."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The longest, whose output is passed through.
FIRST = "test-python"

# These run beside it, one after the other, and are printed when each has ended.
BESIDE = ("lint-python", "lint-native", "lint-viewer", "test-viewer", "test-browser", "test-dist")

# These come after all others and use every processor. They compile the native code once more, or as good as that: on a
# developer's machine when asked for.
CI_STAGES = ("tidy", "sanitize")


@dataclass(frozen=True, slots=True)
class Result:
    """How a stage has ended, and how long it took."""

    stage: str
    status: int
    seconds: float


def run_stage(stage: str, *, held_back: bool = False) -> Result:
    """Runs one target of the Makefile. Its output is passed through, or held back until it has ended."""
    heading = f"\n=== {stage} ==="
    if not held_back:
        print(heading, flush=True)
    # Stages are run by a make of their own: one that inherits MAKEFLAGS would print every folder it enters.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    begin = time.monotonic()
    command = ["make", "--no-print-directory", stage]
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
    with ThreadPoolExecutor(1) as beside:
        held_back = [beside.submit(run_stage, stage, held_back=True) for stage in BESIDE]
        results = [run_stage(FIRST), *(stage.result() for stage in held_back)]
    if os.environ.get("CI"):
        results += [run_stage(stage) for stage in CI_STAGES]
    print("\n=== summary ===")
    for result in results:
        print(f"{result.stage:<14}{'ok' if result.status == 0 else 'FAILED':<8}{result.seconds:6.0f} s")
    print(f"{'all':<22}{time.monotonic() - begin:6.0f} s")
    failed = [result.stage for result in results if result.status != 0]
    print(f"failed: {', '.join(failed)}" if failed else "all stages passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
