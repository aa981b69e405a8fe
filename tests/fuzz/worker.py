"""Runs trials one after the other, in a process over the sanitized module; the supervisor reads what it prints."""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import tempfile
import time
import traceback
import warnings
from pathlib import Path

from tests.fuzz.trial import run_trial

# Sanitizers make everything several times slower, and other work may be done beside.
TRIAL_SECONDS = 120


def main(first: int, step: int, folder: str) -> None:
    """Trials of the seeds first, first + step, … until somebody ends the process."""
    warnings.simplefilter("error")
    seed = first
    while True:
        say(seed=seed, doing="begin")
        faulthandler.dump_traceback_later(TRIAL_SECONDS, exit=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix="fuzz-") as scratch:
            try:
                outcome = run_trial(seed, Path(scratch))
                say(seed=seed, doing="end", events=outcome.events, refusal=outcome.refusal)
            except Exception:
                say(seed=seed, doing="finding", report=traceback.format_exc())
        faulthandler.cancel_dump_traceback_later()
        if not step:
            return
        seed += step


def say(**facts: object) -> None:
    """One line of JSON to the supervisor."""
    print(json.dumps({**facts, "cpu_seconds": time.process_time(), "pid": os.getpid()}), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
