"""`make test` runs every stage and tells which one failed; `make sanitize` leaves no file of tests out."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import native_stamp, run_sanitized, run_stages

pytestmark = pytest.mark.slow

ALL = [run_stages.FIRST, *run_stages.BESIDE]


@pytest.mark.parametrize("failing", [None, "lint-viewer", "test-python"])
def test_every_stage_is_run_and_a_failure_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], failing: str | None
) -> None:
    ran: list[str] = []

    def run(command: list[str], **options: Any) -> SimpleNamespace:
        assert "MAKEFLAGS" not in options["env"]
        ran.append(command[-1])
        return SimpleNamespace(returncode=2 if command[-1] == failing else 0, stdout=b"what it says\n")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(run_stages, "CACHES", tmp_path)
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setenv("MAKEFLAGS", "w")
    assert run_stages.main() == (0 if failing is None else 1)
    out = capsys.readouterr().out
    assert sorted(ran) == sorted(ALL)
    assert out.count("what it says") == len(run_stages.BESIDE), "what was held back is printed"
    summary = out.partition("=== summary ===\n")[2].splitlines()
    assert [line.split()[::3] for line in summary[:-2]] == [[s, "FAILED" if s == failing else "ok"] for s in ALL]
    assert summary[-1] == ("all stages passed" if failing is None else f"failed: {failing}")


@pytest.mark.parametrize(
    ("at_first", "again", "status", "word"),
    [
        ("1", "0", 0, "ok, 1 only when run again"),
        ("1", "1", 2, "FAILED"),
        ("6", "0", 2, "FAILED"),  # too many for an accident
        ("0", "0", 2, "FAILED"),  # something else than a test
    ],
)
def test_a_few_tests_that_failed_are_run_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_first: str, again: str, status: int, word: str
) -> None:
    file, marker = tmp_path / "test_moody.py", tmp_path / "second"
    file.write_text(
        "import pathlib, pytest\n"
        f"FAILS = {again} if pathlib.Path({str(marker)!r}).exists() else {at_first}\n"
        "@pytest.mark.parametrize('n', range(6))\n"
        "def test(n): assert n >= FAILS\n"
    )
    monkeypatch.setattr(run_stages, "CACHES", tmp_path)
    monkeypatch.setattr(run_stages, "ROOT", tmp_path)
    cache = f"cache_dir={tmp_path / 'test-python'}"
    subprocess.run([sys.executable, "-m", "pytest", "-o", cache, str(file)], cwd=tmp_path, check=False)
    marker.touch()
    result = run_stages.run_failed_again(run_stages.Result("test-python", 2, 1.0))
    assert (result.status, result.word) == (status, word)
    assert run_stages.run_failed_again(replace(result, stage="lint-viewer")) == replace(result, stage="lint-viewer")
    assert result.unsteady == (("test_moody.py::test[0]",) if status == 0 else ())


def test_a_property_that_failed_is_not_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(run_stages.ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_property.py").write_text(
        "from hypothesis import given, strategies as st\n@given(st.integers())\ndef test(number): assert number < 5\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(run_stages.ROOT)}
    monkeypatch.setattr(run_stages, "CACHES", tmp_path)
    cache = f"cache_dir={tmp_path / 'test-python'}"
    command = [sys.executable, "-m", "pytest", "-o", cache, "test_property.py"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=False)
    assert run_stages.failed_tests("test-python") == ("test_property.py::test",)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("it was run again"))
    failed = run_stages.Result("test-python", 2, 1.0)
    assert run_stages.run_failed_again(failed) == failed


@pytest.mark.parametrize("is_checked", [False, True])
def test_ci_runs_the_sanitized_tests_where_the_native_code_has_changed(
    monkeypatch: pytest.MonkeyPatch, *, is_checked: bool
) -> None:
    ran: list[str] = []

    def run_stage(stage: str, **_: Any) -> run_stages.Result:
        ran.append(stage)
        return run_stages.Result(stage, 0, 1.0)

    monkeypatch.setattr(run_stages, "run_stage", run_stage)
    monkeypatch.setenv("CI", "true")
    monkeypatch.setattr(native_stamp, "is_checked", lambda: is_checked)
    assert run_stages.main() == 0
    if is_checked:
        assert sorted(ran) == sorted(ALL)
    else:
        assert sorted(ran[:-1]) == sorted([*ALL, *run_stages.CI_BESIDE])
        assert ran[-1] == "sanitize-quick", "after all others: it uses every processor"


def test_the_sanitized_module_lies_among_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever links there are in the folders of the packages."""
    (tmp_path / "built").mkdir()
    module = tmp_path / "built" / "_native.so"
    module.touch()
    monkeypatch.setattr(run_sanitized, "BUILT", tmp_path / "built")
    monkeypatch.setattr(run_sanitized, "SITE", tmp_path / "site")
    run_sanitized.lay_out()
    package = tmp_path / "site" / "tilescope"
    assert (package / "tiler" / "_native.so").resolve() == module
    assert (package / "tiler" / "ticks.py").resolve() == run_sanitized.ROOT / "tiler" / "ticks.py"
    assert (package / "server" / "app.py").resolve() == run_sanitized.ROOT / "server" / "app.py"
    assert (package / "v1" / "tiles_pb2.py").exists()


