"""Names of steps: what a slice must be called to be one, and which number it has. Linear in the length of the name."""

from __future__ import annotations

from typing import Final, NamedTuple

# What PyTorch's profiler and msprof call the slices that are steps, before their number.
PREFIXES: Final = ("ProfilerStep#", "Iteration ")

MAX_STEP_NAME: Final = 256  # characters that somebody who asks may name steps by

_DIGITS: Final = "0123456789"
_MAX_DIGITS: Final = 18  # of a number that fits into 64 bits
_MAX_PROGRAM_DIGITS: Final = 20  # of an unsigned number of 64 bits
_BETWEEN: Final = " #:_-=/.,()[]"  # what may stand around the number of a step


class NamedStep(NamedTuple):
    """Prefix and number of a step, from its name."""

    prefix: str
    number: int


def named_step(name: str) -> NamedStep | None:
    """The step that a slice of this name is wherever it stands; None: none."""
    if not name.startswith(PREFIXES):
        return None
    prefix = PREFIXES[0] if name.startswith(PREFIXES[0]) else PREFIXES[1]
    number = _number(name[len(prefix) :])
    return None if number is None else NamedStep(prefix, number)


def trailing_number(name: str) -> int | None:
    """The number that a name ends in: 12 for "train 12" and for "12"."""
    return _number(name[len(name.rstrip(_DIGITS)) :])


def chosen_step(name: str, chosen: str) -> int | None:
    """The number of a slice, if it is called what somebody has named steps by; -1: that name itself, without a number.

    A number may follow it, with blanks and punctuation around: "train_step" stands for "train_step 7" and
    "train_step(7)", too, and not for "train_steps". A number of more digits than a step has is the id of a program,
    as in "jit_f(12190760917235803885)", which is no number of a step.
    """
    if not name.startswith(chosen):
        return None
    rest = name[len(chosen) :]
    if not rest:
        return -1
    if chosen[-1] in _DIGITS and rest[0] in _DIGITS:
        return None  # another number that begins with the same digits
    text = rest.strip(_BETWEEN)
    is_program = _MAX_DIGITS < len(text) <= _MAX_PROGRAM_DIGITS and text.isascii() and text.isdecimal()
    return -1 if is_program else _number(text)


def numbered_stem(name: str) -> str | None:
    """The name that stands for all numbers of this one, to `chosen_step`: "train" for "train_7"; None: no number."""
    text = name.rstrip(_BETWEEN)
    stem = text.rstrip(_DIGITS)
    return (stem.rstrip(_BETWEEN) or None) if _number(text[len(stem) :]) is not None else None


def _number(text: str) -> int | None:
    is_number = 0 < len(text) <= _MAX_DIGITS and text.isascii() and text.isdecimal()
    return int(text) if is_number else None
