"""The cache directory: where the store of a run lies that was indexed by the server.

`<root>/<run id>/<fingerprint>`: the fingerprint is of the names, sizes and times of the trace files, so that a trace
that was written anew is not taken for the one that was indexed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path


def default_cache_dir() -> Path:
    """`$XDG_CACHE_HOME/tilescope/stores`, as the XDG base directory specification has it."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(home) if Path(home).is_absolute() else Path.home() / ".cache"
    return base / "tilescope" / "stores"


class CacheDirectory:
    """Names places below one root; makes nothing by itself."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def store_of(self, run_id: str, files: Sequence[Path]) -> Path:
        """Where the store of these files belongs, as they are now. Raises `OSError` when a file is gone."""
        return self.root / run_id / _fingerprint(files)

    def discard_older(self, store: Path) -> None:
        """Removes the stores that the same run had before its files changed."""
        if store.parent.parent != self.root:
            return
        for other in store.parent.iterdir():
            if other != store:
                shutil.rmtree(other, ignore_errors=True)


def _fingerprint(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for file in files:
        stat = _stat(file)
        digest.update(f"{file.name}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def _stat(file: Path) -> os.stat_result:
    """Of a file, or of the archive that `archive.zip/member` is in."""
    try:
        return file.stat()
    except NotADirectoryError:
        return _stat(file.parent)
