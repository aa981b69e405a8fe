"""Runs a command and watches it: wall time, processor time, and the memory of all its processes together."""

from __future__ import annotations

import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

SAMPLE_SECONDS = 0.02  # a peak that is shorter than this may be missed


@dataclass(frozen=True, slots=True)
class Measurement:
    """Time and memory of a command, its children included."""

    seconds: float
    cpu_seconds: float
    peak_rss_bytes: int  # resident pages summed over processes, with mapped files; shared pages count in each
    peak_private_bytes: int  # the part that is not a mapped file: what must be in memory
    output: str  # what it wrote to either stream


@dataclass(frozen=True, slots=True)
class _Memory:
    rss_bytes: int
    private_bytes: int


def measure(command: Sequence[str | Path]) -> Measurement:
    """Runs the command to its end. Raises CalledProcessError, with its output, when it fails.

    Only one at a time: processor time is what all children of this process that have ended took in between.
    """
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output:
        cpu_before = _cpu_seconds()
        begin = time.perf_counter()
        process = psutil.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        peak_rss = peak_private = 0
        while True:
            memory = _memory_of_tree(process)
            peak_rss = max(peak_rss, memory.rss_bytes)
            peak_private = max(peak_private, memory.private_bytes)
            try:
                status = process.wait(timeout=SAMPLE_SECONDS)
                break
            except psutil.TimeoutExpired:
                continue
        seconds = time.perf_counter() - begin
        cpu_seconds = _cpu_seconds() - cpu_before
        output.seek(0)
        text = output.read()
    if status != 0:
        raise subprocess.CalledProcessError(status, [str(part) for part in command], text)
    return Measurement(seconds, cpu_seconds, peak_rss, peak_private, text)


def _memory_of_tree(process: psutil.Process) -> _Memory:
    rss = private = 0
    for member in _tree(process):
        try:
            memory = member.memory_info()
        except psutil.Error:
            continue  # it has just ended
        rss += memory.rss
        private += memory.rss - getattr(memory, "shared", 0)
    return _Memory(rss, private)


def _tree(process: psutil.Process) -> list[psutil.Process]:
    try:
        return [process, *process.children(recursive=True)]
    except psutil.Error:
        return []


def _cpu_seconds() -> float:
    """Processor time of children that have ended and were waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
