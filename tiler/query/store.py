"""What questions read of a store: the part of `tilescope.tiler.store.RunStore` that they need."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.details.chunk import Chunk
from tilescope.tiler.details.codec import Arguments
from tilescope.tiler.details.values import Values
from tilescope.tiler.details.xstat_tables import XStatTables
from tilescope.tiler.pages import PageKey
from tilescope.tiler.records.flow_ends import FlowEnds
from tilescope.tiler.records.steps import TrackSteps
from tilescope.tiler.store.origin_reader import OriginReader


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

    def rows_chunk(self, number: int) -> bytes | None:
        """A chunk of what the metadata of operations says, see `records.device.metadata_rows`."""
        ...

    def file_of(self, track: int) -> int:
        """The file of a track, or -1 of a rollup."""
        ...

    def histogram_record(self, track: int, level: int, index: int) -> bytes | None: ...

    def spread_record(self, track: int, level: int, index: int) -> bytes | None: ...

    def block_histogram_record(self, block: int, level: int, index: int, *, by_track: bool = False) -> bytes | None: ...

    def block_spread_record(self, block: int, level: int, index: int, *, by_track: bool = False) -> bytes | None: ...

    def flow_ends_at(self, track: int, ordinal: int) -> FlowEnds | None: ...

    def flow_ends(self, track: int, first: int = 0) -> Iterator[FlowEnds]: ...

    def origins(self) -> OriginReader:
        """Where tracks come from, and flow ends as their files have them."""
        ...

    def page_names(self, block: int) -> Iterator[bytes]: ...

    def args_chunk(self, track: int, ordinal: int) -> Chunk | None:
        """The chunk that may have the arguments of an event."""
        ...

    def kinds_record(self, track: int) -> bytes | None: ...

    def operation_sums_record(self, track: int) -> bytes | None: ...

    def step_sums_record(self, track: int) -> bytes | None: ...

    def operations_record(self, track: int, first: int) -> bytes: ...

    def args_decoder(self, file: int) -> Callable[[bytes], Arguments]: ...

    def args_values(self, file: int, chunk: Chunk, at: NDArray[np.int64], names: Sequence[str]) -> list[Values]:
        """Of each name the first argument of the events in these places of a chunk; some may be unclear."""
        ...

    def steps(self) -> Iterator[tuple[int, TrackSteps]]: ...

    def file_of_tracks(self) -> Sequence[int]: ...

    def event(self, track: int, ordinal: int) -> dict[str, Any] | None: ...


class GrowingQueryStore(QueryStore, Protocol):
    """One that is still being built."""

    def track_facts(self, block: int) -> dict[int, dict[str, Any]]:
        """The tracks of a block that is done, by id, as the track tree will have them; none of any other block."""
        ...
