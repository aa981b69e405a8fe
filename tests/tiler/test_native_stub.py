"""The type stub of the native module agrees with the module that was built."""

from __future__ import annotations

import inspect

from tests.tiler.write_native_stub import STUB, stub_text
from tilescope.tiler import _native


def test_the_stub_is_what_the_module_says() -> None:
    assert STUB.read_text() == stub_text(), "run `make stubs`"


def test_types_are_precise() -> None:
    text = STUB.read_text()
    for vague in (": object", "-> object", "-> tuple:", "-> list:", "-> dict:", ": Callable,", "ArrayLike"):
        assert vague not in text, f"a binding says no more than {vague!r}"


def test_classes_and_functions_say_what_they_are() -> None:
    for name, thing in vars(_native).items():
        if not name.startswith("_") and callable(thing) and not name.startswith("XSpace"):
            assert inspect.getdoc(thing), f"{name} has no docstring"
