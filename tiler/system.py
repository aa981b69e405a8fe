"""Calls of Unix and Linux that Python code makes: locks, room on the disk, limits, memory and processor time.

On another system these functions are what has to be written anew; for native code that is `native/base/system.hpp`.
What Linux alone has is left out elsewhere, as each function says.
"""

from __future__ import annotations

import fcntl
import os
import resource
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Final, Protocol

# Opens a file of this very place: never through a link, and without waiting for the other end of a pipe.
OF_THIS_PLACE: Final = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK

UNLIMITED: Final = resource.RLIM_INFINITY

_PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
_USER_TIME: Final = 11  # of the fields of a process' `stat` behind its name; system time is the next
_DATA: Final = 5  # of the sizes of a process: what it may write into, and shares with no other
_OPEN_FILES: Final = Path("/proc/self/fd") if Path("/proc/self/fd").is_dir() else Path("/dev/fd")
_PROCESSORS: Final = "TILESCOPE_THREADS"  # of the environment, which processes inherit
_CGROUPS: Final = Path("/proc/self/cgroup")
_CGROUP_ROOT: Final = Path("/sys/fs/cgroup")
_QUOTA_FILES: Final = ("cpu.cfs_quota_us", "cpu.cfs_period_us")  # of version 1
_QUOTA_UNLIMITED: Final = 1 << 20
_ZEROS: Final = bytes(1 << 20)

MOST_PROCESSORS: Final = 1024  # that somebody may choose: each gets a thread


class _WithDescriptor(Protocol):
    def fileno(self) -> int: ...


def lock(file: int | _WithDescriptor, *, shared: bool = False, wait: bool = True) -> None:
    """Locks an open file for its process, until it is closed or the process ends. Other processes may share it.

    Raises BlockingIOError where it would have to wait and must not, OSError where a file system has no locks.
    """
    fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def reserve(descriptor: int, size_bytes: int) -> None:
    """Makes a new file so large that writing into it never finds the disk full. Raises OSError where it is."""
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(descriptor, 0, size_bytes)
        return
    written = 0
    while written < size_bytes:
        written += os.pwrite(descriptor, _ZEROS[: size_bytes - written], written)


def processors() -> int:
    """Number of processors that this process may use, by `use_processors`, or by its affinity and its cgroups.

    Where the system does not say, the number of all.
    """
    chosen = os.environ.get(_PROCESSORS, "")
    if chosen.isascii() and chosen.isdigit():
        return min(max(int(chosen), 1), MOST_PROCESSORS)
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(min(count, _quota_processors()), 1)


def use_processors(count: int) -> None:
    """Sets that number for this process and for those that it starts."""
    os.environ[_PROCESSORS] = str(count)


@cache
def _quota_processors() -> int:
    """Processors whose time the cgroups of this process, and those that they lie in, may take; part of one is one."""
    quotas = [_QUOTA_UNLIMITED]
    try:
        lines = _CGROUPS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return _QUOTA_UNLIMITED
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        root = _CGROUP_ROOT / "cpu" if controllers else _CGROUP_ROOT
        folder = root / path.lstrip("/")
        quotas += [_quota(folder) for folder in (folder, *folder.parents) if folder.is_relative_to(root)]
    return min(quotas)


def _quota(folder: Path) -> int:
    """Processors of one cgroup, of either version."""
    try:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
        else:
            quota, period = ((folder / name).read_text(encoding="ascii") for name in _QUOTA_FILES)
        microseconds = int(quota)  # "max", or -1: unlimited
        return -(-microseconds // int(period)) if microseconds > 0 else _QUOTA_UNLIMITED
    except (OSError, ValueError, ZeroDivisionError):
        return _QUOTA_UNLIMITED


def open_file_limits() -> tuple[int, int]:
    """Number of files that this process may have open, and the highest that it may set itself; or `UNLIMITED`."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)


def set_open_file_limits(limit: int, hard: int) -> None:
    """Sets both."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def memory_limits() -> list[tuple[int, str, str]]:
    """The limits of memory that are set: in bytes, of what, and the command of a shell that sets it."""
    kinds = ((resource.RLIMIT_AS, "address space", "ulimit -v"), (resource.RLIMIT_DATA, "data", "ulimit -d"))
    limits = [(resource.getrlimit(kind)[0], name, command) for kind, name, command in kinds]
    return [limit for limit in limits if limit[0] != UNLIMITED]


def limit_memory(more_bytes: int) -> None:
    """Has this process take no more than so many bytes beside those it has: what asks for more fails. Linux alone."""
    if sys.platform != "linux":
        return
    limit = _memory_pages()[_DATA] * _PAGE_BYTES + more_bytes
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (limit if hard == UNLIMITED else min(limit, hard), hard))


def mapped_bytes() -> int:
    """Memory of this process that is of mapped files; 0 where the system does not say."""
    return _resident_pages()[1] * _PAGE_BYTES


def private_bytes() -> int:
    """Memory of this process that is its own; 0 where the system does not say."""
    resident, shared = _resident_pages()
    return (resident - shared) * _PAGE_BYTES


def _resident_pages() -> tuple[int, int]:
    """All that are resident, and those of files."""
    if sys.platform != "linux":
        return 0, 0
    _, resident, shared, *_ = _memory_pages()
    return resident, shared


def _memory_pages() -> list[int]:
    """Sizes of this process as Linux counts them."""
    with open("/proc/self/statm", "rb") as file:  # noqa: PTH123 - read every few milliseconds
        return [int(size) for size in file.read().split()]


def processor_s(pid: int) -> float:
    """Returns the processor time of a process, all its threads together; 0 where the system does not say."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return 0.0
    fields = stat[stat.rindex(b")") + 2 :].split()
    return (int(fields[_USER_TIME]) + int(fields[_USER_TIME + 1])) / _TICKS_PER_S


def give_way(niceness: int) -> None:
    """Has this process, in a session of its own, leave the processor to others first.

    Linux shares processor time among sessions first, where it does so, and only within them by niceness: in the session
    of its parent this process would take from it what others have taken from both.
    """
    os.nice(niceness)
    with suppress(OSError):
        os.setsid()
        Path("/proc/self/autogroup").write_text(str(niceness))


def open_files() -> list[int]:
    """Descriptors of this process, ascending."""
    return sorted(int(file.name) for file in _OPEN_FILES.iterdir())


def connection_table(*, is_ipv6: bool) -> str:
    """The TCP connections of this machine, a line for each; empty where the system tells none."""
    name = "tcp6" if is_ipv6 else "tcp"
    try:
        return Path("/proc/net", name).read_text(encoding="ascii")
    except OSError:
        return ""
