"""`tilescope.profile`: what the code in a `with` block does, as a run in a log directory."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from tilescope.profiling.jax_recorder import JaxRecorder
from tilescope.profiling.recorder import Framework, Recorder, RecorderOptions, choose_framework
from tilescope.profiling.recording_place import RecordingPlace
from tilescope.profiling.torch_recorder import TorchRecorder
from tilescope.tiler.errors import UsageError

if TYPE_CHECKING:
    from tilescope.client import Run

_active = threading.Lock()  # profilers are one per process


def profile(
    logdir: str | os.PathLike[str],
    *,
    framework: Framework | None = None,
    run_name: str | None = None,
    host_tracer_level: int | None = None,
    device_tracer_level: int | None = None,
    python_tracer_level: int | None = None,
    record_shapes: bool | None = None,
    profile_memory: bool | None = None,
    with_stack: bool | None = None,
    schedule: Callable[[int], Any] | None = None,
) -> Profile:
    """Profiles the code in a `with` block, of JAX or of PyTorch, and leaves a run in a log directory.

        with tilescope.profile("logs") as run:
            for batch in data:
                train(batch)
                run.step()

    The run is `LOGDIR/plugins/profile/RUN/HOST.xplane.pb` of JAX, `HOST.pt.trace.json.gz` of PyTorch; it appears when
    it is complete. When the block raises, what was recorded until then is kept, and the exception goes on.

    `framework`: by default the one of the two that the program has imported; where it has imported both, the one whose
    options are given. `run_name`: of the folder; by default date and time. Several processes that are given the same
    name write into one run.

    Of JAX: `host_tracer_level`, `device_tracer_level` and `python_tracer_level`, where its version has them. Of
    PyTorch: `record_shapes`, `profile_memory`, `with_stack`, and `schedule`, such as
    `torch.profiler.schedule(wait=1, warmup=1, active=3)`; each cycle of it leaves a run. What is not given is as the
    framework has it.

    Raises `UsageError` for what makes no sense, such as a profile within another, and where nothing is imported.
    """
    options = RecorderOptions(
        host_tracer_level,
        device_tracer_level,
        python_tracer_level,
        record_shapes,
        profile_memory,
        with_stack,
        schedule,
    )
    return Profile(Path(logdir), choose_framework(framework, options), run_name, options)


class Profile:
    """Context manager that `with tilescope.profile(logdir)` enters. It records once."""

    def __init__(self, logdir: Path, framework: Framework, run_name: str | None, options: RecorderOptions) -> None:
        self.framework = framework
        self.paths: tuple[Path, ...] = ()  # the folders of the runs that are there, in the order of cycles
        self._logdir = logdir
        self._run_name = run_name
        self._options = options.for_framework(framework)
        self._folder: RecordingPlace | None = None
        self._recorder: Recorder | None = None
        self._is_over = False

    @property
    def path(self) -> Path | None:
        """The folder of the last run; None until there is one."""
        return self.paths[-1] if self.paths else None

    def step(self) -> None:
        """Marks the end of a step, at which the next one begins. The first begins with the block."""
        if self._recorder is None:
            raise UsageError("step() belongs into the `with` block of a profile")
        self._recorder.step()

    def open(self, store: str | os.PathLike[str] | None = None) -> Run:
        """Opens the last run without a server, as `tilescope.connect` does.

        It is indexed into `store` first; by default where `tilescope view` keeps indexes, which then need not make it.
        Raises `UsageError` when there is no run yet.
        """
        if self.path is None:
            raise UsageError("there is no run yet: it is there when the `with` block is over")
        from tilescope.client import connect, index
        from tilescope.tiler.readers import find_run
        from tilescope.tiler.store.cache_place import cached_store, default_cache_dir
        from tilescope.tiler.store.cached_traces import remember_traces

        run = find_run(self.path)
        place = Path(store) if store is not None else cached_store(default_cache_dir(), run.id, run.files)
        place.parent.mkdir(parents=True, exist_ok=True)
        built = index(run.files, place)
        if store is None:
            remember_traces(place, run.files)
        return connect(built).run()

    def __enter__(self) -> Self:
        if self._is_over or self._recorder is not None:
            raise UsageError("this profile was used before: make another one with tilescope.profile")
        if not _active.acquire(blocking=False):
            raise UsageError("another profile of this process is active: only one can record at a time")
        try:
            self._folder = RecordingPlace(self._logdir, self._run_name)
            made = JaxRecorder if self.framework == "jax" else TorchRecorder
            recorder: Recorder = made(self._options, self._folder.scratch, self._keep)
            recorder.start()
        except BaseException:
            self._leave()
            raise
        self._recorder = recorder
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        recorder, self._recorder = self._recorder, None
        if recorder is None:
            return
        self._is_over = True
        try:
            recorder.stop()
        except Exception as lost:
            if error is None:
                raise
            error.add_note(f"tilescope.profile kept nothing: {lost}")  # the block's own exception matters more
        finally:
            self._leave()

    def __repr__(self) -> str:
        return f"<Profile of {self.framework}: {self.path or 'no run yet'}>"

    def _keep(self, trace: Path, ending: str) -> None:
        assert self._folder is not None
        self.paths += (self._folder.keep(trace, ending, len(self.paths) + 1),)

    def _leave(self) -> None:
        if self._folder is not None:
            self._folder.close()
        _active.release()
