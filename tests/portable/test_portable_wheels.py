"""Demands of portable wheels on a machine, and that they write on each the very stores that this machine writes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Final

import pytest

from release.targets import TARGETS, Target
from release.wheels import REPAIR_TOOLS, environment_of
from tests.corpus import corpus_path
from tests.demo import DEMO_TRACE
from tests.portable.chroots import CHROOTS, Chroot
from tilescope.tiler.indexing import build_store
from tilescope.tiler.verify import compare_stores

# All that a module may need of a machine: parts of glibc.
LIBRARIES: Final = frozenset({"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "librt.so.1"})
LOADERS: Final = frozenset({"ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"})
MACHINES: Final = {"x86_64": "Advanced Micro Devices X86-64", "aarch64": "AArch64"}

IMPORT: Final = """
import platform, tilescope.tiler._native as native
print(platform.machine(), platform.libc_ver()[1], native.__file__)
"""

# The command line, but for one thing: QEMU 7.2 maps 16 GiB at a time and no more, and LMDB's map is of 1 TiB.
COMMAND: Final = """
import sys
from tilescope.cli import main
from tilescope.tiler.store import lmdb_writer
lmdb_writer._MAP_BYTES = min(lmdb_writer._MAP_BYTES, int(sys.argv[1]))
sys.exit(main(sys.argv[2:]))
"""
QEMU_MAP_BYTES: Final = 1 << 33


@pytest.fixture(scope="session")
def wheels() -> dict[tuple[str, str], Path]:
    """By machine and the tag of their Python."""
    name = os.environ.get("TILESCOPE_PORTABLE")
    if not name:
        pytest.skip("no portable wheels: `make test-portable` builds them and names their folder in TILESCOPE_PORTABLE")
    paths = sorted(Path(name).resolve().glob("tilescope-*.whl"))
    assert paths, f"TILESCOPE_PORTABLE names {name}, which has no wheels"
    return {(machine_of(path), path.name.split("-")[2]): path for path in paths}


def machine_of(wheel: Path) -> str:
    return next(target.machine for target in TARGETS if wheel.stem.endswith(target.machine))


def module_of(wheel: Path, folder: Path) -> Path:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".so"))
        return Path(archive.extract(name, folder))


def readelf(module: Path, *options: str) -> str:
    command = ["readelf", "--wide", *options, str(module)]
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"}).stdout


@pytest.mark.skipif(shutil.which("readelf") is None, reason="readelf (binutils) is not installed")
@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_module_asks_for_an_old_glibc_and_nothing_else(
    wheels: dict[tuple[str, str], Path], target: Target, tmp_path: Path
) -> None:
    of_machine = {tag: wheel for (machine, tag), wheel in wheels.items() if machine == target.machine}
    if not of_machine:
        pytest.skip(f"no wheels for {target.machine} were built")
    for tag, wheel in of_machine.items():
        assert target.platform in wheel.name
        module = module_of(wheel, tmp_path / tag)
        suffix = "abi3" if tag == "cp312" else f"cpython-{tag[2:]}-{target.machine}-linux-gnu"
        assert module.name == f"_native.{suffix}.so"
        assert f"Machine:                           {MACHINES[target.machine]}" in readelf(module, "--file-header")
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", readelf(module, "--dynamic")))
        assert "libc.so.6" in needed
        assert needed <= LIBRARIES | LOADERS
        versions = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", readelf(module, "--version-info"))
        assert versions
        assert max((int(major), int(minor)) for major, minor in versions) <= target.glibc
        # The C++ library within is nobody else's: another module may bring one of its own.
        symbols = re.findall(r" (?:GLOBAL|WEAK) +DEFAULT +(\d+) (\S+)", readelf(module, "--dyn-syms"))
        assert [name for _section, name in symbols] == ["PyInit__native"]


def test_auditwheel_says_the_same(wheels: dict[tuple[str, str], Path]) -> None:
    python = environment_of("repair", Path(sys.executable), REPAIR_TOOLS)
    for (machine, _tag), wheel in wheels.items():
        (target,) = (target for target in TARGETS if target.machine == machine)
        command: list[str | Path] = [python, "-m", "auditwheel", "show", wheel]
        shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert f'"{target.platform}"' in " ".join(shown.split())


@pytest.fixture(scope="module", params=CHROOTS, ids=lambda chroot: chroot.name)
def chroot(request: pytest.FixtureRequest, wheels: dict[tuple[str, str], Path]) -> Chroot:
    """A chroot in which the wheel for it is installed."""
    chroot: Chroot = request.param
    if not chroot.folder.is_dir():
        pytest.skip(f"no chroot {chroot.name}: `make chroots` makes it, as root")
    wheel = wheels.get((chroot.machine, "cp311" if chroot.version == "3.11" else "cp312"))
    if wheel is None:
        pytest.skip(f"no wheel for Python {chroot.version} on {chroot.machine} was built")
    chroot.install(wheel)
    return chroot


def test_it_is_imported(chroot: Chroot) -> None:
    machine, glibc, module = chroot.run_python("-c", IMPORT).split()
    print(f"{chroot.name}: Python {chroot.version}, glibc {glibc}, {module}")
    assert machine == chroot.machine
    assert module.startswith("/opt/packages/tilescope/tiler/_native.")
    # glibc 2.41 is newer than what uv can be asked for
    assert tuple(map(int, glibc.split("."))) >= tuple(map(int, chroot.glibc.split("_")))


@pytest.mark.parametrize("name", ["demo", "kineto/critical_path/alexnet.json.gz"])
def test_stores_are_the_same_as_here(chroot: Chroot, name: str, tmp_path: Path) -> None:
    trace = DEMO_TRACE if name == "demo" else corpus_path(name)
    folder = Path(f"{chroot.folder}{tmp_path}")  # the same path as here: it is in the store
    folder.mkdir(parents=True)
    for place in (tmp_path, folder):
        shutil.copy2(trace, place / trace.name)
    map_bytes = QEMU_MAP_BYTES if chroot.is_foreign else sys.maxsize

    def tilescope(*arguments: str) -> str:
        return chroot.run_python("-c", COMMAND, str(map_bytes), *arguments)

    tilescope("index", f"{tmp_path}/{trace.name}", "-o", f"{tmp_path}/store")
    assert "exact" in tilescope("verify", f"{tmp_path}/store")
    info = json.loads(tilescope("info", f"{tmp_path}/store", "--json"))
    build_store([tmp_path / trace.name], tmp_path / "here")
    assert compare_stores(tmp_path / "here", folder / "store").entries > 5
    shutil.rmtree(folder)
    print(f"{chroot.name}: {trace.name}: {info['events']['total']:,} events, the same store as here")
