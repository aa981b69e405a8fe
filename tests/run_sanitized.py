"""Runs the native module's tests over one that was built with AddressSanitizer and UndefinedBehaviorSanitizer.

`make sanitize` builds that module and starts this; arguments are passed on to pytest. The module that is installed is
left alone: a package folder of links holds the sanitized one instead, and Python starts without the hooks that would
find the installed one. Leaks are not looked for: Python itself does not free everything at its end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "build" / "sanitize" / "native"
SITE = ROOT / "build" / "sanitize" / "site"

# What reaches native code: readers, pairing, tile trees, pages, traces that are made up, stores that are read.
TESTS = ("columns", "readers", "synth", "pyramid", "pages", "build", "store/test_lmdb_reader.py")

# These start Python processes of their own, which would find the installed module.
NOT_HERE = ("build/test_kill.py", "build/test_same_trace.py", "build/test_disk_full.py")

# Without this, tests of another module would pass.
PROBE = (
    "import ctypes, tilescope.tiler._native as native; "
    "assert 'sanitize' in native.__file__, native.__file__; "
    "ctypes.CDLL(None).__asan_init"
)


def lay_out() -> None:
    """Makes the package folder: links to the sources, and the sanitized module among them."""
    shutil.rmtree(SITE, ignore_errors=True)
    package = SITE / "tilescope"
    (package / "tiler").mkdir(parents=True)
    for folder, target in ((ROOT / "tilescope", package), (ROOT / "tiler", package / "tiler")):
        for entry in folder.iterdir():
            (target / entry.name).symlink_to(entry)
    (package / "server").symlink_to(ROOT / "server")
    (module,) = BUILT.glob("_native*.so")
    (package / "tiler" / module.name).symlink_to(module)


def environment() -> dict[str, str]:
    """The runtime libraries have to be there before the interpreter; C++ exceptions need theirs just as early."""
    libraries = [_library("libasan.so"), _library("libstdc++.so")]
    return {
        **os.environ,
        "LD_PRELOAD": ":".join(libraries),
        "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1:strict_string_checks=1:detect_stack_use_after_return=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONMALLOC": "malloc",  # Python's own pools would hide what is read behind the end of a buffer
        "PYTHONPATH": os.pathsep.join([str(SITE), sysconfig.get_path("platlib"), str(ROOT)]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def _library(name: str) -> str:
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, f"-print-file-name={name}"]
    path = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    if not Path(path).is_absolute():
        sys.exit(f"{compiler} has no {name}: install the sanitizer runtime of your compiler")
    return str(Path(path).resolve())


def main() -> int:
    lay_out()
    python = [sys.executable, "-S", "-P"]  # without the hooks of the editable install, and without the current folder
    subprocess.run([*python, "-c", PROBE], env=environment(), check=True)
    folder = ROOT / "tests" / "tiler"
    tests = sys.argv[1:] or [str(folder / name) for name in TESTS]
    ignored = [f"--ignore={folder / name}" for name in NOT_HERE]
    command = [*python, "-m", "pytest", "-p", "no:cacheprovider", "-o", f"pythonpath={SITE}", *ignored, *tests]
    return subprocess.run(command, env=environment(), cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
