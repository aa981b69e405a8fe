"""The Linux machines that portable wheels are compiled for, whatever machine compiles them, and how.

The compiler is zig's clang: it has the headers and stub libraries of every glibc, and its own C++ library, which is
linked into the module. So a wheel asks for nothing of a machine but an old glibc. Headers of Python are those of the
Python that builds: between 64-bit Linux machines they differ in nothing that extensions are compiled with.
"""

from __future__ import annotations

import platform
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ZIG: Final = "ziglang>=0.15,<0.18"


@dataclass(frozen=True, slots=True)
class Target:
    """A kind of machine with the oldest glibc that a wheel is to run with."""

    machine: str
    glibc: tuple[int, int]

    @property
    def name(self) -> str:
        """As zig names it: `aarch64-linux-gnu.2.17`."""
        return f"{self.machine}-linux-gnu.{self.glibc[0]}.{self.glibc[1]}"

    @property
    def platform(self) -> str:
        """As wheels are named: `manylinux_2_17_aarch64`."""
        return f"manylinux_{self.glibc[0]}_{self.glibc[1]}_{self.machine}"


TARGETS: Final = (Target("x86_64", (2, 17)), Target("aarch64", (2, 17)))


def toolchain(target: Target, python: Path, folder: Path) -> Path:
    """Writes the compiler and what belongs to it into a folder, for CMake: the path of the toolchain file.

    `python` has zig. CMake takes an archiver without arguments alone, so that each tool is a script.
    """
    folder.mkdir(parents=True, exist_ok=True)
    zig = f"{shlex.quote(str(python))} -m ziglang"
    for name, command in (("clang", "cc"), ("clang++", "c++"), ("ar", "ar"), ("ranlib", "ranlib")):
        options = f" -target {target.name}" if command in ("cc", "c++") else ""
        _write(folder / name, f'#!/bin/sh\nexec {zig} {command}{options} "$@"\n', 0o755)
    tools = {"C_COMPILER": "clang", "CXX_COMPILER": "clang++", "AR": "ar", "RANLIB": "ranlib"}
    lines = [f'set(CMAKE_{variable} "{folder}/{name}")' for variable, name in tools.items()]
    # What the module has of the C++ library is for itself alone: another module may bring another one.
    _write(folder / "exports.map", "{ global: PyInit_*; local: *; };\n", 0o644)
    lines.append(f'set(CMAKE_MODULE_LINKER_FLAGS_INIT "-Wl,--version-script={folder}/exports.map")')
    if target.machine != platform.machine():
        lines += ["set(CMAKE_SYSTEM_NAME Linux)", f"set(CMAKE_SYSTEM_PROCESSOR {target.machine})"]
    path = folder / "toolchain.cmake"
    _write(path, "\n".join(lines) + "\n", 0o644)
    return path


def _write(path: Path, text: str, mode: int) -> None:
    """Writes a file, unless it is so already: what a compiler has compiled counts as old when the compiler is newer."""
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)
        path.chmod(mode)


def build_environment(target: Target, toolchain_file: Path, version: tuple[int, int]) -> Mapping[str, str]:
    """The variables with which scikit-build-core builds for a target, with a Python of a version."""
    cache = toolchain_file.parent.parent / "zig-cache"
    return {
        "CMAKE_TOOLCHAIN_FILE": str(toolchain_file),
        "_PYTHON_HOST_PLATFORM": f"linux-{target.machine}",
        "SETUPTOOLS_EXT_SUFFIX": f".cpython-{version[0]}{version[1]}-{target.machine}-linux-gnu.so",
        "ZIG_GLOBAL_CACHE_DIR": str(cache),
        "ZIG_LOCAL_CACHE_DIR": str(cache),
    }
