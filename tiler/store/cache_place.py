"""Default folder of the indexes of runs: the same for the server and for programs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from tilescope.tiler.readers.fingerprint import stamps_digest


def default_cache_dir() -> Path:
    """`$XDG_CACHE_HOME/tilescope/stores`, as the XDG base directory specification has it."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(home) if Path(home).is_absolute() else Path.home() / ".cache"
    return base / "tilescope" / "stores"


def cached_store(root: Path, run_id: str, files: Sequence[Path]) -> Path:
    """`<root>/<run id>/<digest>`: the store of these files, as they are now. Raises `OSError` when a file is gone.

    The digest is of names, sizes and times, so that a trace that was written anew has another store.
    """
    return stamped_store(root, run_id, stamps_digest(files))


def stamped_store(root: Path, run_id: str, digest: str) -> Path:
    """The same, of files whose stamps have that digest."""
    return root.joinpath(run_id, digest)
