"""Builds that are killed: `python killed_builds.py`, then a line of JSON per command.

A command is `{"trace", "store", "force", "after_s", "fault"}`. It indexes in a process of its own, which is forked from
this one so that it need not start anew. It is killed (SIGKILL) after so many seconds, or by itself at a fault:
`["before" | "after", FUNCTION, N]`, at the N-th call of one of `FUNCTIONS`. The answer is a line
`{"signal", "seconds"}`: the signal that ended it, 0 if none did.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tilescope.tiler.indexing import build_store
from tilescope.tiler.store import generation
from tilescope.tiler.store.lmdb_writer import LmdbWriter

# Everything that makes a build's result what others see, or removes what they do not.
FUNCTIONS: dict[str, tuple[Any, str]] = {
    "put_many": (LmdbWriter, "put_many"),
    "sync": (LmdbWriter, "sync"),
    "close": (LmdbWriter, "close"),
    "mkdir": (Path, "mkdir"),
    "rename": (Path, "rename"),
    "replace": (Path, "replace"),
    "fsync": (os, "fsync"),
    "unlink": (os, "unlink"),
    "rmdir": (os, "rmdir"),
    "rmtree": (shutil, "rmtree"),
    "mark_used": (generation, "mark_used"),
}


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def inject(when: str, name: str, at: int) -> None:
    """Lets the N-th call of the function be the last thing that this process does, or almost does."""
    owner, attribute = FUNCTIONS[name]
    original: Callable[..., Any] = getattr(owner, attribute)
    calls = 0

    @functools.wraps(original)
    def fatal(*args: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == at and when == "before":
            die()
        result = original(*args, **options)
        if calls == at:
            die()
        return result

    setattr(owner, attribute, fatal)


def build(command: dict[str, Any]) -> None:
    if command["fault"] is not None:
        inject(*command["fault"])
    build_store([Path(command["trace"])], Path(command["store"]), force=command["force"])


def run(command: dict[str, Any]) -> dict[str, Any]:
    begin = time.monotonic()
    child = os.fork()
    if child == 0:
        try:
            build(command)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    after_s = command["after_s"]
    if after_s is not None and signal.sigtimedwait({signal.SIGCHLD}, after_s) is None:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    while signal.sigtimedwait({signal.SIGCHLD}, 0) is not None:  # of this child, for the next one's sake
        pass
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        sys.exit("a build has failed")
    return {"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, "seconds": time.monotonic() - begin}


def main() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
