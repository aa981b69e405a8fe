"""What the operations of a framework are called that instructions come from."""

from __future__ import annotations

from typing import Final

from tilescope.tiler.caches import Memo
from tilescope.tiler.facts.host_operations.naming import ITERATOR, framework_op
from tilescope.tiler.facts.operations.metadata import OperationMetadata

UNKNOWN_TYPE: Final = "Unknown"


def named(of: OperationMetadata) -> tuple[str, str]:
    """What the framework's operation that an instruction comes from is called, and its type."""
    return _op(of.framework) if of.framework else (of.name, UNKNOWN_TYPE)


def framework_op_name(path: str) -> str:
    """What the operation is called that a path in the framework's terms ends with."""
    # Of tens of thousands the type is not asked for, and most end with a colon: they are called what comes before it.
    plain = path[:-1]
    return plain if path[-1:] == ":" and ":" not in plain and plain != ITERATOR else _op(path)[0]


def _parse_path(framework: str) -> tuple[str, str]:
    op = framework_op(framework)
    return op.name, op.type or UNKNOWN_TYPE


# Asked of each of maybe 40,000 instructions.
_op: Final = Memo("framework_paths", "Names of operations of frameworks, by path", 500).remembered(_parse_path, 1 << 16)
