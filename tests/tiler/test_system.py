"""Calls of the operating system, and that no other module makes them."""

from __future__ import annotations

import ast
import errno
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tilescope.tiler import system

ROOT: Final = Path(__file__).resolve().parents[2]
PACKAGES: Final = ("tilescope", "tiler", "server")

# Of Unix or of Linux: modules, and names of `os`.
MODULES: Final = frozenset({"fcntl", "resource"})
NAMES: Final = frozenset(
    {"O_NOFOLLOW", "O_TMPFILE", "memfd_create", "nice", "posix_fadvise", "posix_fallocate", "sched_getaffinity",
     "sched_setaffinity", "sendfile", "setsid", "sysconf"}
)  # fmt: skip
DESCRIPTORS: Final = "tiler/readers/pipes.py"  # knows how users name their pipes


def test_a_lock_is_for_one(tmp_path: Path) -> None:
    with (tmp_path / "file").open("wb") as first, (tmp_path / "file").open("rb") as other:
        system.lock(first)
        for shared in (False, True):
            with pytest.raises(BlockingIOError):
                system.lock(other, shared=shared, wait=False)
    with (tmp_path / "file").open("rb") as first, (tmp_path / "file").open("rb") as other:
        system.lock(first.fileno(), shared=True)
        system.lock(other, shared=True, wait=False)
        with pytest.raises(BlockingIOError):
            system.lock(other, wait=False)


def test_a_file_of_this_place_is_no_link(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError) as caught:  # noqa: PT011 - by its number
        os.open(tmp_path / "link", os.O_RDONLY | system.OF_THIS_PLACE)
    assert caught.value.errno == errno.ELOOP
    for name in ("file", "pipe"):
        os.close(os.open(tmp_path / name, os.O_RDONLY | system.OF_THIS_PLACE))


@pytest.mark.parametrize("size", [1, 4096, (5 << 20) + 7])
@pytest.mark.parametrize("has_fallocate", [True, False])
def test_room_is_reserved(has_fallocate: bool, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if not has_fallocate:
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
    with tempfile.TemporaryFile() as file:
        system.reserve(file.fileno(), size)
        status = os.fstat(file.fileno())
        assert status.st_size == size
        assert status.st_blocks * 512 >= size
        assert file.read() == bytes(size)


def test_a_full_disk_is_told_when_zeros_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_descriptor: int, _data: bytes, offset: int) -> int:
        if offset:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return 1

    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(OSError, match="No space left"):
        system.reserve(0, 1 << 20)


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A folder for cgroups, of which none has a quota, and a process whose number of threads nobody chose."""
    monkeypatch.delenv("TILESCOPE_THREADS", raising=False)
    monkeypatch.setattr(system, "_CGROUPS", tmp_path / "cgroup")
    monkeypatch.setattr(system, "_CGROUP_ROOT", tmp_path / "fs")
    system._quota_processors.cache_clear()
    yield tmp_path
    system._quota_processors.cache_clear()


@pytest.mark.usefixtures("unlimited")
def test_processors_where_the_system_does_not_say(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 1 <= system.processors() <= (os.cpu_count() or 1)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    assert system.processors() == 7
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert system.processors() == 1


@pytest.mark.parametrize(
    ("lines", "files", "expected"),
    [
        ("0::/pod/box\n", {"pod/box/cpu.max": "250000 100000\n"}, 3),
        ("0::/pod/box\n", {"pod/box/cpu.max": "max 100000\n", "pod/cpu.max": "200000 100000\n"}, 2),
        ("0::/elsewhere\n", {"cpu.max": "50000 100000\n"}, 1),
        ("3:cpu,cpuacct:/a\n0::/\n", {"cpu/a/cpu.cfs_quota_us": "400000", "cpu/a/cpu.cfs_period_us": "100000"}, 4),
        ("3:cpu:/a\n", {"cpu/a/cpu.cfs_quota_us": "-1\n", "cpu/a/cpu.cfs_period_us": "100000\n"}, 7),
        ("3:memory:/a\n", {"cpu/a/cpu.cfs_quota_us": "100000", "cpu/a/cpu.cfs_period_us": "100000"}, 7),
        ("0::/pod\n", {"pod/cpu.max": "nonsense\n"}, 7),
        ("0::/pod\n", {"pod/cpu.max": "100000 0\n"}, 7),
        ("0::/../../pod\n", {}, 7),
    ],
)
def test_processors_by_the_quota_of_cgroups(
    lines: str, files: dict[str, str], expected: int, unlimited: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(7)))
    (unlimited / "cgroup").write_text(lines)
    for name, text in files.items():
        file = unlimited / "fs" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    assert system.processors() == expected


@pytest.mark.usefixtures("unlimited")
def test_processors_that_somebody_chose(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILESCOPE_THREADS", "")
    before = system.processors()
    system.use_processors(before + 3)
    assert system.processors() == before + 3
    for text, expected in (("0", 1), ("many", before), ("²", before), ("9" * 100, 1024)):
        monkeypatch.setenv("TILESCOPE_THREADS", text)
        assert system.processors() == expected


def test_limits_of_memory_that_are_set(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {
        resource.RLIMIT_AS: (10**9, 10**9),
        resource.RLIMIT_DATA: (resource.RLIM_INFINITY, resource.RLIM_INFINITY),
    }
    monkeypatch.setattr(resource, "getrlimit", limits.__getitem__)
    assert system.memory_limits() == [(10**9, "address space", "ulimit -v")]


@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone counts mapped memory")
def test_memory_that_a_process_may_take_is_limited() -> None:
    code = (
        "from tilescope.tiler.system import limit_memory\n"
        "limit_memory(64 << 20)\n"
        "fits = bytearray(32 << 20)\n"
        "try:\n    bytearray(128 << 20)\n"
        "except MemoryError:\n    print('refused')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "refused\n"


def test_what_linux_alone_says_is_zero_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert system.private_bytes() > 0
    assert system.mapped_bytes() > 0
    monkeypatch.setattr("sys.platform", "darwin")
    assert system.private_bytes() == system.mapped_bytes() == 0
    assert system.processor_s(0x3FFFFFFF) == 0, "there is no such process"


def test_open_files() -> None:
    with tempfile.TemporaryFile() as file:
        assert file.fileno() in system.open_files()
        assert system.open_files() == sorted(system.open_files())


def foreign(path: Path) -> Iterator[str]:
    """Calls of the system in a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Import():
                yield from (name.name for name in node.names if name.name in MODULES)
            case ast.ImportFrom(module=module) if module in MODULES:
                yield str(module)
            case ast.Attribute(value=ast.Name(id="os"), attr=name) if name in NAMES:
                yield f"os.{name}"
            case ast.Constant(value=str(text)) if text.startswith("/proc/"):
                yield text


@pytest.mark.parametrize("package", PACKAGES)
def test_nothing_else_asks(package: str) -> None:
    paths = [path for path in (ROOT / package).rglob("*.py") if path != ROOT / "tiler" / "system.py"]
    assert len(paths) > 10
    calls = {path.relative_to(ROOT).as_posix(): sorted(foreign(path)) for path in paths}
    calls.pop(DESCRIPTORS, None)
    assert {path: names for path, names in calls.items() if names} == {}
    if package == "tiler":
        assert {"fcntl", "resource", "os.posix_fallocate"} <= set(foreign(ROOT / "tiler" / "system.py"))
