"""Debian folders that portable wheels are tried in: an older Linux, and other machines under QEMU.

`make chroots` makes them below `build/chroots`, once: with debootstrap, as root. A folder for another machine is only
unpacked, never configured: that takes no kernel which starts foreign programs by itself, only `qemu-user-static`, under
which Python runs there. It must start no other program.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
FOLDER: Final = ROOT / "build" / "chroots"
PACKAGES: Final = "/opt/packages"  # within a chroot: what is installed there for Python
RUN_S: Final = 900.0  # of one command, under QEMU on a busy machine
DEBIAN_MACHINES: Final = {"x86_64": "amd64", "aarch64": "arm64"}
COMPILING: Final = "gcc libc6-dev make libbz2-dev libffi-dev liblzma-dev libsqlite3-dev libssl-dev zlib1g-dev xz-utils"

# Debian 11 has no Python that takes our wheels: the source of Debian 12's is compiled there.
BUILD_PYTHON: Final = """
set -e
cd /usr/src
sed -n 's/^deb \\([^ ]*\\) .*/deb-src \\1 bookworm main/p' /etc/apt/sources.list | head -n 1 > bookworm.list
options="-q -o Dir::Etc::sourcelist=/usr/src/bookworm.list -o Dir::Etc::sourceparts=/dev/null"
apt-get $options update
apt-get $options source --download-only python3.11
tar -xf python3.11_*.orig.tar.*
cd Python-3.11*
./configure --quiet --without-ensurepip --disable-test-modules
make --silent -j"$(nproc)"
make --silent install
rm -rf /usr/src/*
"""


@dataclass(frozen=True, slots=True)
class Chroot:
    """A Debian release on a kind of machine."""

    release: str
    machine: str
    python: str  # the program of a Python that takes our wheels
    version: str
    glibc: str  # as in the names of wheels; uv knows none that is newer than 2.40

    @property
    def name(self) -> str:
        """Name of its folder."""
        return f"{self.release}-{self.machine}"

    @property
    def folder(self) -> Path:
        """Folder that it has once it is made."""
        return FOLDER / self.name

    @property
    def is_foreign(self) -> bool:
        """True if its programs run under QEMU here."""
        return self.machine != platform.machine()

    @property
    def emulator(self) -> str:
        """The program of QEMU for it."""
        return f"qemu-{self.machine}-static"

    def install(self, wheel: Path) -> None:
        """Installs a wheel and all that it requires, as wheels alone; nothing runs within the chroot for that."""
        packages = Path(f"{self.folder}{PACKAGES}")
        shutil.rmtree(packages, ignore_errors=True)
        where = ["--python-platform", f"{self.machine}-manylinux_{self.glibc}", "--python-version", self.version]
        what: list[str | Path] = ["--only-binary", ":all:", "--target", packages, wheel]
        uv = [sys.executable, "-m", "uv", "--quiet", "--no-config", "pip", "install"]
        subprocess.run([*uv, *where, *what], check=True, timeout=RUN_S)

    def run_python(self, *arguments: str) -> str:
        """The output of Python with these arguments, which has to succeed."""
        emulator = [f"/usr/bin/{self.emulator}"] if self.is_foreign else []
        command = within(self.folder, [*emulator, self.python, *arguments])
        environment = {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "PYTHONPATH": PACKAGES,
        }
        done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True, timeout=RUN_S)
        assert done.returncode == 0, f"{done.stdout}{done.stderr}"
        return done.stdout


CHROOTS: Final = (
    Chroot("bullseye", "x86_64", "/usr/local/bin/python3.11", "3.11", "2_31"),
    Chroot("bookworm", "aarch64", "/usr/bin/python3.11", "3.11", "2_36"),
    Chroot("trixie", "aarch64", "/usr/bin/python3.13", "3.13", "2_40"),
)


def within(folder: Path, command: Sequence[str]) -> list[str]:
    """A command in a chroot, with a `/proc` of its own, which goes with it."""
    return ["unshare", "--mount", "--pid", "--fork", f"--mount-proc={folder}/proc", "chroot", str(folder), *command]


def make(chroot: Chroot) -> None:
    """Makes the folder: it is there when all is done."""
    part = FOLDER / f"{chroot.name}.part"
    shutil.rmtree(part, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    builds_python = chroot.python.startswith("/usr/local/")
    packages = COMPILING if builds_python else "python3"
    command = ["debootstrap", "--variant=minbase", f"--arch={DEBIAN_MACHINES[chroot.machine]}"]
    command += [f"--include={','.join(packages.split())}"] + (["--foreign"] if chroot.is_foreign else [])
    run([*command, chroot.release, str(part)])
    if chroot.is_foreign:
        unpack(part)
        emulator = shutil.which(chroot.emulator)
        assert emulator is not None
        shutil.copy2(emulator, part / "usr/bin")
    if builds_python:
        shutil.copy2("/etc/resolv.conf", part / "etc/resolv.conf")
        run(within(part, ["sh", "-c", BUILD_PYTHON]))
    part.rename(chroot.folder)


def unpack(folder: Path) -> None:
    """Unpacks all packages that debootstrap has fetched, as its second stage would, but for their scripts."""
    if (folder / "proc").is_symlink():  # to the path that it has itself: debootstrap lays that out for containers
        (folder / "proc").unlink()
        (folder / "proc").mkdir()
    for package in sorted((folder / "var/cache/apt/archives").glob("*.deb")):
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as reading:
            # Debian's folders `/lib` and `/bin` are links into `/usr`, and have to stay so.
            run(["tar", "--keep-directory-symlink", "-C", str(folder), "-xf", "-"], stdin=reading.stdout)
        assert reading.returncode == 0, package


def run(command: Sequence[str], stdin: object = None) -> None:
    """Runs a command that has to succeed."""
    subprocess.run(command, stdin=stdin, check=True)  # type: ignore[call-overload]


def missing_programs(chroot: Chroot) -> list[str]:
    """Packages that have to be installed before it can be made."""
    needed = ["debootstrap", "dpkg-deb", "unshare", *([chroot.emulator] if chroot.is_foreign else [])]
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    return [name for name in needed if shutil.which(name, path=path) is None]


def main() -> int:
    """Makes those that are missing, as far as that can be done here; says what cannot."""
    for chroot in CHROOTS:
        if chroot.folder.is_dir():
            print(f"{chroot.name}: is there")
        elif os.geteuid() != 0:
            print(f"{chroot.name}: skipped, debootstrap needs root")
        elif missing := missing_programs(chroot):
            print(
                f"{chroot.name}: skipped, not installed: {', '.join(missing)} (packages debootstrap, qemu-user-static)"
            )
        else:
            print(f"{chroot.name}: is being made", flush=True)
            make(chroot)
    return 0


if __name__ == "__main__":
    sys.exit(main())
