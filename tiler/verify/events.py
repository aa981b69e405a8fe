"""Slices as columns, on their way from leaves to the tiles above."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tilescope.tiler.verify.columns import Ints, Mask

# A slice is an individual where it is at least two bins long.
_INDIVIDUAL_TICKS = np.left_shift(np.int64(2), 2 * np.arange(28, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Events:
    """Columns of shape (n,); times in ticks."""

    slot: Ints
    row: Ints
    start: Ints
    duration: Ints
    name: Ints
    ordinal: Ints
    flags: Ints  # SliceFlag, without REACHES_IN
    entry: Ints  # the lowest level whose bins the slice is to be summed in

    def __len__(self) -> int:
        return len(self.slot)

    @property
    def end(self) -> Ints:
        return self.start + self.duration

    def take(self, which: Ints | Mask) -> Events:
        """Some of them."""
        return Events(*(getattr(self, column)[which] for column in self.__slots__))

    def with_entry(self, entry: Ints) -> Events:
        """The same events with other entry levels."""
        return replace(self, entry=entry)


def join(parts: Sequence[Events]) -> Events:
    """All of them, one part after the other."""
    if len(parts) == 1:
        return parts[0]
    return Events(*(np.concatenate([getattr(p, column) for p in parts]) for column in Events.__slots__))


def no_events() -> Events:
    """None at all."""
    return Events(*[np.zeros(0, np.int64)] * len(Events.__slots__))


def lowest_binned_level(duration: Ints) -> Ints:
    """The lowest level at which a slice is shorter than two bins, and so summed in bins."""
    return np.searchsorted(_INDIVIDUAL_TICKS, duration, side="right")


def distinct(events: Events) -> Events:
    """Each event once, in the order (slot, ordinal)."""
    order = np.lexsort([events.ordinal, events.slot])
    slot, ordinal = events.slot[order], events.ordinal[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (slot[1:] != slot[:-1]) | (ordinal[1:] != ordinal[:-1])
    return events.take(order[new])
