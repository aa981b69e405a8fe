"""Programs that are profiled in processes of their own: a framework, once imported, stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]

# Where `make torch` puts it: too large for the environment of all tests.
TORCH_PACKAGES: Final = ROOT / "build" / "torch"

# Processes that import a framework on two busy processors.
PATIENCE_S: Final = 300


def torch_path() -> str | None:
    """What PYTHONPATH must have for `import torch`; None where it is not installed."""
    if find_spec("torch") is not None:
        return ""
    return str(TORCH_PACKAGES) if (TORCH_PACKAGES / "torch").is_dir() else None


def run_program(program: str, *arguments: object, python_path: str = "", cache: Path) -> dict[str, Any]:
    """Runs it to its end; what it printed last is JSON."""
    environment: Mapping[str, str] = {
        **os.environ,
        "PYTHONPATH": python_path,
        "JAX_PLATFORMS": "cpu",
        "XDG_CACHE_HOME": str(cache),
    }
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # What nanobind says of types that are left at the end; frameworks leave some of their own.
    assert '"tilescope.' not in done.stderr, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer
