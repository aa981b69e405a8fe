"""Where real traces lie: a folder outside of the repository."""

from __future__ import annotations

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

_BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[1].parent / "shared" / "corpus"


def corpus_root() -> Path:
    """The folder named by TILESCOPE_CORPUS, or the one beside the repository."""
    return Path(os.environ.get("TILESCOPE_CORPUS") or _BESIDE_THE_REPOSITORY)


def corpus_path(name: str) -> Path:
    """A file of the corpus; skips the test where it is absent."""
    path = corpus_root() / name
    if not path.exists():
        pytest.skip(f"no corpus file {path}; set TILESCOPE_CORPUS")
    return path


@cache
def corpus_manifest() -> dict[str, dict[str, Any]]:
    """What an independent parser counted, by file name; empty where there is no corpus."""
    path = corpus_root() / "MANIFEST.json"
    if not path.exists():
        return {}
    manifest: dict[str, dict[str, Any]] = json.loads(path.read_text())
    return manifest
