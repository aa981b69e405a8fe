"""Windows: pieces of a time axis in which something is looked at, such as the steps of a training run on one device."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from tilescope.tiler import _native
from tilescope.tiler.ticks import TICK_LIMIT

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


class Windows(Struct, frozen=True):
    """The ticks [starts[k], stops[k]): ascending, none empty, none touching another. Make them with `from_spans`."""

    starts: Ints
    stops: Ints

    @classmethod
    def from_spans(cls, starts: Iterable[int] | Ints, stops: Iterable[int] | Ints) -> Windows:
        """The ticks that lie in any of these spans, which may be in any order and overlap; none before tick 0."""
        first, last = (
            np.ascontiguousarray(times if isinstance(times, np.ndarray) else list(times), np.int64)
            for times in (starts, stops)
        )
        return cls(*_native.tick_spans(first, last, TICK_LIMIT))

    @classmethod
    def adjoined(cls, parts: Sequence[Windows]) -> Windows:
        """Windows that follow one another in time, in pieces: those that touch at a border are one."""
        parts = [part for part in parts if len(part)]
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return cls.single(0, 0)
        touch = [before.stop == after.start for before, after in pairwise(parts)]
        starts = [part.starts[int(is_one) :] for part, is_one in zip(parts, [False, *touch], strict=True)]
        stops = [part.stops[: len(part) - is_one] for part, is_one in zip(parts, [*touch, False], strict=True)]
        return cls(np.concatenate(starts), np.concatenate(stops))

    @classmethod
    def apart(cls, parts: Sequence[Windows]) -> list[Windows]:
        """Windows that follow one another in time, in pieces: one that touches a border lies in the later piece."""
        pieces: list[Windows] = []
        for part in parts:
            if pieces and len(part) and pieces[-1].stop == part.start:
                before = pieces.pop()
                part = cls(np.append(before.starts[-1], part.starts[1:]), part.stops)
                pieces += [cls(before.starts[:-1], before.stops[:-1])] if len(before) > 1 else []
            pieces += [part] if len(part) else []
        return pieces

    of = from_spans  # as in version 0.2: tools of other packages call it

    @classmethod
    def single(cls, start: int, stop: int) -> Windows:
        """One window, or none when it would be empty."""
        first, last = max(start, 0), min(stop, TICK_LIMIT)
        count = 1 if last > first else 0
        return cls(np.array([first][:count], np.int64), np.array([last][:count], np.int64))

    one = single  # as in version 0.2: tools of other packages call it

    def __len__(self) -> int:
        return len(self.starts)

    def parts(self, count: int) -> Iterator[Windows]:
        """These, so many in turn."""
        for first in range(0, len(self), count):
            yield Windows(self.starts[first : first + count], self.stops[first : first + count])

    @property
    def start(self) -> int:
        """First tick of all; 0 without windows."""
        return int(self.starts[0]) if len(self) else 0

    @property
    def stop(self) -> int:
        """First tick after all; 0 without windows."""
        return int(self.stops[-1]) if len(self) else 0

    @property
    def ticks(self) -> int:
        """Number of ticks in the windows."""
        return int((self.stops - self.starts).sum())

    def clipped(self, start: int, stop: int) -> Windows:
        """The parts of the windows in the ticks [start, stop)."""
        if len(self) and self.start >= start and self.stop <= stop:
            return self
        if len(self) == 1:
            return Windows.single(max(self.start, start), min(self.stop, stop))
        return Windows.from_spans(np.maximum(self.starts, start), np.minimum(self.stops, stop))

    def hold(self, times: Ints) -> Mask:
        """True for each of these ticks that lies in a window."""
        return self.meet(times, times)

    def meet(self, starts: Ints, ends: Ints) -> Mask:
        """True for each event that has a tick in a window, or starts in one: [start, end), or just a tick."""
        if len(self) == 1:  # as a rule; the general way takes twice the time
            seen: Mask = (starts < self.stop) & ((starts >= self.start) | (ends > self.start))
            return seen
        window = np.searchsorted(self.stops, starts, side="right")  # the first window that ends after it
        first = np.append(self.starts, TICK_LIMIT)[window]
        mask: Mask = (window < len(self)) & ((first <= starts) | (first < ends))
        return mask

    def cover(self, starts: Ints, stops: Ints) -> Mask:
        """True for each span that lies in one window as a whole."""
        if len(self) == 1:
            whole: Mask = (starts >= self.start) & (stops <= self.stop)
            return whole
        window = np.searchsorted(self.stops, starts, side="right")
        first, last = np.append(self.starts, TICK_LIMIT)[window], np.append(self.stops, -1)[window]
        mask: Mask = (window < len(self)) & (first <= starts) & (stops <= last)
        return mask

    def joined(self, *others: Windows) -> Windows:
        """The ticks that lie in these or in any of the others."""
        union = self
        for windows in others:
            if not len(union):
                union = windows
            elif len(windows):
                union = Windows(*_native.joined_spans(union.starts, union.stops, windows.starts, windows.stops))
        return union

    def without(self, *others: Windows) -> Windows:
        """The ticks that lie in these and in none of the others."""
        rest = self
        for windows in others:
            if len(rest) and len(windows):
                rest = Windows(*_native.spans_without(rest.starts, rest.stops, windows.starts, windows.stops))
        return rest

    def ticks_before(self, times: Ints) -> Ints:
        """Number of the windows' ticks before each of these times."""
        window_count = np.searchsorted(self.starts, times, side="right")  # windows that start no later
        ends = np.append(0, np.cumsum(self.stops - self.starts))
        beyond = np.maximum(np.append(0, self.stops)[window_count] - times, 0)
        return ends[window_count] - beyond


# What is looked at on each track.
WindowsOf = Callable[[int], Windows]

# The time of a device that is looked at, by its process; None: it is that of its tracks.
DeviceTimeOf = Callable[[int], Windows | None]


def no_device_time(_group: int) -> None:
    """None of any device."""


def everywhere(windows: Windows) -> WindowsOf:
    """The same windows on all tracks."""
    return lambda _track: windows


def windows_digest(tracks: Sequence[int], windows_of: WindowsOf) -> bytes:
    """A digest of tracks and the windows of each: a key that is short, however many tracks there are."""
    windows = [windows_of(track) for track in tracks]
    distinct = {id(track_windows): track_windows for track_windows in windows}  # often one for all tracks
    times_by_id = {key: each.starts.tobytes() + each.stops.tobytes() for key, each in distinct.items()}
    numbers: dict[bytes, int] = {}
    number_of_track = [numbers.setdefault(times_by_id[id(track_windows)], len(numbers)) for track_windows in windows]
    digest = blake2b(np.array([len(tracks), *tracks, *number_of_track], np.int64).tobytes(), digest_size=20)
    for times in numbers:
        digest.update(len(times).to_bytes(8, "little") + times)
    return digest.digest()