def test_every_file_of_native_tests_is_run_sanitized() -> None:
    files = run_sanitized.files_of_tests()
    assert len(files) == len(set(files)) > 50
    for name in ("indexing/test_build.py", "readers/test_mapped.py", "store/test_lmdb_reader.py"):
        assert str(run_sanitized.TESTS_OF_TILER / name) in files
    for name in run_sanitized.NOT_HERE:
        assert (run_sanitized.TESTS_OF_TILER / name).is_file()
        assert str(run_sanitized.TESTS_OF_TILER / name) not in files
    dealt = [file for k in range(run_sanitized.SHARES) for file in files[k :: run_sanitized.SHARES]]
    assert sorted(dealt) == sorted(files)


def test_a_quick_run_leaves_out_what_is_named_and_no_more() -> None:
    quick = run_sanitized.files_of_tests(is_quick=True)
    left_out = {str(run_sanitized.TESTS_OF_TILER / name) for name in run_sanitized.SLOW}
    assert set(run_sanitized.files_of_tests()) - set(quick) == left_out
    assert len(left_out) == len(run_sanitized.SLOW) < 5
    for name in run_sanitized.SLOW_TESTS:
        file, test = name.split("::")
        assert f"def {test.split('[')[0]}(" in (run_sanitized.TESTS_OF_TILER / file).read_text()


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("...\nFAILED a.py::test - why\nERROR b.py\n1 failed\n", "FAILED a.py::test - why\nERROR b.py"),
        ("".join(f"{line}\n" for line in range(100)), "\n".join(str(line) for line in range(60, 100))),
    ],
)
def test_what_failed_under_sanitizers_is_named(output: str, said: str) -> None:
    assert run_sanitized.what_failed(output) == said


@pytest.mark.parametrize(("codes", "kept"), [((0, 1), ["test_moody.py::test"]), ((1, -6), []), ((1, 2), [])])
def test_tests_that_failed_under_sanitizers_are_kept_unless_a_sanitizer_ended_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    codes: tuple[int, ...],
    kept: list[str],
) -> None:
    stage = run_stages.CI_LAST

    def run_share(command: list[str], files: list[str], *, is_quick: bool) -> tuple[int, str]:
        assert is_quick
        code = codes[files == ["b.py"]]
        if code == 1:
            folder = Path(command[-1].removeprefix("cache_dir=")) / "v" / "cache"
            folder.mkdir(parents=True)
            (folder / "lastfailed").write_text(json.dumps({"test_moody.py::test": True}))
        return code, f"FAILED {files[0]}\n" if code == 1 else "what it says\n"

    monkeypatch.setattr(run_stages, "CACHES", tmp_path)
    monkeypatch.setattr(run_sanitized, "CACHES", tmp_path / stage)
    monkeypatch.setattr(run_sanitized, "lay_out", lambda: None)
    monkeypatch.setattr(run_sanitized, "environment", dict)
    monkeypatch.setattr(run_sanitized, "files_of_tests", lambda **_: ["a.py", "b.py"])
    monkeypatch.setattr(run_sanitized, "run_share", run_share)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: None)  # the probe
    monkeypatch.setattr(sys, "argv", ["run_sanitized.py", "--quick"])
    assert run_sanitized.main() == 1
    assert list(run_stages.failed_tests(stage)) == kept
    assert "a share ended with 1 ===\nFAILED" in capsys.readouterr().out


def test_tests_that_failed_under_sanitizers_are_run_again_under_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    def run(command: list[str], **_: Any) -> SimpleNamespace:
        ran.append(command)
        return SimpleNamespace(returncode=0)

    file = tmp_path / run_stages.CI_LAST / "3" / "v" / "cache" / "lastfailed"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"test_moody.py::test": True}))
    monkeypatch.setattr(run_stages, "CACHES", tmp_path)
    monkeypatch.setattr(subprocess, "run", run)
    result = run_stages.run_failed_again(run_stages.Result(run_stages.CI_LAST, 2, 1.0))
    assert (result.status, result.unsteady) == (0, ("test_moody.py::test",))
    (command,) = ran
    assert (command[1], command[-1]) == ("tests/run_sanitized.py", "test_moody.py::test")
