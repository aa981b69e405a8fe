"""Ways back into the viewer: an address that opens just what an answer is about, or the command that does."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class LinkTarget:
    """Target of a link: ticks [start, end) of the timeline, an event `TRACK.ORDINAL`, a search, or a tool's page.

    The page is of the span, or of `steps`: "5" or "5-9". `others`: paths of other runs that the page is about.
    """

    start: int | None = None
    end: int | None = None
    event: str = ""
    query: str = ""
    tool: str = ""
    fields: Mapping[str, str] | None = None
    steps: str = ""
    others: Sequence[str] = ()

    @property
    def fragment(self) -> str:
        """The part of an address behind `#`, as docs/embedding.md has it."""
        parts = ["v=1"]
        if self.start is not None and self.end is not None:
            parts.append(f"t={self.start}-{self.end}")
        if self.event:
            parts.append(f"sel={quote(self.event)}")
        if self.query:
            parts.append(f"q={quote(self.query)}")
        if self.tool:
            parts.append(f"tool={quote(self.tool)}")
            if self.start is not None and self.end is not None:
                parts += [f"area={self.start}-{self.end}", "in=selection"]
            elif self.steps:
                parts.append(f"in=steps.{quote(self.steps)}")
            parts += [f"f.{quote(name)}={quote(value)}" for name, value in (self.fields or {}).items()]
        return "&".join(parts)


def server_link(server: str, run: str, place: LinkTarget) -> str:
    """The address of a place in a run of a server."""
    return f"{server.rstrip('/')}/?run={quote(run)}#{place.fragment}"


def view_command(path: str, place: LinkTarget) -> str:
    """The command that opens a place in a run without a server; beside other runs, whose page is chosen there."""
    if place.others:
        return f"tilescope view {shlex.join([path, *place.others])}"
    return f"tilescope view {shlex.quote(path)} --at {shlex.quote(place.fragment)}"
