"""Tasks of shards: what is sent to a worker, and what it sends back. Small dicts both, whatever the executor."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from tilescope import __version__
from tilescope.tiler.errors import Cancelled, OutOfMemory, TilescopeError
from tilescope.tiler.indexing import BuildProgress, build_store
from tilescope.tiler.readers.time_unit import TimeUnit
from tilescope.tiler.shards.axis_file import read_axis
from tilescope.tiler.shards.folder import shard_path, survey_path
from tilescope.tiler.shards.own_axis import OwnAxis
from tilescope.tiler.shards.session import PulseWriter
from tilescope.tiler.shards.survey import survey_files
from tilescope.tiler.store.version import STORE_VERSION

VERSION: Final = f"{__version__}, store version {STORE_VERSION}"

ERROR_CHARACTERS: Final = 2000

Work = Literal["survey", "index"]


class Task(Struct, frozen=True, forbid_unknown_fields=True):
    """Work on the files of one shard. Paths are those that all workers have in common."""

    version: str  # of Tilescope, and of what it stores
    work: Work
    shard: str
    files: list[str]
    folder: str  # of shards
    session: str  # its folder
    axis: str  # id of the axis of the run; empty: it has none yet
    own: OwnAxis | None  # that of the shard, where it is another one
    memory_bytes: int
    max_inflated: int | None
    time_unit: TimeUnit
    threads: int

    @property
    def name(self) -> str:
        """Name of its pulse."""
        return f"{self.work}-{self.shard}"

    def message(self) -> dict[str, Any]:
        """As it is sent."""
        message: dict[str, Any] = msgspec.to_builtins(self)
        return message


class Report(Struct, frozen=True, forbid_unknown_fields=True):
    """Report of a task: it is done, or has an error that another attempt would have as well."""

    task: str
    error: Annotated[str, Meta(max_length=ERROR_CHARACTERS)] = ""
    build: Annotated[str, Meta(max_length=64)] = ""
    seconds: float = 0.0


class OtherVersion(RuntimeError):
    """A worker has another version. Its message alone travels between processes."""


def run_task(message: dict[str, Any]) -> dict[str, Any]:
    """Does the work of a task, in the process of a worker. Returns its report.

    Raises OtherVersion, RuntimeError where another attempt may end well, and whatever is a fault of ours.
    """
    if message.get("version") != VERSION:
        raise OtherVersion(f"a worker has Tilescope {VERSION}, and was sent a task of {message.get('version')!r:.200}")
    task = msgspec.convert(message, Task)
    begin = time.monotonic()
    try:
        build = _done(task)
    except (Cancelled, OutOfMemory) as error:
        raise RuntimeError(str(error)) from None  # own classes may need arguments that do not travel
    except TilescopeError as error:
        report = Report(task.name, error=str(error)[:ERROR_CHARACTERS] or type(error).__name__)
    else:
        report = Report(task.name, build=build, seconds=time.monotonic() - begin)
    result: dict[str, Any] = msgspec.to_builtins(report)
    return result


def _done(task: Task) -> str:
    folder, session = Path(task.folder), Path(task.session)
    if not folder.is_dir():
        raise TilescopeError(f"{folder}: a worker does not see this folder: it must be on a disk that all share")
    pulse = PulseWriter(session, task.name)
    pulse.write(0.0, 0)

    def progress(step: BuildProgress) -> None:
        pulse.write(step.fraction, step.events)

    files = [Path(file) for file in task.files]
    if task.work == "survey":
        survey_files(
            files,
            survey_path(folder, task.shard),
            session,
            progress=progress,
            memory_bytes=task.memory_bytes,
            max_inflated=task.max_inflated,
            time_unit=task.time_unit,
            workers=task.threads,
        )
        return ""
    axis = read_axis(folder)
    if axis is None or axis.id != task.axis:
        raise TilescopeError(f"{folder}: has another axis than this shard is to be indexed on")
    return build_store(
        files,
        shard_path(folder, task.shard),
        progress=progress,
        memory_bytes=task.memory_bytes,
        max_inflated=task.max_inflated,
        time_unit=task.time_unit,
        workers=task.threads,
        axis=axis if task.own is None else task.own.axis(axis),
    )
