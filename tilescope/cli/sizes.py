"""Sizes as people write them on a command line."""

from __future__ import annotations

import argparse
import re

_UNITS = {
    unit: factor
    for power, letter in enumerate(("", "k", "m", "g", "t"))
    for unit, factor in ((f"{letter}b", 1000**power), (f"{letter}ib", 1024**power), (letter, 1000**power))
    if unit != "ib"
}


def parse_size(text: str) -> int:
    """For argparse: "20GB" → 20,000,000,000, "1.5 GiB" → 1,610,612,736, "500M" → 500,000,000, "4096" → 4096."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([a-z]*)", text.strip().lower())
    if match is None or match.group(2) not in _UNITS:
        raise argparse.ArgumentTypeError(f"{text!r} is no size (write 20GB, 1.5GiB, 500MB or bytes)")
    whole, _, rest = match.group(1).partition(".")
    size: int = int(whole + rest) * _UNITS[match.group(2)] // 10 ** len(rest)
    return size
