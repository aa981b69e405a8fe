"""Warnings of a run about its files: what of them was left out, and which were cut short."""

from __future__ import annotations

from tilescope.tiler.readers.left_out import NOT_DRAWN, tells_of_cut, tells_of_left_out
from tilescope.tiler.schema import RunManifest


def unread_lines(manifest: RunManifest) -> list[str]:
    """Warnings of a run about files, or parts of them, that were left out, and about rows that are not drawn."""
    return [line for line in manifest.warnings if tells_of_left_out(line) or NOT_DRAWN in line]


def cut_files(manifest: RunManifest) -> frozenset[int]:
    """Indexes into `files` of those that end too early, and of others of their names: warnings have no folders."""
    lines = [line for line in manifest.warnings if tells_of_cut(line)]
    is_alone = len(manifest.files) == 1  # its warnings do not name it
    return frozenset(
        file
        for file, name in enumerate(manifest.files)
        if any(is_alone or line.startswith(f"{name}: ") for line in lines)
    )
