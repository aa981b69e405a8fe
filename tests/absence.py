"""What tests may use where it is there, and skip without: programs, and packages of Python.

`TILESCOPE_ABSENT=nginx,jax` takes these for absent: so it can be tested that tests skip, on a machine that has all.
"""

from __future__ import annotations

import os
import shutil
import sys
from typing import Final

ABSENT: Final = frozenset(filter(None, os.environ.get("TILESCOPE_ABSENT", "").split(",")))
_ALSO_IN: Final = "/usr/sbin:/usr/local/sbin"  # where no user's PATH leads

PACKAGES: Final = (
    "distributed",
    "duckdb",
    "jax",
    "mcp",
    "mkdocs",
    "moto",
    "obstore",
    "PIL",
    "polars",
    "schemathesis",
    "viztracer",
)


def find_program(*names: str) -> str | None:
    """The path of the first of these that is installed. What is taken for absent goes by the first name."""
    if names[0] in ABSENT:
        return None
    return next((path for name in names if (path := shutil.which(name) or shutil.which(name, path=_ALSO_IN))), None)


def hide_packages() -> None:
    """Makes packages impossible to import that are taken for absent."""
    for name in ABSENT.intersection(PACKAGES):
        sys.modules[name] = None  # type: ignore[assignment]
