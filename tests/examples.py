"""How many examples properties are tried with: few on every run, many in `make test-deep`."""

from __future__ import annotations

import os
from typing import Final

# Of each property that does not say itself how many it wants. One that does gets this share of a hundred of them.
EXAMPLES: Final = int(os.environ.get("TILESCOPE_EXAMPLES", "15"))


def examples(wanted: int) -> int:
    """How many of the examples that a property wants are tried now; `TILESCOPE_EXAMPLES=100` tries all of them."""
    return max(2, wanted * EXAMPLES // 100)
