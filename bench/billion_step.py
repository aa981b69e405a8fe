"""Steps of a run whose traces are never there at the same time, each in a process of its own.

python -m bench.billion_step shard RUN TRACE      indexes a trace as the next shard
python -m bench.billion_step merge RUN            keeps what the run has once
python -m bench.billion_step open RUN             opens it, with manifest, track tree and overview
python -m bench.billion_step archive RUN PLACE    writes the archive, if only to /dev/null

The command `index` wants all traces of a run together. Here the axis is that of the first, with room behind it.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from msgspec import structs

from bench.mounted_run import measure
from tilescope.tiler.indexing import DEFAULT_MEMORY_BYTES, build_store
from tilescope.tiler.mount import keep_merge, open_run
from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT
from tilescope.tiler.shards.axis_file import read_axis, write_axis
from tilescope.tiler.shards.folder import locked, shard_name, shard_path, survey_path
from tilescope.tiler.shards.plan import make_plan
from tilescope.tiler.shards.sharded_run import (
    Shard,
    is_run_of_shards,
    make_sharded_run,
    read_sharded_run,
    write_sharded_run,
)
from tilescope.tiler.shards.survey import survey_files
from tilescope.tiler.store.archive.writer import write_archive

_ROOM: Final = 8  # the last part of the axis of which the first trace has nothing, in parts of its length


def add_shard(folder: Path, trace: Path) -> None:
    """Indexes a trace on the axis of the run, which the first one makes."""
    name = shard_name([trace])
    with locked(folder):
        survey = survey_files(
            [trace],
            survey_path(folder, name),
            folder,
            progress=lambda _: None,
            memory_bytes=DEFAULT_MEMORY_BYTES,
            max_inflated=None,
            time_unit=DEFAULT_TIME_UNIT,
            workers=2,
        )
        axis = read_axis(folder)
        plan = make_plan({name: survey}, axis)
        if plan.own or plan.too_long:
            raise SystemExit(f"{trace}: lies beyond the axis of the run")
        if axis is None:
            axis = structs.replace(plan.axis, end=plan.axis.end + plan.axis.end // _ROOM)
        axis = structs.replace(axis, names=plan.axis.names)
        write_axis(folder, axis)
        build = build_store([trace], shard_path(folder, name), axis=axis)
        shards = read_sharded_run(folder).shards if is_run_of_shards(folder) else []
        others = [shard for shard in shards if shard.name != name]
        write_sharded_run(folder, make_sharded_run(axis.id, [*others, Shard(name, [str(trace)], "ready", build)], []))


def archive(folder: Path, place: Path) -> None:
    """Writes the archive of a run."""
    store = open_run(folder)
    with place.open("wb") as file:
        summary = write_archive(store, file)
    print(f"{summary.size_bytes:,} bytes, {summary.records:,} records, directory {summary.directory_bytes:,} bytes")
    store.close()


def main(work: str, folder: Path, *places: Path) -> None:
    """Does one step."""
    if work == "shard":
        add_shard(folder, *places)
    elif work == "merge":
        keep_merge(folder, read_sharded_run(folder))
    elif work == "open":
        measure(folder)
    elif work == "archive":
        archive(folder, *places)
    else:
        raise SystemExit(f"{work}: is no step")


if __name__ == "__main__":
    main(sys.argv[1], *map(Path, sys.argv[2:]))
