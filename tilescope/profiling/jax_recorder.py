"""Records with `jax.profiler`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

from tilescope.profiling.recorder import OnTrace, RecordingFailed
from tilescope.tiler.errors import UsageError

_ENDING = ".xplane.pb"
_STEP_NAME = "step"


class JaxRecorder:
    """A recording of JAX in an XSpace. Raises `UsageError` where JAX is not there or does not have an option."""

    def __init__(self, options: Mapping[str, Any], scratch: Path, on_trace: OnTrace) -> None:
        try:
            self._jax: ModuleType = importlib.import_module("jax")
        except ImportError as error:
            raise UsageError(f"JAX cannot be imported: {error}") from None
        self._options = self._made_options(options)
        self._scratch = scratch
        self._on_trace = on_trace
        self._annotation: Any = None
        self._steps = 0

    def start(self) -> None:
        keywords = {} if self._options is None else {"profiler_options": self._options}
        try:
            self._jax.profiler.start_trace(str(self._scratch), **keywords)
        except RuntimeError as error:
            raise UsageError(f"JAX cannot start a profile: {error}") from error
        self._begin_step()

    def step(self) -> None:
        self._annotation.__exit__(None, None, None)
        self._steps += 1
        self._begin_step()

    def stop(self) -> None:
        try:
            self._jax.profiler.stop_trace()
        except RuntimeError as error:
            self._forget_session()
            raise RecordingFailed(
                f"JAX recorded nothing: {error} (only one profile runs in a process, those that are captured from "
                "outside included)"
            ) from error
        finally:
            # The step that nobody ended is none: an annotation that ends after the recording is not recorded.
            self._annotation.__exit__(None, None, None)
        files = sorted(self._scratch.rglob(f"*{_ENDING}"))
        if not files:
            raise RecordingFailed("JAX wrote no trace")
        for file in files:
            self._on_trace(file, _ENDING)

    def _begin_step(self) -> None:
        self._annotation = self._jax.profiler.StepTraceAnnotation(_STEP_NAME, step_num=self._steps)
        self._annotation.__enter__()

    def _made_options(self, wanted: Mapping[str, Any]) -> Any:
        if not wanted:
            return None
        made = getattr(self._jax.profiler, "ProfileOptions", lambda: None)()
        for name, value in wanted.items():
            # Asked first: its objects take attributes of any name, and what JAX does not know has no effect.
            if not hasattr(made, name):
                raise UsageError(f"{name}: the profiler of JAX {self._jax.__version__} has no such option")
            setattr(made, name, value)
        return made

    def _forget_session(self) -> None:
        """JAX keeps a session that could not be stopped, and would refuse every other one in this process."""
        with suppress(ImportError, AttributeError):
            importlib.import_module("jax._src.profiler")._profile_state.reset()
