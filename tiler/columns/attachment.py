"""Bytes that a trace holds beside its events, under a name: what tools need of it when it is gone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Attachment:
    """One of them. Its content may be larger than memory."""

    name: str  # such as "hlo/7", "json/deviceProperties"; no other of its file has it
    label: str  # what the trace calls it
    media_type: str
    size_bytes: int
    # The content, in pieces of whatever size.
    pieces: Callable[[], Iterator[bytes]] = field(compare=False)
