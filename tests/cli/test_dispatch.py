"""The dispatcher: exit codes, one-line errors, tracebacks on request."""

from __future__ import annotations

import argparse
import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tilescope.cli import main, parser
from tilescope.tiler.errors import Cancelled, DamagedStore, TraceError, UsageError
from tilescope.version import version_text


def command(run: Callable[[argparse.Namespace], int]) -> ModuleType:
    module = ModuleType("fake", "Does as it is told.\n\nExamples:\n\n    tilescope fake")
    module.__dict__.update(NAME="fake", HELP="does as it is told", add_arguments=lambda parser: None, run=run)
    return module


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[argparse.Namespace], int]], None]:
    return lambda run: monkeypatch.setattr(parser, "commands", lambda only: (command(run),))


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (TraceError("a.pb", "wire type 7", offset=12345, advice="copy it again"), 1,
         "a.pb: byte 12,345: wire type 7 (copy it again)"),
        (DamagedStore("track 3, level 2, tile 9:\ncount is wrong"), 1, r"track 3, level 2, tile 9:\ncount is wrong"),
        (UsageError("two runs: a, b"), 2, "two runs: a, b"),
        (Cancelled("while reading"), 130, "stopped"),
        (KeyboardInterrupt(), 130, "stopped"),
        (FileNotFoundError(2, "No such file or directory", "x.json"), 1, "x.json: No such file or directory"),
        (MemoryError(), 1, "out of memory (close other programs, or use a machine that has more)"),
        (OSError(errno.ENOMEM, "no", "x"), 1, "out of memory (close other programs, or use a machine that has more)"),
        (ZeroDivisionError("1/0"), 1,
         "internal error, ZeroDivisionError: 1/0 (run again with --debug and report what it prints)"),
    ],
)  # fmt: skip
def test_an_error_is_one_line_and_an_exit_code(
    install: Callable[..., None], capsys: pytest.CaptureFixture[str], error: BaseException, code: int, line: str
) -> None:
    def run(args: argparse.Namespace) -> int:
        raise error

    install(run)
    assert main(["fake"]) == code
    assert capsys.readouterr() == ("", f"tilescope: {line}\n")


@pytest.mark.parametrize("argv", [["--debug", "fake"], ["fake", "--debug"]])
def test_debug_lets_the_traceback_through(install: Callable[..., None], argv: list[str]) -> None:
    def run(args: argparse.Namespace) -> int:
        raise ZeroDivisionError

    install(run)
    with pytest.raises(ZeroDivisionError):
        main(argv)


def test_the_exit_code_is_the_commands(install: Callable[..., None]) -> None:
    install(lambda args: 1)
    assert main(["fake"]) == 1


@pytest.mark.parametrize("argv", [["nonsense"], ["fake", "--no-such-option"]])
def test_wrong_usage_is_one_line_and_exit_code_2(
    install: Callable[..., None], capsys: pytest.CaptureFixture[str], argv: list[str]
) -> None:
    install(lambda args: 0)
    with pytest.raises(SystemExit) as exit_info:
        main(argv)
    assert exit_info.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_without_a_command_there_is_the_help(install: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    install(lambda args: 0)
    assert main([]) == 2
    assert "does as it is told" in capsys.readouterr().err


def test_what_there_is_to_choose_from_is_said(install: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    install(lambda args: 0)
    for argv, words in (
        (["nonsense"], "there is no 'nonsense': choose from fake (see tilescope --help)"),
        (["stats"], "stats is a tool: tilescope ask STORE stats"),
    ):
        with pytest.raises(SystemExit):
            main(argv)
        assert words in capsys.readouterr().err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(["--version"])
    assert exit_info.value.code == 0
    assert capsys.readouterr().out == f"tilescope {version_text()}\n"


def test_the_help_of_a_command_is_its_docstring(
    install: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    install(lambda args: 0)
    with pytest.raises(SystemExit):
        main(["fake", "--help"])
    assert "Does as it is told.\n\nExamples:\n\n    tilescope fake\n" in capsys.readouterr().out


def test_help_does_not_load_the_tiler() -> None:
    loaded = "import sys, tilescope.cli.parser as p; p.build_parser().format_help(); print(*sys.modules)"
    modules = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True, timeout=30
    ).stdout.split()
    assert not {"numpy", "aiohttp", "lmdb"} & set(modules)


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="threads are counted in /proc")
def test_numpy_starts_no_threads() -> None:
    code = "import os, tilescope.cli, numpy; print(len(os.listdir('/proc/self/task')))"
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    threads = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout
    assert int(threads) == 1
