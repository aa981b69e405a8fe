"""Runs all stages of `make test`, also after one of them failed, and ends with a table of what happened."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STAGES = ("lint-python", "lint-viewer", "test-viewer", "test-python", "test-browser", "test-dist")

# Compiles the native code once more and runs its tests several times slower: on a developer's machine when asked for.
CI_STAGES = (*STAGES, "sanitize")


def run_stage(stage: str) -> int:
    """Runs one target of the Makefile with its output passed through; returns its exit status."""
    print(f"\n=== {stage} ===", flush=True)
    # Stages are run by a make of their own: one that inherits MAKEFLAGS would print every folder it enters.
    environment = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(["make", "--no-print-directory", stage], cwd=ROOT, env=environment, check=False).returncode


def main() -> int:
    rows = []
    for stage in CI_STAGES if os.environ.get("CI") else STAGES:
        begin = time.monotonic()
        status = run_stage(stage)
        rows.append((stage, status, time.monotonic() - begin))
    print("\n=== summary ===")
    for stage, status, seconds in rows:
        print(f"{stage:<14}{'ok' if status == 0 else 'FAILED':<8}{seconds:6.0f} s")
    failed = [stage for stage, status, _ in rows if status != 0]
    print(f"failed: {', '.join(failed)}" if failed else "all stages passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
