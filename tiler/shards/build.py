"""Builds a run of shards: surveys its files, gives them one axis, indexes each on it, and publishes which there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilescope.tiler.errors import TraceError, UsageError
from tilescope.tiler.indexing import DEFAULT_MEMORY_BYTES
from tilescope.tiler.indexing.output.finished import build_of
from tilescope.tiler.readers.fingerprint import Fingerprint, archive_of
from tilescope.tiler.readers.time_unit import DEFAULT_TIME_UNIT, TimeUnit
from tilescope.tiler.shards.axis_file import read_axis, write_axis
from tilescope.tiler.shards.conductor import DEFAULT_SILENCE_SECONDS, Conductor
from tilescope.tiler.shards.folder import locked, shard_name, shard_path, survey_path, sweep
from tilescope.tiler.shards.opened_executor import OpenedExecutor, OpenExecutor
from tilescope.tiler.shards.own_axis import OwnAxis
from tilescope.tiler.shards.plan import ShardPlan, make_plan
from tilescope.tiler.shards.progress import ShardCallback
from tilescope.tiler.shards.session import Session, open_session
from tilescope.tiler.shards.sharded_run import MOST_SHARDS, Shard, ShardedRun, make_sharded_run, write_sharded_run
from tilescope.tiler.shards.survey import Survey, kept_survey
from tilescope.tiler.shards.task import VERSION, Report, Task, Work

_TOO_LONG: Final = "it is too long for the time axis of the run (index the run again with --force)"


class ShardOptions(Struct, frozen=True):
    """Options of the indexing of each shard."""

    memory_bytes: int = DEFAULT_MEMORY_BYTES  # of each worker
    max_inflated: int | None = None
    time_unit: TimeUnit = DEFAULT_TIME_UNIT
    threads: int = 1  # of each worker
    force: bool = False  # nothing that is there is taken
    silence_seconds: float = DEFAULT_SILENCE_SECONDS


def build_shards(
    files: Sequence[Path],
    folder: Path,
    open_executor: OpenExecutor,
    *,
    progress: ShardCallback,
    options: ShardOptions | None = None,
    notes: Sequence[str] = (),
) -> ShardedRun:
    """Indexes the files of a run into shards in `folder`, on an executor, and publishes the run.

    Shards of the same files on the same axis are taken. A file that cannot be read is missing in the run, which says
    so. Workers see the files and the folder under the same paths. `notes`: lines on how the files were found.

    Raises TraceError when no file can be read, StoreError, UsageError, TilescopeError where workers are of no use.
    """
    options = options or ShardOptions()
    if len(files) > MOST_SHARDS:
        raise UsageError(f"{len(files):,} files are more than the {MOST_SHARDS:,} shards that a run may have")
    folder = folder.absolute()
    # Workers stop when the session ends, and only then the executor is closed.
    with locked(folder), closing(OpenedExecutor(open_executor)) as workers, open_session(folder) as session:
        command = _Command([file.absolute() for file in files], folder, session, workers, progress, options)
        groups, errors = command.survey()
        surveys, errors = command.surveys(groups, errors)
        if not surveys:
            raise _none_is_ready(groups, errors)
        plan = make_plan(surveys, None if options.force else read_axis(folder))
        write_axis(folder, plan.axis)
        reports = command.index(groups, surveys, plan)
        errors = {**errors, **dict.fromkeys(plan.too_long, _TOO_LONG)}
        shards = [_shard(name, groups[name], errors.get(name), reports.get(name), plan) for name in groups]
        if all(shard.state == "failed" for shard in shards):
            raise _none_is_ready(groups, {shard.name: shard.error for shard in shards})
        own_notes = [shard.own.note(shard.title, plan.axis) for shard in shards if shard.own and shard.state == "ready"]
        run = make_sharded_run(plan.axis.id, shards, [*notes, *filter(None, own_notes)])
        write_sharded_run(folder, run)
        sweep(folder, {*groups, *(shard_name([file.absolute()]) for file in files)}, groups.keys())
    return run


class _Command:
    """One command: all that its steps have in common."""

    def __init__(
        self,
        files: Sequence[Path],
        folder: Path,
        session: Session,
        workers: OpenedExecutor,
        progress: ShardCallback,
        options: ShardOptions,
    ) -> None:
        self._files = files
        self._folder = folder
        self._session = session
        self._workers = workers
        self._progress = progress
        self._options = options

    def survey(self) -> tuple[dict[str, list[Path]], dict[str, str]]:
        """Surveys all files: those of each shard, in the order of the run, and the errors of shards that have one."""
        groups = {shard_name([file]): [file] for file in self._files}
        errors = self._surveyed(groups)
        surveys = {name: self._kept(group) for name, group in groups.items() if name not in errors}
        company = [name for name, survey in surveys.items() if survey is not None and survey.has_company]
        if len(company) < 2:
            return groups, errors
        together = [file for name in company for file in groups[name]]
        joined = {shard_name(together): together}
        errors |= self._surveyed(joined)
        # In the place of the first of them.
        parts = [joined if name == company[0] else {} if name in company else {name: groups[name]} for name in groups]
        return {name: group for part in parts for name, group in part.items()}, errors

    def surveys(
        self, groups: Mapping[str, list[Path]], errors: Mapping[str, str]
    ) -> tuple[dict[str, Survey], dict[str, str]]:
        """The surveys of all shards that can be read, and the errors of the others."""
        surveys = {name: self._kept(group) for name, group in groups.items() if name not in errors}
        changed = {
            name: f"{groups[name][0]}: changed while its run was surveyed (index the run again)"
            for name, survey in surveys.items()
            if survey is None
        }
        return {name: survey for name, survey in surveys.items() if survey is not None}, {**errors, **changed}

    def index(
        self, groups: Mapping[str, list[Path]], surveys: Mapping[str, Survey], plan: ShardPlan
    ) -> dict[str, Report]:
        """Indexes all shards that have a survey, and takes those that are indexed already."""
        ready = {}
        axes = {name: axis for name in surveys if (axis := plan.axis_of(name)) is not None}
        for name, axis in axes.items():
            survey = surveys[name]
            sources = [Fingerprint.from_json(fingerprint) for fingerprint in survey.fingerprints]
            build = build_of(shard_path(self._folder, name), sources, axis=axis.id)
            if build is not None:
                ready[name] = Report(f"index-{name}", build=build)
        tasks = [
            self._task("index", name, groups[name], plan.axis.id, plan.own.get(name))
            for name in axes
            if name not in ready
        ]
        return ready | self._conduct(tasks, groups)

    def _surveyed(self, groups: Mapping[str, list[Path]]) -> dict[str, str]:
        """Surveys what is not surveyed yet. Returns the errors of those that have one."""
        if self._options.force:
            for name in groups:
                survey_path(self._folder, name).unlink(missing_ok=True)
        tasks = [
            self._task("survey", name, group, "", None) for name, group in groups.items() if self._kept(group) is None
        ]
        return {name: report.error for name, report in self._conduct(tasks, groups).items() if report.error}

    def _kept(self, group: Sequence[Path]) -> Survey | None:
        """The survey of a shard; None where there is none, or a file cannot be opened: a worker is to say why."""
        try:
            if not all(archive_of(file).is_file() for file in group):
                return None
            return kept_survey(group, survey_path(self._folder, shard_name(group)), self._options.time_unit)
        except (OSError, TraceError):
            return None

    def _conduct(self, tasks: Sequence[Task], groups: Mapping[str, list[Path]]) -> dict[str, Report]:
        if not tasks:
            return {}
        sizes = {task.shard: sum(map(_size_bytes, groups[task.shard])) for task in tasks}
        silence_seconds = self._options.silence_seconds
        conductor = Conductor(tasks, sizes, self._session, self._progress, silence_seconds)
        return conductor.conduct(self._workers)

    def _task(self, work: Work, name: str, files: Sequence[Path], axis: str, own: OwnAxis | None) -> Task:
        options = self._options
        return Task(
            VERSION,
            work,
            name,
            [str(file) for file in files],
            str(self._folder),
            str(self._session.folder),
            axis,
            own,
            options.memory_bytes,
            options.max_inflated,
            options.time_unit,
            options.threads,
        )


def _none_is_ready(groups: Mapping[str, Sequence[Path]], errors: Mapping[str, str]) -> TraceError:
    """The error of a run without any shard: that of the first."""
    first = next(name for name in groups if name in errors)
    file = groups[first][0]
    others = f"; of the other {len(groups) - 1:,} files none can be read either" if len(groups) > 1 else ""
    return TraceError(file, errors[first].removeprefix(f"{file}: ") + others)


def _shard(name: str, files: Sequence[Path], error: str | None, report: Report | None, plan: ShardPlan) -> Shard:
    """The entry of a shard in `run.json`."""
    paths = [str(file).encode(errors="backslashreplace").decode() for file in files]
    error = error or (report.error if report else "")
    state, build = ("failed", "") if error or report is None else ("ready", report.build)
    own, axis = plan.own.get(name), plan.axis_of(name)
    axis_id = axis.id if axis is not None and own is not None else ""
    return Shard(name, paths, "failed" if state == "failed" else "ready", build, error, own, axis_id)


def _size_bytes(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:  # of a member of an archive, or of a file that is not there
        return 0
