"""Progress of a run, from the messages of the watch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from tilescope.client.kinds import Phase, RunState

_INT64: Final = ("bytes_read", "bytes_total", "events")  # decimal text in messages


@dataclass(frozen=True, slots=True)
class Progress:
    """Progress of the indexing of a run; docs/api.md describes the members."""

    state: RunState = "new"
    phase: Phase = "new"
    fraction: float = 0.0  # of the whole, 0 to 1
    seconds_left: float | None = None  # None: nothing is known yet
    build: str | None = None  # what can be opened, while it is indexed too
    error: str | None = None  # why it has failed
    bytes_read: int = 0
    bytes_total: int = 0
    events: int = 0
    tracks: int = 0
    blocks_done: int = 0
    blocks: int = 0

    def after(self, message: Mapping[str, Any]) -> Progress:
        """The progress after a message `progress`, `ready` or `failed`."""
        match message["type"]:
            case "ready":
                return replace(
                    self, state="ready", phase="ready", fraction=1.0, seconds_left=None, build=message["build"]
                )
            case "failed":
                return replace(
                    self, state="failed", phase="failed", seconds_left=None, build=None, error=message["error"]
                )
        changes = {field.name: message[field.name] for field in fields(self) if field.name in message}
        return replace(self, **changes | {name: int(message[name]) for name in _INT64})
