"""The steps of all cores and hosts of a run."""

from __future__ import annotations

from collections.abc import Iterable

from tilescope.tiler.facts.operations import TpuCore, tpu_cores
from tilescope.tiler.facts.step_times.host_steps import RowWindows, host_step_times
from tilescope.tiler.facts.step_times.times import StepTimes
from tilescope.tiler.facts.step_times.tpu_steps import tpu_step_times
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_steps import RunSteps
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.windows import WindowsOf


def run_step_times(
    reader: QueryReader,
    steps: RunSteps,
    tracks: Iterable[int],
    windows_of: WindowsOf,
    row_windows: RowWindows | None = None,
) -> Interruptible[list[StepTimes]]:
    """Step times of TPU cores with one of these tracks; of hosts without such cores, and their GPUs, by the tracks.

    Tracks are some that hold events and are done; `row_windows` as in `host_step_times`. Cores come first. Raises
    DamagedStore, NotBuilt.
    """
    chosen = frozenset(tracks)
    cores = [core for core in tpu_cores(reader) if _is_done(reader, core)]
    wanted = {core.group for core in cores if chosen & {*core.operations, *core.steps}}
    of_cores = yield from tpu_step_times(reader, steps, cores, wanted, windows_of)
    files = {reader.file_of(core.operations[0]) for core in cores}
    others = {track for track in chosen if reader.file_of(track) not in files}
    of_hosts = yield from host_step_times(reader, steps, others, windows_of, row_windows)
    return [*of_cores, *of_hosts]


def _is_done(reader: QueryReader, core: TpuCore) -> bool:
    if not reader.store.is_growing:
        return True
    return all(
        reader.store.get(SHAPE, track // TRACKS_PER_BLOCK) is not None for track in (*core.operations, *core.steps)
    )
