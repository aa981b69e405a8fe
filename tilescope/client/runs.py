"""Runs as they are listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tilescope.client.kinds import RunState
from tilescope.client.progress import Progress


@dataclass(frozen=True, slots=True)
class RunInfo:
    """A run of a server, or of a store."""

    id: str
    name: str
    path: str
    state: RunState
    error: str | None  # why it has failed
    hosts: tuple[str, ...]
    files: int
    size_bytes: int  # of the files
    modified_ns: int  # since the epoch
    build: str | None  # what can be opened
    progress: Progress | None  # while it is indexed
    notes: tuple[str, ...]  # what was left aside of the files, and why
    events: int | None  # slices, instants and samples; once it is indexed
    duration_ps: int | None  # once it is indexed
    is_growing: bool = False  # a file of it is still being written: `size_bytes` so far
    contents: tuple[str, ...] = ()  # of a training on Ascend devices what its files have, in words
    steps: int | None = None  # that it marks; once it is indexed

    @classmethod
    def from_json(cls, run: Mapping[str, Any]) -> RunInfo:
        """From the JSON of docs/api.md."""
        progress = run["progress"]
        message = progress and {**progress, "type": "progress", "state": run["state"], "build": run["build"]}
        return cls(
            run["id"],
            run["name"],
            run["path"],
            run["state"],
            run["error"],
            tuple(run["hosts"]),
            run["files"],
            int(run["size_bytes"]),
            int(run["modified_ns"]),
            run["build"],
            Progress().after(message) if message else None,
            tuple(run["notes"]),
            _whole(run.get("events")),
            _whole(run.get("duration_ps")),
            run.get("growing", False),
            tuple(run.get("contents", ())),
            _whole(run.get("steps")),
        )

    of = from_json  # its name in version 0.2.0


def _whole(text: str | None) -> int | None:
    return None if text is None else int(text)
