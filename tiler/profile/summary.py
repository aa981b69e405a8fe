"""Summary of a profile: its stages by wall and processor time, and what keeps other threads from working."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.profile.spans import ProfileSpan, WorkProfile
from tilescope.tiler.profile.timeline import moments, spans_by_thread

LONG_HELD_NS: Final = 50_000  # a native call that keeps Python's lock for longer stands in the way of other threads

_SHOWN_CALLS: Final = 10


class StageTotals(Struct):
    """One stage, all threads together, without the stages within it."""

    name: str
    wall_ns: int = 0  # in which any thread was in it
    cpu_ns: int = 0
    running_ns: float = 0.0  # of all its threads together
    serial_ns: float = 0.0  # in which no more than one thread of the process ran, and that was in it


class HeldCalls(Struct):
    """Calls of one native function that kept Python's lock for long."""

    name: str
    calls: int = 0
    held_ns: int = 0
    longest_ns: int = 0


class ProfileSummary(Struct):
    """A profile, summed up. Stages come by their wall time, calls by what they held, longest first."""

    wall_ns: int
    cpu_ns: int
    running_ns: float
    serial_ns: int  # in which no more than one thread ran
    idle_ns: int  # in which none did, for all that was recorded
    stages: list[StageTotals]
    held_calls: list[HeldCalls]
    dropped: int  # spans

    @classmethod
    def from_profile(cls, profile: WorkProfile) -> ProfileSummary:
        """Sums it up."""
        stages: dict[str, StageTotals] = {}
        running_ns, serial_ns, idle_ns = 0.0, 0, 0
        for moment in moments(profile):
            length_ns, running = moment.end_ns - moment.begin_ns, moment.running
            running_ns += length_ns * running
            is_serial = running < 1.5
            serial_ns += length_ns if is_serial else 0
            idle_ns += length_ns if not running else 0
            for name, threads in moment.stages.items():
                stage = stages.setdefault(name, StageTotals(name))
                stage.wall_ns += length_ns
                stage.running_ns += length_ns * threads
                if is_serial:
                    stage.serial_ns += length_ns * threads
        held: dict[str, HeldCalls] = {}
        for spans in spans_by_thread(profile).values():
            for stage_name, cpu_ns in _stage_cpu(spans):
                stages.setdefault(stage_name, StageTotals(stage_name)).cpu_ns += cpu_ns
            for name, held_ns in _held(spans):
                if held_ns > LONG_HELD_NS:
                    calls = held.setdefault(name, HeldCalls(name))
                    calls.calls += 1
                    calls.held_ns += held_ns
                    calls.longest_ns = max(calls.longest_ns, held_ns)
        return cls(
            profile.end_ns - profile.begin_ns,
            sum(stage.cpu_ns for stage in stages.values()),
            running_ns,
            serial_ns,
            idle_ns,
            sorted(stages.values(), key=lambda stage: (-stage.wall_ns, stage.name)),
            sorted(held.values(), key=lambda calls: (-calls.held_ns, calls.name)),
            profile.dropped,
        )

    def lines(self) -> Iterator[str]:
        """The summary as text: a table of stages, then calls."""
        yield (
            f"profile: {_time(self.wall_ns)} wall, {_time(self.cpu_ns)} processor time, "
            f"{self.running_ns / max(self.wall_ns, 1):.2f} threads at a time; "
            f"{_share(self.serial_ns, self.wall_ns)} of the time no more than one runs"
        )
        yield f"  {'stage':<24}{'wall':>10}{'cpu':>10}{'threads':>9}{'of serial time':>16}"
        for stage in self.stages:
            threads = stage.running_ns / max(stage.wall_ns, 1)
            share = _share(stage.serial_ns, self.serial_ns)
            yield f"  {stage.name:<24}{_time(stage.wall_ns):>10}{_time(stage.cpu_ns):>10}{threads:>9.2f}{share:>16}"
        if self.idle_ns:
            yield f"  {'none runs':<24}{_time(self.idle_ns):>10}{'':>19}{_share(self.idle_ns, self.serial_ns):>16}"
        for calls in self.held_calls[:_SHOWN_CALLS]:
            yield (
                f"  {calls.name} keeps Python's lock for {_time(calls.longest_ns)} at most, "
                f"{_time(calls.held_ns)} in {calls.calls:,} calls of more than {_time(LONG_HELD_NS)}"
            )
        if self.dropped:
            yield f"  {self.dropped:,} spans are missing: there were more than a profile keeps"


def _stage_cpu(spans: Iterable[ProfileSpan]) -> Iterator[tuple[str, int]]:
    """Processor time of each stage of a thread, that of the stages within it taken off."""
    open_stages: list[ProfileSpan] = []
    for span in spans:
        if span.kind != "stage":
            continue
        while open_stages and open_stages[-1].end_ns <= span.begin_ns:
            open_stages.pop()
        yield span.name, span.cpu_ns
        if open_stages:
            yield open_stages[-1].name, -span.cpu_ns
        open_stages.append(span)


def _held(spans: Iterable[ProfileSpan]) -> Iterator[tuple[str, int]]:
    """For how long each native call of a thread kept Python's lock: no longer than it had the processor."""
    held: list[tuple[ProfileSpan, int]] = []
    for span in spans:
        while held and held[-1][0].end_ns <= span.begin_ns:
            yield _held_by(*held.pop())
        length_ns = span.end_ns - span.begin_ns
        if held:
            held[-1] = held[-1][0], held[-1][1] - length_ns
        held.append((span, length_ns))
    while held:
        yield _held_by(*held.pop())


def _held_by(span: ProfileSpan, held_ns: int) -> tuple[str, int]:
    return span.name, min(held_ns, span.cpu_ns) if span.kind == "call" else 0


def _share(part_ns: float, all_ns: int) -> str:
    return percent_text(part_ns / max(all_ns, 1))


def _time(time_ns: int) -> str:
    if time_ns >= 10**9:
        return f"{time_ns / 10**9:.2f} s"
    return f"{time_ns / 10**6:.0f} ms" if time_ns >= 10**7 else f"{time_ns / 10**6:.2f} ms"
