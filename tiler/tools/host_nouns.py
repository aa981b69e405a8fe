"""The noun for the hosts of a run: ranks of a job stand where hosts do, and are called so."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tilescope.tiler.query.reader import QueryReader

_RANK: Final = re.compile(r"rank \d+(?: .*)?", re.DOTALL)  # as indexing calls the ranks of a job


def host_noun(names: Iterable[str]) -> str:
    """`rank` if all hosts of these names are ranks, else `host`."""
    ranks = [_RANK.fullmatch(name) is not None for name in names]
    return "rank" if ranks and all(ranks) else "host"


def host_noun_of_run(reader: QueryReader) -> str:
    """The noun for the hosts of a run."""
    return host_noun(group.name for group in reader.tree.groups if group.kind == "host")
