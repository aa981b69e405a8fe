"""What starts at once: `import tilescope` and `tilescope --help` load nothing that takes long.

Which modules are loaded is looked at, and no time: a module of numpy's size takes longer than all that is there now.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

# Each takes from 10 ms (asyncio, rich) to 150 ms (numpy, grpc) to import.
HEAVY = {
    "aiohttp", "asyncio", "google.protobuf", "grpc", "http.client", "lmdb", "msgspec", "multiprocessing", "numpy",
    "pandas", "prometheus_client", "pyarrow", "rich", "ssl", "tilescope.tiler._native", "unittest", "urllib.request",
}  # fmt: skip

IMPORT = "import tilescope"
HELP = """
import contextlib, tilescope.cli
with contextlib.suppress(SystemExit):
    tilescope.cli.main(["--help"])
"""


def loaded(program: str) -> set[str]:
    """The modules that there are after a program, in a Python that has none of its own before."""
    ending = "\nimport sys; print(*sys.modules, file=sys.stderr)"
    command = [sys.executable, "-c", program + ending]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    return set(done.stderr.split())


@pytest.mark.parametrize("program", [IMPORT, HELP], ids=["import", "help"])
def test_nothing_heavy_is_loaded(program: str) -> None:
    modules = loaded(program)
    assert "tilescope" in modules
    assert modules & HEAVY == set()


def test_the_import_loads_the_package_alone() -> None:
    assert {name for name in loaded(IMPORT) if name.startswith("tilescope")} == {"tilescope"}


def test_what_is_asked_for_is_loaded_then() -> None:
    assert "tilescope.client" in loaded("import tilescope; tilescope.connect")
