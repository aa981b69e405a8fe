"""Self time of slices: each tick belongs to the slice that started last of those that run.

For nested slices that is the innermost: a slice's self time is its duration without that of the slices in it. Of slices
that overlap only partly, too, every tick belongs to exactly one, so the self times of a track add up to the time in
which anything runs at all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def self_times(start: Ints, end: Ints) -> Ints:
    """Self time of each slice, shape (n,), in ticks. Starts ascend; of equal ones the later counts as started later.

    Takes O(n log n) time and memory.
    """
    at = np.flatnonzero(end > start)
    first, last = start[at], end[at]
    parent = _parents(first, last)
    if (last > np.where(parent >= 0, last[parent], last)).any():
        # A slice that a later one outlasts is never on top again: it might as well end there. Cut so, they nest.
        last = np.minimum(last, _outlasted_at(first, last))
        left = np.flatnonzero(last > first)
        at, first, last = at[left], first[left], last[left]
        parent = _parents(first, last)
    own = last - first
    inner = parent >= 0
    np.subtract.at(own, parent[inner], (last - first)[inner])  # children of one slice do not overlap
    out = np.zeros(len(start), np.int64)
    out[at] = own
    return out


def _parents(start: Ints, end: Ints) -> Ints:
    """Position of the slice directly around each, or -1. Right where slices nest; else some end after their parents."""
    n = len(start)
    depth = np.arange(n) - np.searchsorted(np.sort(end), start, side="right")
    order = np.argsort(depth, kind="stable")
    key = depth[order] * n + order  # ascends
    before = np.searchsorted(key, (depth - 1) * n + np.arange(n)) - 1
    parent: Ints = np.where(depth > 0, order[np.maximum(before, 0)], -1)
    return parent


def _outlasted_at(start: Ints, end: Ints) -> Ints:
    """Start of the first later slice that ends no earlier; beyond all times where there is none."""
    n = len(start)
    latest = [np.append(end, -1)]  # latest[k][i]: the latest end of the 2**k slices from i on
    while 1 << len(latest) <= n:
        half = 1 << (len(latest) - 1)
        before = latest[-1]
        latest.append(np.maximum(before, np.append(before[half:], np.full(half, -1))))
    at = np.arange(1, n + 1)
    for k in range(len(latest) - 1, -1, -1):
        at = np.where(latest[k][at] < end, np.minimum(at + (1 << k), n), at)
    return np.append(start, np.iinfo(np.int64).max)[at]
