"""Values of arguments that are nested deeper than whoever asks for them can read."""

from __future__ import annotations


def cut(value: object, levels: int) -> object:
    """The value with at most so many containers inside each other; what is deeper is a text that says so."""
    return _cut(value, levels, f"[nested deeper than {levels}]")


def _cut(value: object, levels: int, instead: str) -> object:
    if not isinstance(value, list | dict):
        return value
    if levels == 0:
        return instead
    if isinstance(value, list):
        return [_cut(item, levels - 1, instead) for item in value]
    return {name: _cut(item, levels - 1, instead) for name, item in value.items()}
