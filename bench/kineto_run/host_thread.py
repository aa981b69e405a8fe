"""Thread of a rank's program: frames, operators and calls in each other, and what they come to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

from bench.kineto_run.trace_file import TraceFile

Category = Literal["cpu_op", "user_annotation", "python_function", "cuda_runtime"]

MODULE: Final = "nn.Module: "


@dataclass(slots=True)
class FrameSums:
    """Sums of all frames of one name; ns and bytes. Self: without other frames of its category in them."""

    calls: int = 0
    host_total: int = 0
    host_self: int = 0
    device_total: int = 0
    device_self: int = 0
    kernels: int = 0  # and copies, launched in it or in what lies in it
    allocated: int = 0  # bytes, self
    freed: int = 0
    allocated_total: int = 0
    freed_total: int = 0


@dataclass(slots=True)
class Frame:
    """Frame that runs."""

    category: Category
    name: str
    start: int
    number: int  # External id, or Python id
    inner: dict[str, int] = field(default_factory=lambda: defaultdict(int))  # ns of what lies in it, by category


@dataclass(slots=True)
class Sums:
    """Sums by category and name."""

    by_name: dict[tuple[str, str], FrameSums] = field(default_factory=lambda: defaultdict(FrameSums))

    def as_json(self) -> dict[str, dict[str, dict[str, int]]]:
        """By category, then name."""
        texts: dict[str, dict[str, dict[str, int]]] = {}
        for (category, name), sums in self.by_name.items():
            texts.setdefault(category, {})[name] = asdict(sums)
        return texts


@dataclass(slots=True)
class HostThread:
    """One thread; `now` is the true time, ns. Written times are those of the rank's clock."""

    pid: int
    tid: int
    offset: int
    sums: Sums
    ids: Iterator[int]  # External ids of the rank
    python_ids: Iterator[int]
    now: int = 0
    frames: list[Frame] = field(default_factory=list)

    @contextmanager
    def frame(
        self, file: TraceFile, category: Category, name: str, before: int, after: int, **args: object
    ) -> Iterator[Frame]:
        """Runs what is inside within a frame, which takes some ns before it and after it."""
        is_python = category == "python_function"
        number = next(self.python_ids if is_python else self.ids)
        frame = Frame(category, name, self.now, number)
        parent = next((outer.number for outer in reversed(self.frames) if outer.category == category), None)
        self.frames.append(frame)
        self.now += before
        yield frame
        self.now += after
        self.frames.pop()
        duration = self.now - frame.start
        if is_python:
            own: dict[str, object] = {"Python parent id": parent, "Python id": number}
            if name.startswith(MODULE):
                own["Python module id"] = int(name.rpartition("_")[2])
        else:
            own = {"External id": number}
        file.slice(category, name, self.pid, self.tid, frame.start + self.offset, duration, own | args)
        sums = self.sums.by_name[category, name]
        sums.calls += 1
        sums.host_total += duration
        sums.host_self += duration - frame.inner[category]
        if self.frames:
            outer = self.frames[-1]
            inner = dict(frame.inner) | {category: duration}
            for kind, ns in inner.items():
                outer.inner[kind] += ns

    def innermost(self, category: Category, prefix: str = "") -> Frame | None:
        """The innermost frame of a category that runs, of those whose names begin so."""
        return next((f for f in reversed(self.frames) if f.category == category and f.name.startswith(prefix)), None)

    def launched(self, duration: int) -> int:
        """Counts a kernel to all frames around its launch; the External id that it has."""
        seen: set[str] = set()
        external = 0
        for frame in reversed(self.frames):
            if frame.category == "cuda_runtime":
                continue
            sums = self.sums.by_name[frame.category, frame.name]
            sums.kernels += 1
            sums.device_total += duration
            if frame.category not in seen:
                sums.device_self += duration
                seen.add(frame.category)
            if not external and frame.category != "python_function":
                external = frame.number
        return external

    def moved(self, size: int) -> None:
        """Counts an allocation, or a free of less than 0 bytes, to the frames around it."""
        seen: set[str] = set()
        for frame in reversed(self.frames):
            sums = self.sums.by_name[frame.category, frame.name]
            is_own = frame.category not in seen
            seen.add(frame.category)
            if size >= 0:
                sums.allocated += size * is_own
                sums.allocated_total += size
            else:
                sums.freed -= size * is_own
                sums.freed_total -= size
