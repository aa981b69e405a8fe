"""Calls of native code while a profile is recorded: each call, and when it gives Python's lock up and takes it back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from tilescope.tiler import _native
from tilescope.tiler.profile.spans import ProfileSpan, WorkProfile, called, recording

PYTHON_LOCK: Final = "Python's lock"
_UNLOCKED: Final = "without Python's lock"

_FUNCTIONS: Final = ("nb_func", "nb_method")  # types of nanobind
_OWN: Final = frozenset({"start_unlocked_spans", "take_unlocked_spans"})


class _Function(NamedTuple):
    """A function of the native module, or a method of one of its types."""

    owner: object
    attribute: str
    function: Callable[..., object]

    @property
    def name(self) -> str:
        """Name in Python code."""
        return f"{self.owner.__name__}.{self.attribute}" if isinstance(self.owner, type) else self.attribute


@contextmanager
def recorded_build(profile: WorkProfile) -> Iterator[None]:
    """Records all threads of this process within the block, native calls among them; the profile is whole behind it.

    Functions of the native module are replaced meanwhile, constructors and properties are not.
    """
    functions = list(_functions())
    try:
        for owner, attribute, function in functions:
            setattr(owner, attribute, called(_Function(owner, attribute, function).name, function))
        _native.start_unlocked_spans()
        with recording(profile):
            yield
    finally:
        for owner, attribute, function in functions:
            setattr(owner, attribute, function)
        _add_unlocked(profile)


def _functions() -> Iterator[_Function]:
    for name, value in vars(_native).items():
        if type(value).__name__ in _FUNCTIONS and name not in _OWN:
            yield _Function(_native, name, value)
        if isinstance(value, type):
            for attribute, method in vars(value).items():
                if type(method).__name__ in _FUNCTIONS and not attribute.startswith("__"):
                    yield _Function(value, attribute, method)


def _add_unlocked(profile: WorkProfile) -> None:
    *columns, dropped = _native.take_unlocked_spans()
    profile.dropped += dropped
    for thread, begin_ns, end_ns, taken_ns in zip(*(column.tolist() for column in columns), strict=True):
        if begin_ns < profile.begin_ns:  # of a thread that began it while the profile before was recorded
            continue
        profile.add(ProfileSpan(thread, "unlocked", _UNLOCKED, begin_ns, end_ns, -1))
        profile.add(ProfileSpan(thread, "wait", PYTHON_LOCK, end_ns, taken_ns, -1))
