"""Generated code is of the oldest protobuf that may run, and says nothing under those that remark on it."""

from __future__ import annotations

import subprocess
import sys

# As protobuf 6.30 and 6.31 say it.
REMARK = "Protobuf gencode version 5.29.0 is exactly one major version older than the runtime version 6.31.1 at {}."

# Warnings are errors there, but for those that the import itself takes out.
PROGRAM = "import sys, warnings; import tilescope.v1; warnings.warn(sys.argv[1])"


def warns(message: str) -> bool:
    command = [sys.executable, "-W", "error", "-c", PROGRAM, message]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 or f"UserWarning: {message}" in done.stderr, done.stderr
    return done.returncode != 0


def test_nobody_is_told_of_the_age_of_our_generated_code() -> None:
    assert not warns(REMARK.format("tilescope/v1/tiles.proto"))


def test_what_is_said_of_other_code_is_still_said() -> None:
    assert warns(REMARK.format("other/v1/other.proto"))
    assert warns("tilescope/v1/ is something else")
