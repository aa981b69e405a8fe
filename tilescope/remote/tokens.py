"""Tokens of web servers: each belongs to one origin, and is sent nowhere else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from tilescope.remote.address import WEB, Address
from tilescope.tiler.errors import UsageError

VARIABLE: Final = "TILESCOPE_TOKENS"


def tokens_by_origin(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Tokens in the environment: `https://HOST=TOKEN`, separated by spaces. Raises UsageError, without the tokens."""
    tokens = {}
    for word in environment.get(VARIABLE, "").split():
        origin, separator, token = word.partition("=")
        if not separator or not token or origin.partition("://")[0] not in WEB:
            raise UsageError(f"{VARIABLE}: expected https://HOST=TOKEN, separated by spaces")
        tokens[Address.parse(origin).origin] = token
    return tokens
