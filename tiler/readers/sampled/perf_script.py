"""The text of `perf script`: samples of threads with their stacks.

A sample is drawn until the next one of its thread, and at most for twice the usual distance of samples of that thread:
a thread that does not run is not sampled.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from statistics import median_low
from typing import Final

from msgspec import Struct

from tilescope.tiler.readers.sampled.profile import SECOND_NS, SampledProfile
from tilescope.tiler.readers.sampled.stacks import DEEPEST, Sample, StackFrame, slices
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.translated.event_text import Event, metadata
from tilescope.tiler.readers.translated.whole_text import read_text

# `python 1234/1235 [003] 12345.678901:     250000 cpu-clock:pppH:`
_HEAD: Final = re.compile(
    r"(?P<name>\S.{0,63}?)\s+(?P<pid>-?\d+)(?:/(?P<tid>-?\d+))?\s+(?:\[(?P<cpu>\d+)\]\s+)?"
    r"(?P<second>\d{1,10})\.(?P<fraction>\d{1,9}):\s+(?:(?P<period>\d+)\s+)?(?P<event>[^\s:][^\s]*?):?\s*"
)
_FRAME: Final = re.compile(r"\s+[0-9a-f]+ (?P<name>.+?)(?:\+0x[0-9a-f]+)?(?: \((?P<file>[^()]*(?:\(deleted\))?)\))?")
_USUAL: Final = 2
_LONGEST_HEAD: Final = 512  # characters, so that a search ends soon
_LONGEST_FRAME: Final = 16_384


def head_of(line: str) -> re.Match[str] | None:
    """The parts of a line that begins a sample; None for any other."""
    return _HEAD.fullmatch(line) if len(line) <= _LONGEST_HEAD else None


class _Thread(Struct):
    name: str
    samples: list[Sample] = []


def read_perf_script(source: ByteSource) -> SampledProfile:
    """The samples of a file. Raises TraceError."""
    profile = SampledProfile(iter(()))
    frames: list[StackFrame] = []
    numbers: dict[str, int] = {}
    threads: dict[tuple[int, int], _Thread] = {}
    stack: list[int] = []
    left_out = 0
    for line in read_text(source).decode("utf-8", "replace").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line[0].isspace():
            match = _FRAME.fullmatch(line.rstrip()) if len(line) <= _LONGEST_FRAME else None
            left_out += match is None
            if match is not None and len(stack) < DEEPEST:  # the innermost come first
                key = f"{match['name']} {match['file']}"
                if key not in numbers:
                    numbers[key] = len(frames)
                    frames.append(StackFrame(match["name"], {"file": match["file"]} if match["file"] else {}))
                stack.insert(0, numbers[key])
            continue
        head = head_of(line)
        if head is None:
            left_out += 1
            stack = []  # its frames belong to nobody
            continue
        stack = []
        pid = int(head["pid"])
        thread = threads.setdefault((pid, int(head["tid"] or pid)), _Thread(head["name"]))
        time = int(head["second"]) * SECOND_NS + int(head["fraction"].ljust(9, "0"))
        thread.samples.append(Sample(time, stack))
    if left_out:
        profile.ignored["lines_that_are_no_samples"] = left_out
    profile.events = _events(threads, frames)
    return profile


def _events(threads: dict[tuple[int, int], _Thread], frames: list[StackFrame]) -> Iterator[Event]:
    named: set[int] = set()
    for (pid, tid), thread in threads.items():
        if pid not in named:
            named.add(pid)
            yield metadata("process_name", pid, None, thread.name)
        yield metadata("thread_name", pid, tid, thread.name)
        thread.samples.sort(key=lambda sample: sample.time_ns)
        samples, end_ns = _with_gaps(thread.samples)
        yield from slices(samples, end_ns, frames, pid, tid)


def _with_gaps(samples: list[Sample]) -> tuple[list[Sample], int]:
    """The samples, with an empty one where a thread has not been sampled for long; and the end of the last."""
    distances = [after.time_ns - before.time_ns for before, after in itertools.pairwise(samples)]
    usual = [distance for distance in distances if distance > 0]  # events of a group are sampled at one time
    longest = _USUAL * median_low(usual) if usual else 0
    parts: list[Sample] = []
    for sample, distance in zip(samples, [*distances, longest], strict=True):
        parts.append(sample)
        if distance > longest:
            parts.append(Sample(sample.time_ns + longest, ()))
    return parts, samples[-1].time_ns + (longest // _USUAL if distances else 0)
