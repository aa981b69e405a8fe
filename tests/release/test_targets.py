"""Portable wheels: the compiler that CMake gets, and which machines are chosen."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from release import targets
from release.targets import Target
from release.wheels import targets as chosen_targets

OLD_ARM = Target("aarch64", (2, 17))


def test_names() -> None:
    assert OLD_ARM.name == "aarch64-linux-gnu.2.17"
    assert OLD_ARM.platform == "manylinux_2_17_aarch64"


def test_tools_pass_on_what_they_get(tmp_path: Path) -> None:
    python = tmp_path / "with blank" / "python"
    python.parent.mkdir()
    python.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    python.chmod(0o755)
    targets.toolchain(OLD_ARM, python, tmp_path / "tools")

    def arguments(name: str, *given: str) -> list[str]:
        done = subprocess.run([tmp_path / "tools" / name, *given], check=True, capture_output=True, text=True)
        return done.stdout.splitlines()

    target = ["-target", "aarch64-linux-gnu.2.17"]
    assert arguments("clang++", "-c", "a b.cpp") == ["-m", "ziglang", "c++", *target, "-c", "a b.cpp"]
    assert arguments("clang") == ["-m", "ziglang", "cc", *target]
    assert arguments("ar", "qc", "a.a") == ["-m", "ziglang", "ar", "qc", "a.a"]
    assert arguments("ranlib", "a.a") == ["-m", "ziglang", "ranlib", "a.a"]


def test_a_second_time_nothing_changes(tmp_path: Path) -> None:
    """Compiled files are kept by the age of the compiler."""
    path = targets.toolchain(OLD_ARM, Path("python"), tmp_path)
    for file in tmp_path.iterdir():
        os.utime(file, (1, 1))
    assert targets.toolchain(OLD_ARM, Path("python"), tmp_path) == path
    assert {file.stat().st_mtime for file in tmp_path.iterdir()} == {1}


@pytest.mark.parametrize(("machine", "is_foreign"), [("x86_64", True), ("aarch64", False)])
def test_cmake_is_told_of_another_machine(
    machine: str, is_foreign: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("release.targets.platform.machine", lambda: machine)
    text = targets.toolchain(OLD_ARM, Path("python"), tmp_path).read_text()
    assert ("set(CMAKE_SYSTEM_PROCESSOR aarch64)" in text) is is_foreign
    assert f'set(CMAKE_CXX_COMPILER "{tmp_path}/clang++")' in text


def test_the_module_is_named_after_its_machine(tmp_path: Path) -> None:
    variables = targets.build_environment(OLD_ARM, tmp_path / "tools/toolchain.cmake", (3, 11))
    assert variables["SETUPTOOLS_EXT_SUFFIX"] == ".cpython-311-aarch64-linux-gnu.so"
    assert variables["_PYTHON_HOST_PLATFORM"] == "linux-aarch64"
    assert variables["CMAKE_TOOLCHAIN_FILE"] == str(tmp_path / "tools/toolchain.cmake")


def test_which_targets() -> None:
    assert list(chosen_targets(None)) == [None]
    assert [target.machine for target in chosen_targets([]) if target] == ["x86_64", "aarch64"]
    assert list(chosen_targets(["aarch64"])) == [OLD_ARM]
