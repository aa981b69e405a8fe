"""Tilescope: a streaming trace server with level-of-detail tiling."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilescope.client import connect, connect_async

__version__ = "0.1.0"
__all__ = ["__version__", "connect", "connect_async"]


def __getattr__(name: str) -> Any:
    """Loads the client when it is asked for: the command line starts without it."""
    if name in ("connect", "connect_async"):
        from tilescope import client

        return getattr(client, name)
    raise AttributeError(f"module 'tilescope' has no attribute {name!r}")
