"""What the server asks of a store: the part of `tilescope.tiler.store.RunStore` that serving needs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.chunk import Chunk
from tilescope.tiler.details.codec import Arguments
from tilescope.tiler.details.values import Values
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.pages import Histogram, PageKey
from tilescope.tiler.pages.flow_ends import FlowEnds
from tilescope.tiler.pages.steps import TrackSteps
from tilescope.tiler.readers.fingerprint import Fingerprint


class ServedStore(Protocol):
    """One generation, open for reading. Reads take microseconds, but for `histogram`: no awaiting, no threads."""

    build: str

    @property
    def is_growing(self) -> bool:
        """Whether it is still being built, so that its answers may change."""
        ...

    def sources(self) -> tuple[Fingerprint, ...]: ...

    def manifest(self) -> dict[str, Any]: ...

    def tracks(self) -> bytes: ...

    def names(self, page: int) -> bytes | None: ...

    def shape(self, block: int) -> bytes | None: ...

    def page(self, key: PageKey) -> bytes | None: ...

    def overview(self, page: int) -> bytes | None: ...

    def attachments(self) -> bytes | None: ...

    def attachment_chunk(self, number: int, chunk: int) -> bytes: ...

    def flow_ends_at(self, track: int, ordinal: int) -> FlowEnds | None: ...

    def flow_ends(self, track: int, first: int = 0) -> Iterator[FlowEnds]: ...

    def event_metadata(self, file: int) -> XStatTables | None: ...

    def file_of(self, track: int) -> int: ...

    def flow_tiles(self, track: int, level: int, index: int) -> bytes | None: ...

    def event(self, track: int, ordinal: int) -> dict[str, Any] | None: ...

    def histogram(self, track: int, start: int, end: int) -> Histogram | None: ...

    def page_names(self, block: int) -> Iterator[bytes]: ...

    def args_chunk(self, track: int, ordinal: int) -> Chunk | None: ...

    def args_decoder(self, file: int) -> Callable[[bytes], Arguments]: ...

    def args_values(self, file: int, chunk: Chunk, at: NDArray[np.int64], names: Sequence[str]) -> list[Values]: ...

    def histogram_record(self, track: int, level: int, index: int) -> bytes | None: ...

    def spread_record(self, track: int, level: int, index: int) -> bytes | None: ...

    def flow_end_chunks(self, track: int) -> Iterator[bytes]: ...

    def steps(self) -> Iterator[tuple[int, TrackSteps]]: ...

    def file_of_tracks(self) -> Sequence[int]: ...

    def close(self) -> None: ...


class GrowingServedStore(ServedStore, Protocol):
    """One that is being built by another process."""

    def published(self) -> None:
        """It was published: from here on its answers stay as they are."""

    def abandoned(self) -> None:
        """It will not be: who reads it may go on, but nobody needs to keep it."""
