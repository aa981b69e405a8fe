"""Records of the track tree."""

from __future__ import annotations

from tilescope.tiler.records.record import Available, Record

TRACKS = Record(
    "T",
    "",
    "the track tree",
    Available.AT_ONCE,
    doc="groups and tracks, as the API has them",
    proof="the manifest",
)
BLOCK_TRACKS = Record(
    "t",
    "block",
    "the tracks of block {block}",
    Available.WITH_BLOCK,
    doc="the tracks of a block as the track tree will have them; removed when that is there",
    proof="nothing: a published store has none",
)
