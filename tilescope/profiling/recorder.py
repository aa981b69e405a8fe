"""Interface of a framework's profiler for `tilescope.profile`, and the choice of one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from tilescope.tiler.errors import TilescopeError, UsageError

Framework = Literal["jax", "pytorch"]

# What it calls itself, by the module that people import.
_MODULES: Mapping[Framework, str] = {"jax": "jax", "pytorch": "torch"}


@dataclass(frozen=True, slots=True)
class RecorderOptions:
    """Options of a recording. None: as the framework does by default."""

    host_tracer_level: int | None = None  # JAX
    device_tracer_level: int | None = None  # JAX
    python_tracer_level: int | None = None  # JAX
    record_shapes: bool | None = None  # PyTorch
    profile_memory: bool | None = None  # PyTorch
    with_stack: bool | None = None  # PyTorch
    schedule: Callable[[int], Any] | None = None  # PyTorch

    def for_framework(self, framework: Framework) -> dict[str, Any]:
        """Options that are set and that this framework has."""
        return {name: value for name in _OPTIONS[framework] if (value := getattr(self, name)) is not None}


_OPTIONS: Mapping[Framework, tuple[str, ...]] = {
    "jax": ("host_tracer_level", "device_tracer_level", "python_tracer_level"),
    "pytorch": ("record_shapes", "profile_memory", "with_stack", "schedule"),
}


class Recorder(Protocol):
    """Records once: `start`, any number of `step`, `stop`. Files appear in `scratch`, and are told by `on_trace`."""

    def start(self) -> None:
        """Begins. Raises `UsageError` when another profiler is active in this process."""

    def step(self) -> None:
        """A step is over, and the next one begins."""

    def stop(self) -> None:
        """Ends. Raises `RecordingFailed` when what was recorded is lost."""


OnTrace = Callable[[Path, str], None]
"""Takes a finished trace file, which is the recorder's no longer, and the ending that its name in a run has."""


class RecordingFailed(TilescopeError):
    """The recording is lost: the profiler of the framework says why."""


def choose_framework(framework: Framework | None, options: RecorderOptions) -> Framework:
    """The one that is wanted; else the only one that the program has imported, or that the options are of.

    Imports nothing. Raises `UsageError` where that is none or not clear, and for options of the other one.
    """
    if framework is not None and framework not in _MODULES:
        raise UsageError(f"framework={framework!r}: there are 'jax' and 'pytorch'")
    chosen = framework or _only_one(options)
    for other in _MODULES:
        if other != chosen and options.for_framework(other):
            raise UsageError(
                f"{', '.join(options.for_framework(other))}: an option of {other}, and this profiles {chosen}"
            )
    return chosen


def _only_one(options: RecorderOptions) -> Framework:
    loaded = [framework for framework, module in _MODULES.items() if module in sys.modules]
    if not loaded:
        raise UsageError(
            "neither jax nor torch is imported in this program: import the one to profile first, "
            "or name it with framework='jax' or framework='pytorch'"
        )
    if len(loaded) == 1:
        return loaded[0]
    meant = [framework for framework in loaded if options.for_framework(framework)]
    if len(meant) == 1:
        return meant[0]
    raise UsageError(
        "both jax and torch are imported in this program: say which one to profile with framework='jax' or 'pytorch'"
    )
