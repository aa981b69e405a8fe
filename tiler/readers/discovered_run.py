"""A run that was found under a path, and what runs are called."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from msgspec import Struct

_MAX_SLUG_CHARS: Final = 60


class DiscoveredRun(Struct, frozen=True):
    """One capture: files that are shown together."""

    id: str  # safe in URLs and file names, the same for the same place
    name: str
    path: Path  # that `discover` finds it by
    files: tuple[Path, ...]  # for `open_trace`, one per host; members of archives as `archive.zip/member`
    hosts: tuple[str, ...]  # by file
    size_bytes: int
    modified_ns: int  # of the newest file
    notes: tuple[str, ...] = ()  # what was left aside and why, one line each
    side_files: tuple[Path, ...] = ()  # that belong to it and are no traces
    stamps_digest: str = ""  # of the files as they were found; empty: look at them
    is_unconfirmed: bool = False  # that the files are of one time is a guess: indexing leaves out those that are not


def run_id(path: Path, name: str) -> str:
    """A readable part of the name and 8 hex digits of the place on disk."""
    return resolved_run_id(os.fsencode(path.resolve()), name)


def resolved_run_id(resolved: bytes, name: str) -> str:
    """The same of a place whose path is resolved already."""
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:_MAX_SLUG_CHARS] or "run"
    return f"{slug}-{hashlib.sha256(resolved).hexdigest()[:8]}"


def run_name(parts: tuple[str, ...]) -> str:
    """`train/2026_01_31_10_00_00` for `train/plugins/profile/2026_01_31_10_00_00`, as TensorBoard names it."""
    if not parts:
        return ""
    *above, name = parts
    kept = above[:-2] if above[-2:] == ["plugins", "profile"] else above
    return "/".join((*(part for part in kept if part not in ("plugins", "profile")), name))


def without_twice(runs: list[DiscoveredRun], links: Sequence[Path]) -> list[DiscoveredRun]:
    """The runs, without those whose files are shown as runs of links, too."""
    if not links:
        return runs
    real_files = [{Path(os.path.realpath(file.parent), file.name) for file in run.files} for run in runs]
    is_linked = [any(run.path.is_relative_to(link) for link in links) for run in runs]
    linked = {file for files, is_so in zip(real_files, is_linked, strict=True) if is_so for file in files}
    kept = zip(runs, real_files, is_linked, strict=True)
    return [run for run, files, is_so in kept if is_so or not files <= linked]
