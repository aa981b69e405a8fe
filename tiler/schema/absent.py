"""Members that JSON leaves out where there is nothing: those that a struct declares as UNSET."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import UNSET, Struct, structs


def without_absent(kind: type[Struct], members: Mapping[str, Any]) -> dict[str, Any]:
    """The members of a struct of this kind, of which null stands for what is not there."""
    optional = _optional(kind)
    return {name: value for name, value in members.items() if value is not None or name not in optional}


@cache
def _optional(kind: type[Struct]) -> frozenset[str]:
    return frozenset(field.name for field in structs.fields(kind) if field.default is UNSET)
