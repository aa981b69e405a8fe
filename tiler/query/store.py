"""What questions read of a store: the part of `tilescope.tiler.store.RunStore` that they need."""

from __future__ import annotations

from typing import Any, Protocol

from tilescope.tiler.pages import Histogram, Page, PageKey, Shape


class QueryStore(Protocol):
    """One generation, open for reading, from whatever thread."""

    def manifest(self) -> dict[str, Any]: ...

    def tracks(self) -> bytes: ...

    def names(self, page: int) -> bytes | None: ...

    def decoded_shape(self, block: int) -> Shape | None: ...

    def decoded_page(self, key: PageKey) -> Page: ...

    def histogram(self, track: int, start: int, end: int) -> Histogram | None: ...

    def histogram_record(self, track: int, level: int, index: int) -> bytes | None: ...
