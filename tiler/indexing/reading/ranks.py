"""Ranks of a job, each of which has written a file: their places in the run, and what does not fit together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from tilescope.tiler.columns import TraceSummary
from tilescope.tiler.device_lines import is_device_label
from tilescope.tiler.indexing.reading.file_events import TraceFile
from tilescope.tiler.readers.layouts import FileLabel
from tilescope.tiler.readers.layouts.rank_names import missing_ranks

_NAMED: Final = 5  # of files that do not fit


def rank_labels(summaries: Sequence[TraceSummary], has_events: Callable[[int, int], bool]) -> list[str | None]:
    """Names of the files of ranks, in a run of several; None for all others. No two are called the same.

    `has_events(file, process)` tells which devices a rank used.
    """
    if sum(summary.rank is not None for summary in summaries) < 2:
        return [None] * len(summaries)
    labels: list[str | None] = []
    seen: Counter[str] = Counter()
    for file, summary in enumerate(summaries):
        if summary.rank is None:
            labels.append(None)
            continue
        devices = [
            process.name
            for number, process in enumerate(summary.processes)
            if is_device_label(process.name) and has_events(file, number)
        ]
        label = str(FileLabel(summary.rank.number, summary.rank.host, devices[0] if len(devices) == 1 else ""))
        seen[label] += 1
        labels.append(label if seen[label] == 1 else f"{label} ({seen[label]})")
    return labels


def rank_warnings(files: Sequence[TraceFile]) -> Iterator[str]:
    """Lines on what the ranks of a run lack."""
    ranked = [(file, file.summary.rank) for file in files if file.summary.rank is not None]
    if len(ranked) < 2:
        return
    numbers = Counter(rank.number for _, rank in ranked)
    for number, count in sorted(numbers.items()):
        if count > 1:
            yield f"rank {number} has {count} files: figures of ranks count it {count} times"
    sizes = sorted({rank.world_size for _, rank in ranked if rank.world_size is not None})
    if len(sizes) > 1:
        yield f"the files are of jobs of {' and '.join(f'{size:,}' for size in sizes)} ranks"
    elif sizes and (missing := missing_ranks(numbers, sizes[0])) is not None:
        yield missing
    apart = _apart([file for file, _ in ranked])
    for file in apart[:_NAMED]:
        yield f"{file.path.name} overlaps no other rank in time: it is of another job or cycle (--separate shows it)"
    if len(apart) > _NAMED:
        yield f"{len(apart) - _NAMED:,} more files overlap with no other rank in time"


def _apart(files: Sequence[TraceFile]) -> list[TraceFile]:
    """Files that have no time in common with any other."""
    spans = []
    for number, file in enumerate(files):
        span, base_ns = file.events.span, file.summary.base_time_ns
        if span.first_ns is not None:
            spans.append((span.first_ns + base_ns, span.last_ns + base_ns, number))
    spans.sort()
    together: set[int] = set()
    last_end, last_number = None, -1
    for start, end, number in spans:
        if last_end is not None and start <= last_end:
            together |= {last_number, number}
        if last_end is None or end > last_end:
            last_end, last_number = end, number
    return [files[number] for *_, number in spans if number not in together] if len(spans) > 1 else []
