"""From what is on the screen to the pages that show it: docs/resolver.md in Python, for servers and notebooks."""

from tilescope.tiler.resolver.parts import TilesOf
from tilescope.tiler.resolver.resolve import PageWant, Tier, TrackRequest, resolve, sharp_level
from tilescope.tiler.resolver.tiles import TileIndex
from tilescope.tiler.resolver.view import TickRange, View

__all__ = [
    "PageWant",
    "TickRange",
    "Tier",
    "TileIndex",
    "TilesOf",
    "TrackRequest",
    "View",
    "resolve",
    "sharp_level",
]
