"""Options of a capture: what to record, and how patiently to try."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilescope.tiler.errors import UsageError

MOST_DURATION_MS: Final = 3_600_000
MOST_ATTEMPTS: Final = 100
MOST_LEVEL: Final = 10
MOST_ANSWER_BYTES: Final = 0xFFFF_FFFF  # what a gRPC message can hold

MOST_PATIENCE_S: Final = 86_400

_UNITS: Final = {"duration": " ms", "delay": " ms", "largest trace": " bytes"}
_RUN_NAME: Final = re.compile(r"[\w][\w.+@=-]{0,127}")


@dataclass(frozen=True, slots=True)
class CaptureOptions:
    """Options of one capture; the same for all its hosts. Raises `UsageError` for values that make no sense."""

    duration_ms: int = 1000
    delay_ms: int = 0  # before the capture starts, on all hosts at the same moment
    host_tracer_level: int = 2  # 0: off, 1: what users annotate, 2: and what is costly, 3: everything
    device_tracer_level: int = 1  # 0: off
    python_tracer_level: int = 0  # 1: each call of a Python function
    include_dataset_ops: bool = True
    attempts: int = 3  # in all, for each host
    run_name: str | None = None  # of the folder; None: date and time
    answer_within_s: float = 120.0  # after the end of the capture, until the answer begins
    most_answer_bytes: int = MOST_ANSWER_BYTES  # of one host
    repository_root: str | None = None  # where servers that cannot send their trace write it, as they see it
    confined_to: tuple[Path, ...] = ()  # folders that no file may lie outside of, all links followed; none: anywhere

    def __post_init__(self) -> None:
        for name, value, least, most in (
            ("duration", self.duration_ms, 1, MOST_DURATION_MS),
            ("delay", self.delay_ms, 0, MOST_DURATION_MS),
            ("host tracer level", self.host_tracer_level, 0, MOST_LEVEL),
            ("device tracer level", self.device_tracer_level, 0, MOST_LEVEL),
            ("Python tracer level", self.python_tracer_level, 0, MOST_LEVEL),
            ("number of attempts", self.attempts, 1, MOST_ATTEMPTS),
            ("largest trace", self.most_answer_bytes, 1, MOST_ANSWER_BYTES),
        ):
            if not least <= value <= most:
                unit = _UNITS.get(name, "")
                raise UsageError(f"the {name} of a capture is {least:,} to {most:,}{unit}, not {value:,}")
        if self.run_name is not None and not _RUN_NAME.fullmatch(self.run_name):
            raise UsageError(
                f"{self.run_name!r} is no name for a run "
                "(up to 128 letters, digits and . _ + @ = -, of which the first is a letter or a digit)"
            )
        if not 0 < self.answer_within_s <= MOST_PATIENCE_S:
            raise UsageError(f"a server may take up to {MOST_PATIENCE_S:,} s to answer, not {self.answer_within_s:g}")
        if self.repository_root == "":
            raise UsageError("the repository root is a folder in which servers may write, and has a name")
