"""Names without the numbers that compilers and programs give anew in each run: two builds then have names in common.

The rule, as docs/compare.md has it: a number behind `.`, `_` or `#` is left out with that sign, where no letter follows
it; hexadecimal ids, `0x…` or of eight digits and more with a decimal one among them, become `*`. What nothing would be
left of stays as it is.
"""

from __future__ import annotations

import re
from typing import Final, Literal

Match = Literal["exact", "normalised"]

# Both alternatives begin at a border of a word, and take each character once: linear in the length of a name.
_IDS: Final = re.compile(r"(?<![0-9A-Za-z])(?:0[xX][0-9a-fA-F]+|(?=[a-fA-F]*[0-9])[0-9a-fA-F]{8,})(?![0-9A-Za-z])")
_NUMBERS: Final = re.compile(r"[._#][0-9]+(?![0-9A-Za-z])")


def normalised(name: str) -> str:
    """The name by this rule: "fusion.12" → "fusion", "jit_f(0x7f3a)" → "jit_f(*)"."""
    return _NUMBERS.sub("", _IDS.sub("*", name)) or name


def matched(name: str, match: Match) -> str:
    """The name as two runs are compared by it."""
    return normalised(name) if match == "normalised" else name
