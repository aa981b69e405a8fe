"""Tilescope: a streaming trace server with level-of-detail tiling."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# The one place of the version: `pyproject.toml` reads it here, and a test compares what else names it.
__version__ = "0.2.0"

# Where the public names are. They are loaded when they are asked for: the command line starts without them. Type
# checkers and editors read `__init__.pyi`, which names the same, as a test sees to.
_PLACES = {
    "tilescope.client": """
        AnswerTable Argument AsyncClient AsyncRun AttachmentEntry CallStack Client ClientError Event EventKind
        FindAnswer FlowPartner Match Phase Progress Refused Run RunInfo RunState RunView SearchAnswer StatsAnswer Sums
        Table Time ToolAnswer ToolEntry Track TrackKind TrackList Tracks Unreachable connect connect_async index
    """,
    "tilescope.profiling": """
        Profile RecordingFailed profile
    """,
    "tilescope.tiler.errors": """
        Cancelled ChangedTrace DamagedStore DamagedTrace DiskFull FormatFailed NoStore NotBuilt OutOfMemory StoreError
        StoreVersion TilescopeError TooLarge TooMany TraceError UnknownFormat UsageError
    """,
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names.split()}

__all__ = ["__version__", *_PLACE_OF]


def __getattr__(name: str) -> Any:
    if name not in _PLACE_OF:
        raise AttributeError(f"module 'tilescope' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_PLACE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
