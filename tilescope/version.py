"""The version and its commit, which tell two installations of one version apart."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tilescope import __version__

# Lies in an installed package: CMakeLists.txt writes it.
COMMIT_FILE = "commit.txt"

# The commit of a checkout, with "-dirty" behind it where files have changed since.
_DESCRIBE = ("git", "describe", "--always", "--dirty", "--exclude=*")


def version_text() -> str:
    """`0.2.0 (commit 1a2b3c4d)`; the version alone where no commit is known."""
    package = Path(__file__).parent
    commit = checkout_commit(package.parent) or installed_commit(package)
    return f"{__version__} (commit {commit})" if commit else __version__


def checkout_commit(folder: Path) -> str:
    """The commit of a checkout; empty where the folder is none, or git cannot be asked."""
    if not (folder / ".git").exists():
        return ""
    try:
        described = subprocess.run(_DESCRIBE, cwd=folder, check=True, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return ""
    return described.stdout.strip()


def installed_commit(package: Path) -> str:
    """The commit that an installed package was built of; empty where it does not say."""
    try:
        return (package / COMMIT_FILE).read_text(encoding="ascii").strip()
    except OSError:
        return ""
