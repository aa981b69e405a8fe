"""How a process ends."""

from __future__ import annotations

import subprocess
import sys

BEGIN = "import atexit, sys, threading; from tilescope.cli.process_exit import leave; "


def ended(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", BEGIN + code], capture_output=True, text=True, timeout=60)


def test_what_was_said_is_not_lost_and_what_is_to_be_done_at_the_end_is_done() -> None:
    done = ended("atexit.register(print, 'done'); sys.stdout.write('said '); sys.stderr.write('told'); leave(3)")
    assert (done.returncode, done.stdout, done.stderr) == (3, "said done\n", "told")


def test_nothing_is_taken_apart() -> None:
    done = ended("K = type('K', (), {'__del__': lambda self: print('apart')}); held = K(); leave(0)")
    assert (done.returncode, done.stdout) == (0, "")


def test_other_threads_may_end_what_they_do() -> None:
    thread = (
        "waiting = threading.Event(); threading.Thread(target=lambda: waiting.wait(0.1) or print('ended')).start(); "
    )
    done = ended(thread + "leave(0)")
    assert (done.returncode, done.stdout) == (0, "ended\n")


def test_output_that_nobody_takes_is_a_failure() -> None:
    code = "import os; r, w = os.pipe(); os.close(r); os.dup2(w, 1); sys.stdout.write('said'); leave(0)"
    assert ended(code).returncode == 1


def test_the_command_ends_so() -> None:
    done = subprocess.run([sys.executable, "-m", "tilescope", "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.split()[0]) == (0, "tilescope")
