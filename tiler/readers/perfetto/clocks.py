"""Clocks of a trace, and times by them as nanoseconds of its own clock.

A snapshot has the readings of several clocks at one moment. A time is converted by the last snapshot before it in the
file that has its clock, directly, or by way of clocks that other snapshots have in common with it.
"""

from __future__ import annotations

from typing import Any, Final

BOOTTIME: Final = 6
REALTIME: Final = 1
MONOTONIC: Final = 3
_FIRST_OF_SEQUENCE, _LAST_OF_SEQUENCE = 64, 127

Key = tuple[int, int]  # sequence, 0 for clocks of the machine; clock


class Clocks:
    """Clocks of all sequences."""

    def __init__(self) -> None:
        self.trace_clock = BOOTTIME
        self.epoch_offset_ns: int | None = None  # from the trace's clock to the time since the epoch
        self._to_trace: dict[Key, int] = {}  # to be added, in nanoseconds
        self._unit: dict[Key, int] = {}
        self._incremental: dict[Key, int] = {}  # the last time of clocks that count from it

    def snapshot(self, snapshot: Any, sequence: int) -> None:
        """Takes the readings of a snapshot."""
        if snapshot.primary_trace_clock:
            self.trace_clock = snapshot.primary_trace_clock
        readings: dict[Key, int] = {}
        for clock in snapshot.clocks:
            key = _key(clock.clock_id, sequence)
            unit = min(clock.unit_multiplier_ns or 1, 1_000_000_000)
            self._unit[key] = unit
            readings[key] = clock.timestamp * unit
            if clock.is_incremental:
                self._incremental[key] = readings[key]
        trace = next((reading for key, reading in readings.items() if key == (0, self.trace_clock)), None)
        if trace is None:  # by way of a clock that was seen beside it before
            trace = next(
                (reading + self._to_trace[key] for key, reading in readings.items() if key in self._to_trace), None
            )
        if trace is None:
            return
        for key, reading in readings.items():
            self._to_trace[key] = trace - reading
        if self.epoch_offset_ns is None and (0, REALTIME) in readings:
            self.epoch_offset_ns = readings[0, REALTIME] - trace

    def time_ns(self, timestamp: int, clock: int, sequence: int) -> int | None:
        """A time of a packet by the trace's clock; None if no snapshot says how."""
        key = _key(clock or self.trace_clock, sequence)
        time = timestamp * self._unit.get(key, 1)
        if key in self._incremental:
            time += self._incremental[key]
            self._incremental[key] = time
        if key == (0, self.trace_clock) or (not self._to_trace and key[0] == 0):
            return time  # without any snapshot, clocks of the machine are taken for the trace's
        offset = self._to_trace.get(key)
        return None if offset is None else time + offset


def _key(clock: int, sequence: int) -> Key:
    return (sequence, clock) if _FIRST_OF_SEQUENCE <= clock <= _LAST_OF_SEQUENCE else (0, clock)
