"""A disk of a few megabytes, in memory. Needs the right to mount; tests are skipped, visibly, without it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size_bytes: int) -> Iterator[Path]:
    """An empty disk of that size at `folder`, which is gone after the block whatever happens."""
    folder.mkdir()
    options = ["-t", "tmpfs", "-o", f"size={size_bytes}", "tmpfs"]
    mounted = subprocess.run(["mount", *options, str(folder)], capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"a small disk cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)
