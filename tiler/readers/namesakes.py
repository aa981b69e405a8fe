"""Names that people know things by, with an id only where several things have the same name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence


def tell_apart(names: Sequence[str], ids: Sequence[str], scopes: Sequence[Hashable]) -> list[str]:
    """Each name, with its id behind it where another of the same scope has the same name: `worker 7`, `worker 9`."""
    counted = Counter(zip(scopes, names, strict=True))
    return [
        f"{name} {id_}".strip() if counted[scope, name] > 1 else name
        for name, id_, scope in zip(names, ids, scopes, strict=True)
    ]
