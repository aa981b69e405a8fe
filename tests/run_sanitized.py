"""Runs the native module's tests over one that was built with AddressSanitizer and UndefinedBehaviorSanitizer.

`make sanitize` builds that module and starts this; arguments are passed on to pytest. Without any, or with `--quick`,
which leaves out what takes longest, the files of tests are dealt out to processes that run side by side. The module
that is installed is left alone: a package folder of links holds the sanitized one instead, and Python starts without
the hooks that would find the installed one (with them pytest-xdist starts its processes). Leaks are not looked for:
Python itself does not free everything at its end.
"""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILT = ROOT / "build" / "sanitize" / "native"
TESTS_OF_TILER = ROOT / "tests" / "tiler"
SITE = ROOT / "build" / "sanitize" / "site"
CACHES = ROOT / "build" / "pytest" / "sanitize-quick"  # each share keeps there which tests failed

# What reaches native code: readers, pairing, tile trees, pages, traces that are made up, stores that are read, and what
# is read of them: arguments, searches, operations of devices.
TESTS = (
    "columns",
    "details",
    "facts/operations",
    "indexing",
    "pages",
    "pyramid",
    "readers",
    "search/test_arguments.py",
    "search/test_search.py",
    "store/test_lmdb_reader.py",
    "synth",
    "test_windows.py",
)

# These start Python processes of their own, which would find the installed module.
NOT_HERE = ("indexing/test_kill.py", "indexing/test_same_trace.py", "indexing/test_disk_full.py")

# What takes longest, because its plain reference in Python does, or because it makes large traces first: `--quick` does
# without it, and with a fifth of the examples of properties.
SLOW = ("indexing/test_memory_budget.py", "indexing/tracks/test_steps.py", "pyramid/test_overview.py")
SLOW_TESTS = ("readers/xspace/test_reader.py::test_corpus_is_the_same_as_the_reference[gpu_v100x8_bert]",)
QUICK_EXAMPLES = 20

# Files of tests are dealt out to so many shares, and as many of these run at once as there are processors: what takes
# long is spread, and the last process is not alone for long. Each share costs a start of Python and its imports.
SHARES = 8
SHARE_S = 1800  # that one may take
TESTS_FAILED = 1  # how pytest ends then; a sanitizer ends the process by a signal
HUNG = 2
LAST_LINES = 40  # of the output of a share that a sanitizer ended

# Messages of protos: these are made where the package is installed.
GENERATED = ("v1", "hlo", "graph", "profiler")

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
            if not entry.is_symlink():  # those that `make links` makes lead to the installed package
                (target / entry.name).symlink_to(entry)
    (package / "server").symlink_to(ROOT / "server")
    for name in GENERATED:
        found, *_ = importlib.import_module(f"tilescope.{name}").__path__  # and the link to it
        (package / name).symlink_to(found)
    (module,) = BUILT.glob("_native*.so")
    (package / "tiler" / module.name).symlink_to(module)


def environment(*, is_quick: bool = False) -> dict[str, str]:
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
        "TILESCOPE_EXAMPLES": str(QUICK_EXAMPLES) if is_quick else os.environ.get("TILESCOPE_EXAMPLES", "100"),
    }


def _library(name: str) -> str:
    compiler = os.environ.get("CXX", "c++")
    command = [compiler, f"-print-file-name={name}"]
    path = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    if not Path(path).is_absolute():
        sys.exit(f"{compiler} has no {name}: install the sanitizer runtime of your compiler")
    return str(Path(path).resolve())


def files_of_tests(*, is_quick: bool = False) -> list[str]:
    """All files of tests that reach native code."""
    kept_out = {TESTS_OF_TILER / name for name in (*NOT_HERE, *(SLOW if is_quick else ()))}
    named = [TESTS_OF_TILER / name for name in TESTS]
    files = [file for path in named for file in ([path] if path.is_file() else sorted(path.rglob("test_*.py")))]
    return [str(file) for file in files if file not in kept_out]


def run_share(command: list[str], files: list[str], *, is_quick: bool) -> tuple[int, str]:
    """Runs some files of tests; returns the exit status and what was printed."""
    with (
        tempfile.TemporaryFile("w+") as output,
        subprocess.Popen(
            [*command, *files], env=environment(is_quick=is_quick), cwd=ROOT, stdout=output, stderr=subprocess.STDOUT
        ) as tests,
    ):
        try:
            status, end = tests.wait(SHARE_S), ""
        except subprocess.TimeoutExpired:
            tests.kill()
            status, end = HUNG, f"\nended after {SHARE_S} s: a sanitizer that finds no memory for its report hangs\n"
        output.seek(0)
        return status, output.read() + end


def what_failed(output: str) -> str:
    """The lines that name the tests that failed; the last ones where the process ended before it could name them."""
    lines = output.splitlines()
    named = [line for line in lines if line.startswith(("FAILED ", "ERROR "))]
    return "\n".join(named or lines[-LAST_LINES:])


def main() -> int:
    lay_out()
    python = [sys.executable, "-S", "-P"]  # without the hooks of the editable install, and without the current folder
    subprocess.run([*python, "-c", PROBE], env=environment(), check=True)
    ignored = [f"--ignore={TESTS_OF_TILER / name}" for name in NOT_HERE]
    command = [*python, "-m", "pytest", "-o", f"pythonpath={SITE}", *ignored]
    is_quick = sys.argv[1:] == ["--quick"]
    if sys.argv[1:] and not is_quick:
        alone = [*command, "-o", f"cache_dir={CACHES}", *sys.argv[1:]]
        return subprocess.run(alone, env=environment(), cwd=ROOT, check=False).returncode
    files = files_of_tests(is_quick=is_quick)
    slow = [f"--deselect={TESTS_OF_TILER / name}" for name in SLOW_TESTS] if is_quick else []
    shutil.rmtree(CACHES, ignore_errors=True)
    failed: list[tuple[int, str]] = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        told = [*command, "-rsfE", "--durations=6", "--durations-min=10", *slow]
        shares = [
            pool.submit(run_share, [*told, "-o", f"cache_dir={CACHES / str(k)}"], files[k::SHARES], is_quick=is_quick)
            for k in range(min(SHARES, len(files)))  # without files, pytest would run all tests
        ]
        for share in as_completed(shares):
            code, output = share.result()
            print(output, end="", flush=True)
            if code != 0:
                failed.append((code, output))
    # Shares are printed as they end, in thousands of lines: whoever looks at the last ones should see what failed.
    for code, output in failed:
        print(f"\n=== a share ended with {code} ===\n{what_failed(output)}", flush=True)
    if any(code != TESTS_FAILED for code, _ in failed):
        shutil.rmtree(CACHES, ignore_errors=True)  # what a sanitizer found is not run again
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
