"""All cases, by family."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from pathlib import Path

from tests.hostile.case import Case


def all_cases() -> list[Case]:
    """The cases of all modules `*_cases.py` beside this one, in their order."""
    modules = sorted(path.stem for path in Path(__file__).parent.glob("*_cases.py"))
    cases = [case for module in modules for case in import_module(f"tests.hostile.{module}").CASES]
    twice = [name for name, count in Counter(case.id for case in cases).items() if count > 1]
    assert not twice, f"two cases of one name: {twice}"
    return cases
