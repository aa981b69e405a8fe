"""What the server asks of a store. The interface of `tilescope.tiler.store`, as far as serving needs it."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol


class PageKey(NamedTuple):
    """The name of a page: that of its first tile."""

    block: int
    level: int
    index: int  # type: ignore[assignment]
    slot: int


class RunStore(Protocol):
    """One published generation, open for reading. Reads take microseconds: no awaiting, no threads."""

    build: str

    def manifest(self) -> dict[str, Any]: ...

    def tracks(self) -> bytes: ...

    def names(self, page: int) -> bytes | None: ...

    def shape(self, block: int) -> bytes | None: ...

    def page(self, key: PageKey) -> bytes | None: ...

    def event(self, track: int, ordinal: int) -> dict[str, Any] | None: ...

    def close(self) -> None: ...
