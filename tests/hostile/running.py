"""Runs the commands over one case: in processes of their own with limits, or quickly in this one."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.hostile.case import Case
from tests.hostile.probe import probe
from tilescope.cli import main

# Others may use the machine as well: what counts is processor time, this only ends what hangs.
_WALL_PER_CPU = 6


@dataclass(frozen=True, slots=True)
class Ended:
    """How one command ended."""

    code: int  # negative: by this signal
    out: str
    err: str
    cpu_seconds: float = 0.0
    peak_bytes: int = 0  # resident, mapped files included


@dataclass
class Outcome:
    """All that was seen of a case."""

    index: Ended
    after: dict[str, Ended] = field(default_factory=dict)  # verify, info: when there is a store
    facts: dict[str, Any] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)  # files that should not be there


Command = Callable[[str, Sequence[str]], Ended]


def run_here(case: Case, folder: Path) -> Outcome:
    """Runs the commands within this process: quick, without limits."""
    with _scratch(folder):
        return _run(case, folder, lambda name, args: _call(args))


def run_apart(case: Case, folder: Path) -> Outcome:
    """Runs each command in a process of its own, with the limits of the case."""
    return _run(case, folder, lambda name, args: _start(case, folder, name, args))


def _run(case: Case, folder: Path, command: Command) -> Outcome:
    given, made, scratch = folder / "in", folder / "out", folder / "tmp"
    for one in (given, made, scratch):
        one.mkdir()
    path = case.make(given)
    before = _names(given)
    store = made / "x.store"
    outcome = Outcome(command("index", ["index", str(path), "-o", str(store), *case.args]))
    if outcome.index.code == 0:
        budget = case.args if "--memory" in case.args else ()
        outcome.after["verify"] = command("verify", ["verify", str(store), *budget])
        outcome.after["info"] = command("info", ["info", str(store)])
        outcome.facts = _facts(command, store)
    outcome.left = [f"in/{name}" for name in sorted(_names(given) - before)] + _left(made, scratch, outcome.index.code)
    return outcome


def _facts(command: Command, store: Path) -> dict[str, Any]:
    ended = command("probe", ["probe", str(store)])
    return json.loads(ended.out) if ended.code == 0 else {"failed": ended.err}


def _left(made: Path, scratch: Path, code: int) -> list[str]:
    """What is neither the store nor a part of it."""
    left = [f"tmp/{name}" for name in sorted(_names(scratch))]
    expected = {"x.store"} if code == 0 else set()
    left += [f"out/{entry.name}" for entry in sorted(made.iterdir()) if entry.name not in expected]
    if code == 0:
        entries = sorted(entry.name for entry in (made / "x.store").iterdir())
        if len(entries) != 3 or entries[:2] != ["CURRENT", "LOCK"] or entries[2].endswith(".part"):
            left += [f"out/x.store/{name}" for name in entries]
    return left


def _names(folder: Path) -> set[str]:
    return {
        os.path.relpath(Path(root) / name, folder) for root, dirs, files in os.walk(folder) for name in dirs + files
    }


@contextlib.contextmanager
def _scratch(folder: Path) -> Iterator[None]:
    """Temporary files of this process lie in a folder that can be looked at."""
    before = tempfile.tempdir
    tempfile.tempdir = str(folder / "tmp")
    try:
        yield
    finally:
        tempfile.tempdir = before


def _call(args: Sequence[str]) -> Ended:
    if args[0] == "probe":
        return Ended(0, json.dumps(probe(Path(args[1]))), "")
    out, err = io.StringIO(), io.StringIO()
    begin = time.process_time()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(args)
    return Ended(code, out.getvalue(), err.getvalue(), time.process_time() - begin)


def _start(case: Case, folder: Path, name: str, args: Sequence[str]) -> Ended:
    module = ["-m", "tests.hostile.probe", *args[1:]] if name == "probe" else ["-m", "tilescope", *args]
    limits = [f"ulimit -d {case.data_bytes // 1024}"]
    if case.address_bytes is not None and name == "index":
        limits.append(f"ulimit -v {case.address_bytes // 1024}")
    shell = ["bash", "-c", "; ".join([*limits, 'exec "$@"']), "bash", sys.executable, *module]
    out, err = folder / f"{name}.out", folder / f"{name}.err"
    environment = {**os.environ, "TMPDIR": str(folder / "tmp"), "PYTHONPATH": str(Path(__file__).parents[2])}
    with out.open("wb") as out_file, err.open("wb") as err_file:
        process = subprocess.Popen(shell, stdout=out_file, stderr=err_file, env=environment)
        wall_seconds = _WALL_PER_CPU * case.cpu_seconds + 20
        deadline = threading.Timer(wall_seconds, process.kill)
        deadline.start()
        if case.meanwhile is not None and name == "index":
            _meanwhile(case.meanwhile, folder, process)
        _, status, usage = os.wait4(process.pid, 0)
        deadline.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return Ended(
        process.returncode,
        out.read_text(errors="surrogateescape"),
        err.read_text(errors="surrogateescape"),
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss * 1024,
    )


def _has_open(pid: int, folder: Path) -> bool:
    """Whether a process has a file of this folder open."""
    opened = Path(f"/proc/{pid}/fd")
    with contextlib.suppress(OSError):  # it ended, or closed one of them meanwhile
        return any(link.readlink().is_relative_to(folder) for link in opened.iterdir())
    return False


def _meanwhile(act: Callable[[Path], None], folder: Path, process: subprocess.Popen[bytes]) -> None:
    """Acts on the input once the build has begun and reads it."""
    while not (any((folder / "out").rglob("*.part")) and _has_open(process.pid, folder / "in")):
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        time.sleep(0.002)
    act(folder / "in")
