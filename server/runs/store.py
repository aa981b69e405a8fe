"""What the server asks of a store: the part of `tilescope.tiler.store.RunStore` that serving needs."""

from __future__ import annotations

from typing import Any, Protocol

from tilescope.tiler.pages import PageKey
from tilescope.tiler.readers.fingerprint import Fingerprint


class RunStore(Protocol):
    """One published generation, open for reading. Reads take microseconds: no awaiting, no threads."""

    build: str

    def sources(self) -> tuple[Fingerprint, ...]: ...

    def manifest(self) -> dict[str, Any]: ...

    def tracks(self) -> bytes: ...

    def names(self, page: int) -> bytes | None: ...

    def shape(self, block: int) -> bytes | None: ...

    def page(self, key: PageKey) -> bytes | None: ...

    def event(self, track: int, ordinal: int) -> dict[str, Any] | None: ...

    def close(self) -> None: ...
