"""Survey of the files of a shard: their time span and names, from which the axis of the run is made."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from tilescope.tiler.columns import Span, TraceSummary
from tilescope.tiler.errors import StoreError
from tilescope.tiler.indexing.meter import Meter
from tilescope.tiler.indexing.progress import ProgressCallback
from tilescope.tiler.indexing.reading.axis import file_times
from tilescope.tiler.indexing.reading.file_events import TraceFile
from tilescope.tiler.indexing.reading.names import RunNames
from tilescope.tiler.indexing.reading.read import read_files
from tilescope.tiler.indexing.reading.timeline import Timeline
from tilescope.tiler.indexing.scratch import Scratch
from tilescope.tiler.readers.fingerprint import take_fingerprints
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.time_unit import TimeUnit
from tilescope.tiler.store.documents import read_document, write_document
from tilescope.tiler.store.version import STORE_VERSION

_MOST_BYTES: Final = 1 << 30
_SCRATCH_SHARE: Final = 0.25  # of the memory: the rest is for readers
_MAPPED_SHARE: Final = 0.05

Decimal = Annotated[str, Meta(pattern="^-?[0-9]{1,20}$")]


class Survey(Struct, frozen=True, forbid_unknown_fields=True):
    """Files that make one shard, looked into. Times are those of the run, of what is shown of the files."""

    version: int  # of what is stored
    fingerprints: list[dict[str, Any]]
    first_ns: Decimal | None  # None: there are no events
    last_ns: Decimal
    last_ps: int
    any_ps: bool
    is_windowed: bool  # the times of the files do not fit on one axis: some are not shown
    has_company: bool  # they are to be read together with others like them
    events: int
    names: list[tuple[str, str]]  # text and category

    @property
    def span(self) -> Span:
        """The time of the events."""
        first_ns = None if self.first_ns is None else int(self.first_ns)
        return Span(first_ns, int(self.last_ns), self.last_ps, self.any_ps)


def survey_files(
    files: Sequence[Path],
    kept: Path,
    scratch: Path,
    *,
    progress: ProgressCallback,
    memory_bytes: int,
    max_inflated: int | None,
    time_unit: TimeUnit,
    workers: int,
) -> Survey:
    """Surveys files, and keeps the result at `kept`: what is kept of the files as they are now is taken.

    An XSpace is looked into, any other file is read from end to end. Raises TraceError, StoreError, OutOfMemory.
    """
    survey = kept_survey(files, kept, time_unit)
    if survey is not None:
        return survey
    fingerprints = _fingerprints(files, time_unit)
    share, mapped = int(memory_bytes * _SCRATCH_SHARE), int(memory_bytes * _MAPPED_SHARE)
    with (
        closing(Scratch(scratch, share, mapped)) as arrays,
        ThreadPoolExecutor(workers, "survey") as pool,
        read_files(
            files, arrays, Meter(progress), pool, workers, lambda _: None, max_inflated, Room(memory_bytes), time_unit
        ) as read,
    ):
        survey = _surveyed(read.readable, fingerprints)
    write_document(kept, survey)
    return survey


def kept_survey(files: Sequence[Path], kept: Path, time_unit: TimeUnit) -> Survey | None:
    """The survey that is kept of the files as they are now; None where there is none. Raises TraceError."""
    try:
        survey = read_document(kept, Survey, _MOST_BYTES)
    except StoreError:  # none yet, or none that can be used
        return None
    is_same = survey.version == STORE_VERSION and survey.fingerprints == _fingerprints(files, time_unit)
    return survey if is_same else None


def _fingerprints(files: Sequence[Path], time_unit: TimeUnit) -> list[dict[str, Any]]:
    return [fingerprint.to_json() for fingerprint in take_fingerprints(files, time_unit)]


def _surveyed(files: Sequence[TraceFile], fingerprints: list[dict[str, Any]]) -> Survey:
    span, names = Span(), RunNames()
    for file in files:
        own, base_ns = file.events.span, file.summary.base_time_ns
        if own.first_ns is not None:
            span.join(Span(own.first_ns + base_ns, own.last_ns + base_ns, own.last_ps, own.any_ps))
        names.add(file.summary.names, file.summary.categories)
    window = Timeline.from_files(map(file_times, files)).window
    if window is not None:
        span = Span(window.first_ns, window.last_ns, window.last_ps, window.any_ps)
    return Survey(
        version=STORE_VERSION,
        fingerprints=fingerprints,
        first_ns=None if span.first_ns is None else str(span.first_ns),
        last_ns=str(span.last_ns),
        last_ps=span.last_ps,
        any_ps=span.any_ps,
        is_windowed=window is not None,
        has_company=any(_has_company(file.summary) for file in files),
        events=sum(file.events.events for file in files),
        names=[(text, names.category(name)) for name, text in enumerate(names)],
    )


def _has_company(summary: TraceSummary) -> bool:
    """True for a file of a device that has several: what they repeat, and whose clock they count by, is said by all."""
    return summary.device_file is not None or summary.device_clock is not None or bool(summary.tables)
