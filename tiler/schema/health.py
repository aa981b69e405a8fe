"""Health of a server: the answer while it is alive."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Health(Struct, frozen=True, kw_only=True):
    """The server is alive."""

    status: Literal["ok"]
    version: str
