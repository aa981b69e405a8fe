"""Steps of TPU cores summed up over all cores: how long they compute, and wait for input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tilescope.tiler.facts.step_times import AlignedSteps, StepPart, StepTimes

Ints = NDArray[np.int64]
Shares = NDArray[np.float64]

_INPUT = (StepPart.INFEED, StepPart.SPARSE_INFEED)
_TRANSFER = (StepPart.HOST_SEND, StepPart.HOST_RECV)
_WAITS = (*_INPUT, StepPart.OUTFEED, *_TRANSFER, StepPart.IDLE)


@dataclass(frozen=True, slots=True)
class TpuSteps:
    """Columns of shape (n,), one row for each step of the run, in ps.

    Some figures are the most or the least of any core, and the rest follows: what is left of the shortest step is idle.
    """

    duration: Ints  # of the core that takes longest
    compute: Ints  # the least of any core: all but waiting for the host and idling
    infeed: Ints  # the most of any core
    infeed_of: Ints  # how long the step of that core is
    sparse_infeed: Ints
    outfeed: Ints  # the mean
    host_transfer: Ints  # the most
    idle: Ints
    reduce_compute: Ints  # of the core whose all-reduces take longest
    reduce_sync: Ints
    reduce_unsplit: Ints  # where not all that take part were recorded
    share_mean: Shares  # of each core's step that it waits for input
    share_min: Shares
    share_max: Shares
    core: Ints  # that waits longest for input; and its row
    row: Ints
    waited: Ints  # how long it waits; and how long its step is
    of_core: Ints


def tpu_steps(times: Sequence[StepTimes], together: AlignedSteps) -> TpuSteps:
    """Steps summed up over some cores, which have at least one step."""
    there = together.rows >= 0
    count = there.sum(axis=1)

    def of_cores(columns: Sequence[Ints]) -> Ints:
        """Steps by cores; 0 where a core does not have a step."""
        by_core = np.zeros(together.rows.shape, np.int64)
        for place, column in enumerate(columns):
            by_core[there[:, place], place] = column[together.rows[there[:, place], place]]
        return by_core

    def most(values: Ints) -> Ints:
        greatest: Ints = values.max(axis=1, initial=0, where=there)
        return greatest

    def least(values: Ints) -> Ints:
        smallest: Ints = values.min(axis=1, initial=np.iinfo(np.int64).max, where=there)
        return smallest

    def parts(*step_parts: StepPart) -> Ints:
        return of_cores([core_times.sum_of(step_parts) for core_times in times])

    duration = of_cores([core_times.duration for core_times in times])
    infeed, sparse, outfeed, transfer = (
        parts(*step_parts)
        for step_parts in ((StepPart.INFEED,), (StepPart.SPARSE_INFEED,), (StepPart.OUTFEED,), _TRANSFER)
    )
    reduce_compute, reduce_sync, reduce_unsplit = (
        parts(part) for part in (StepPart.ALL_REDUCE_COMPUTE, StepPart.ALL_REDUCE_SYNC, StepPart.ALL_REDUCE_UNSPLIT)
    )
    compute = least(duration - parts(*_WAITS))
    outfeed_mean = outfeed.sum(axis=1) // count
    waited = infeed + sparse
    share = np.divide(waited, duration, out=np.zeros(duration.shape), where=duration > 0)
    core = np.argmax(np.where(there, waited, -1), axis=1)
    step_rows = np.arange(len(core))
    fed_least = np.argmax(np.where(there, infeed, -1), axis=1)
    reducing = np.argmax(reduce_compute + reduce_sync + reduce_unsplit, axis=1)
    explained = compute + most(infeed) + most(sparse) + outfeed_mean + most(transfer)
    return TpuSteps(
        duration=most(duration),
        compute=compute,
        infeed=most(infeed),
        infeed_of=duration[step_rows, fed_least],
        sparse_infeed=most(sparse),
        outfeed=outfeed_mean,
        host_transfer=most(transfer),
        idle=np.maximum(least(duration) - explained, 0),
        reduce_compute=reduce_compute[step_rows, reducing],
        reduce_sync=reduce_sync[step_rows, reducing],
        reduce_unsplit=reduce_unsplit[step_rows, reducing],
        share_mean=share.sum(axis=1) / count,
        share_min=share.min(axis=1, initial=np.inf, where=there),
        share_max=share.max(axis=1, initial=0, where=there),
        core=core,
        row=together.rows[step_rows, core],
        waited=waited[step_rows, core],
        of_core=duration[step_rows, core],
    )
