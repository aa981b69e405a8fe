"""Records with `torch.profiler`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from isal import igzip

from tilescope.profiling.recorder import OnTrace, RecordingFailed
from tilescope.tiler.errors import UsageError

_ENDING = ".pt.trace.json.gz"

# Of the slice that is open when the recording ends: nobody has ended this step, so it is none.
_NO_STEP = b'"after the last step"'


class TorchRecorder:
    """A recording of PyTorch in Kineto's JSON; one file for each cycle of a schedule. Raises `UsageError`."""

    def __init__(self, options: Mapping[str, Any], scratch: Path, on_trace: OnTrace) -> None:
        try:
            self._torch: ModuleType = importlib.import_module("torch")
            profiler = importlib.import_module("torch.profiler")
        except ImportError as error:
            raise UsageError(f"PyTorch cannot be imported: {error}") from None
        self._scratch = scratch
        self._on_trace = on_trace
        self._traces = 0
        self._is_ending = False
        # With a schedule, if only one that always records, PyTorch marks steps.
        schedule = options.get("schedule") or (lambda step: profiler.ProfilerAction.RECORD)
        try:
            self._profile: Any = profiler.profile(**{**options, "schedule": schedule}, on_trace_ready=self._keep)
        except (AssertionError, RuntimeError, TypeError, ValueError) as error:
            raise UsageError(f"PyTorch refuses these options: {error}") from error

    def start(self) -> None:
        # A second one would take the events of the first, with nothing but a warning.
        if self._torch.autograd._profiler_enabled():
            raise UsageError("PyTorch cannot start a profile: another one is active on this thread")
        try:
            self._profile.start()
        except RuntimeError as error:
            raise UsageError(f"PyTorch cannot start a profile: {error}") from error

    def step(self) -> None:
        self._profile.step()

    def stop(self) -> None:
        self._is_ending = True
        try:
            self._profile.stop()
        except RuntimeError as error:
            raise RecordingFailed(f"PyTorch could not end its profile: {error}") from error
        if not self._traces:
            steps = f"{self._profile.step_num:,} steps"
            raise RecordingFailed(
                f"PyTorch recorded nothing: its schedule had not come to a step to record after {steps} "
                "(call run.step() at the end of each step)"
            )

    def _keep(self, profile: Any) -> None:
        plain = self._scratch / f"{self._traces}.json"
        profile.export_chrome_trace(str(plain))
        packed = plain.with_suffix(".json.gz")
        open_step = f'"ProfilerStep#{profile.step_num}"'.encode()
        packing = igzip.open(packed, "wb", compresslevel=2)  # type: ignore[no-untyped-call]
        with plain.open("rb") as lines, packing as out:
            for line in lines:
                out.write(line.replace(open_step, _NO_STEP) if self._is_ending else line)
        plain.unlink()
        self._traces += 1
        self._on_trace(packed, _ENDING)
