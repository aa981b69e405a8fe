"""From which share of the step time on something is worth a word, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tilescope.tiler.percent_text import percent_text


@dataclass(frozen=True, slots=True)
class Level:
    """Shares of the step time; `high` None: there is only one level."""

    moderate: float
    high: float | None = None

    def word(self, share: float) -> str:
        """The name of the level that a share reaches: moderate or high; nothing below them."""
        if self.high is not None and share >= self.high:
            return "high"
        return "moderate" if share >= self.moderate else ""


INPUT: Final = Level(0.05, 0.20)
OUTPUT: Final = Level(0.05, 0.20)
LAUNCH: Final = Level(0.03, 0.15)
OTHERS: Final = Level(0.03, 0.15)
COLLECTIVES: Final = Level(0.03, 0.15)
ALL_REDUCE: Final = Level(0.06)
IDLE: Final = Level(0.03)
SPARSE: Final = Level(0.10)

NOT_BOUND: Final = "not input-bound"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Verdict on a program's waiting for input: in a word, whose fault it is, and in a sentence."""

    word: str
    where: str  # "host", "both" or "device"
    text: str


def verdict(input_share: float) -> Verdict:
    """Verdict on a share of the step time that is waiting for input."""
    word = INPUT.word(input_share)
    if word == "high":
        return Verdict(
            "highly input-bound",
            "host",
            f"{percent_text(input_share)} of the step time is waiting for input: reduce that first",
        )
    if word:
        return Verdict(
            "moderately input-bound",
            "both",
            f"{percent_text(input_share)} of the step time is waiting for input: look at both the input and the "
            "computation",
        )
    return Verdict(
        NOT_BOUND,
        "device",
        f"only {percent_text(input_share)} of the step time is waiting for input: look at the computation",
    )
