"""What questions read of a store: the part of `tilescope.tiler.store.RunStore` that they need."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from tilescope.tiler.details.codec import Arguments
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.pages import PageKey
from tilescope.tiler.pages.flow_ends import FlowEnds
from tilescope.tiler.pages.steps import TrackSteps


class QueryStore(Protocol):
    """One generation, open for reading, from whatever thread."""

    @property
    def is_growing(self) -> bool:
        """Whether it is still being built, so that its answers may change."""
        ...

    def manifest(self) -> dict[str, Any]: ...

    def tracks(self) -> bytes: ...

    def names(self, page: int) -> bytes | None: ...

    def shape(self, block: int) -> bytes | None: ...

    def page(self, key: PageKey) -> bytes | None: ...

    def attachments(self) -> bytes | None: ...

    def attachment_chunk(self, number: int, chunk: int) -> bytes: ...

    def event_metadata(self, file: int) -> XStatTables | None: ...

    def file_of(self, track: int) -> int:
        """The file of a track, or -1 of a rollup."""
        ...

    def histogram_record(self, track: int, level: int, index: int) -> bytes | None: ...

    def flow_ends_at(self, track: int, ordinal: int) -> FlowEnds | None: ...

    def flow_ends(self, track: int) -> Iterator[FlowEnds]: ...

    def steps(self) -> Iterator[tuple[int, TrackSteps]]: ...

    def file_of_tracks(self) -> Sequence[int]: ...

    def arguments(self, track: int, ordinals: Sequence[int]) -> Iterator[Arguments]:
        """The arguments of some events of a track, whose ordinals ascend."""
        ...

    def flow_end_chunks(self, track: int) -> Iterator[bytes]: ...
