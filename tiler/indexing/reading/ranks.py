"""Files of the ranks or hosts of a job: their places in the run, and what does not fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterator, Sequence
from typing import Final, NamedTuple

from tilescope.tiler.columns import TraceSummary
from tilescope.tiler.device_lines import is_device_label
from tilescope.tiler.distinct_names import DistinctNames
from tilescope.tiler.indexing.reading.file_events import TraceFile
from tilescope.tiler.readers.layouts import FileLabel
from tilescope.tiler.readers.layouts.rank_names import missing_ranks

_NAMED: Final = 5  # of files that do not fit
_EPOCH_NS: Final = 10**17  # times below, of 1973, count from an unknown base: nothing is known of how far they are


class _Span(NamedTuple):
    """The time of a file, since the epoch."""

    first_ns: int
    last_ns: int
    file: int


def rank_labels(
    summaries: Sequence[TraceSummary], used_processes: Callable[[int], Container[int]], *, is_shard: bool = False
) -> list[str | None]:
    """Names of the files of ranks, in a run of several; None for all others. No two ranks are called the same.

    `used_processes(file)`: those with events, to tell which device a rank used. It is called once for each rank.
    `is_shard`: other files of the run are elsewhere.
    """
    places = {_place(file, summary) for file, summary in enumerate(summaries) if summary.rank is not None}
    if len(places) < 2 and not is_shard:
        return [None] * len(summaries)
    labels: list[str | None] = []
    distinct = DistinctNames()
    label_by_place: dict[Hashable, str] = {}
    for file, summary in enumerate(summaries):
        if summary.rank is None:
            labels.append(None)
            continue
        used = used_processes(file)
        devices = [
            process.name
            for number, process in enumerate(summary.processes)
            if number in used and is_device_label(process.name)
        ]
        label = str(FileLabel(summary.rank.number, summary.rank.host, devices[0] if len(devices) == 1 else ""))
        place = _place(file, summary)
        if place not in label_by_place:
            label_by_place[place] = distinct.add(label)
        labels.append(label_by_place[place])
    return labels


def rank_warnings(files: Sequence[TraceFile]) -> Iterator[str]:
    """Lines on what the ranks of a run lack."""
    ranked = [(file, file.summary.rank) for file in files if file.summary.rank is not None]
    rank_by_place = {_place(number, file.summary): rank for number, (file, rank) in enumerate(ranked)}
    if len(rank_by_place) < 2:
        return
    numbers = Counter(rank.number for rank in rank_by_place.values())
    for number, count in sorted(numbers.items()):
        if count > 1:
            yield f"rank {number} has {count} files: figures of ranks count it {count} times"
    sizes = sorted({rank.world_size for _, rank in ranked if rank.world_size is not None})
    if len(sizes) > 1:
        yield f"the files are of jobs of {' and '.join(f'{size:,}' for size in sizes)} ranks"
    elif sizes or all(_is_of_capture(file.summary) for file, _ in ranked):
        missing = missing_ranks(numbers, sizes[0] if sizes else None)
        if missing is not None:
            yield missing
    apart = _apart([file for file, _ in ranked])
    for file in apart[:_NAMED]:
        yield f"{file.path.name} overlaps no other rank in time: it is of another job or cycle (--separate shows it)"
    if len(apart) > _NAMED:
        yield f"{len(apart) - _NAMED:,} more files overlap with no other rank in time"


def _place(number: int, summary: TraceSummary) -> Hashable:
    """A key that files of one rank have in common: those of a device in one capture are of one."""
    place = summary.device_file
    return (place.capture, place.device) if place is not None and place.capture else number


def _is_of_capture(summary: TraceSummary) -> bool:
    """True for a file of a profiler that says the rank of each capture."""
    return summary.device_file is not None and bool(summary.device_file.capture)


def files_of_other_times(files: Sequence[TraceFile | None]) -> list[int]:
    """Numbers of the files that do not overlap, directly or through others, the most files that do.

    Of as many files, the first ones are those that stay. A file without events, or whose times count from an unknown
    base, may be of any time.
    """
    spans = _spans(files)
    stretches = _stretches([span for span in spans if span.first_ns >= _EPOCH_NS])
    if len(stretches) < 2:
        return []
    kept = max(stretches, key=len)  # the first one of several
    return sorted(span.file for stretch in stretches if stretch is not kept for span in stretch)


def _apart(files: Sequence[TraceFile]) -> list[TraceFile]:
    """Files that have no time in common with any other."""
    stretches = _stretches(_spans(files))
    return [files[stretch[0].file] for stretch in stretches if len(stretch) == 1] if len(stretches) > 1 else []


def _spans(files: Sequence[TraceFile | None]) -> list[_Span]:
    """The times of the files that have events."""
    spans = []
    for number, file in enumerate(files):
        if file is None:
            continue
        span, base_ns = file.events.span, file.summary.base_time_ns
        if span.first_ns is not None and span.last_ns is not None:
            spans.append(_Span(span.first_ns + base_ns, span.last_ns + base_ns, number))
    return spans


def _stretches(spans: Sequence[_Span]) -> list[list[_Span]]:
    """The spans in order of time, those together that have time in common, directly or through others."""
    stretches: list[list[_Span]] = []
    last_ns = None
    for span in sorted(spans):
        if last_ns is None or span.first_ns > last_ns:
            stretches.append([])
        stretches[-1].append(span)
        last_ns = span.last_ns if last_ns is None else max(last_ns, span.last_ns)
    return stretches
