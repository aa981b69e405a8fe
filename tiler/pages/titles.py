"""Titles of records for messages about missing ones: in words of tracks and events, not of blocks and slots."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tilescope.tiler.pages.key import TRACKS_PER_BLOCK

# By the kind of a record: its name is the kind and numbers, as in "pages-5.3.17.31".
_TITLES: Final[dict[str, Callable[..., str]]] = {
    "pages": lambda block, level, tile, slot: f"page of track {_track(block, slot)} at tile {tile} of level {level}",
    "residuals": lambda *key: f"residual to the {_TITLES['pages'](*key)}",
    "events": lambda track, ordinal: f"event {ordinal} on track {track}",
    "flows": lambda track, level, tile: f"flow of track {track} in tile {tile} of level {level}",
    "shapes": lambda block: f"track from {_track(block, 0)} to {_track(block, TRACKS_PER_BLOCK - 1)}",
    "names": lambda page: f"page {page} of names",
    "overview": lambda page: f"page {page} of the overview",
}


def record_title(name: str) -> str:
    """The record in words, as in "event 17 on track 4"; a name of no such kind as it is."""
    kind, _, numbers = name.partition("-")
    return _TITLES[kind](*map(int, numbers.split("."))) if kind in _TITLES else name


def _track(block: int, slot: int) -> int:
    return block * TRACKS_PER_BLOCK + slot
