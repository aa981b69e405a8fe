"""The manifest: what a store holds, for people, for clients and for `verify`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tilescope.tiler import _native
from tilescope.tiler.build.flows import Flows
from tilescope.tiler.build.layout import Layout
from tilescope.tiler.build.names import NAMES_PER_PAGE
from tilescope.tiler.build.run import Run
from tilescope.tiler.columns import EventCounts
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.store.version import STORE_VERSION


def make_manifest(build: str, run: Run, layout: Layout, flows: Flows, sources: Sequence[Fingerprint]) -> dict[str, Any]:
    """The manifest. "public" is what docs/api.md describes; the rest is for this package.

    The totals of the tracks are sums over the columns that ingest made, before there was any tile.
    """
    public = {
        "build": build,
        "format": " + ".join(sorted({file.summary.format for file in run.files})),
        "tick_ps": run.timeline.tick_ps,
        "origin_ns": str(run.timeline.origin_ns),
        "start": "0",
        "end": str(run.timeline.end),
        "root_level": _native.root_level(run.timeline.end),
        "empty": not any(track.events for track in layout.tracks),
        "hosts": [group.name for group in layout.groups if group.kind == "host"],
        "files": [file.path.name for file in run.files],
        "processes": sum(group.kind == "process" for group in layout.groups),
        "tracks": len(layout.tracks),
        "blocks": -(-len(layout.tracks) // TRACKS_PER_BLOCK),
        "names": {"count": len(run.names), "page_size": NAMES_PER_PAGE},
        "events": {kind: str(count) for kind, count in asdict(_counts(run)).items()},
        "flows": {kind: str(count) for kind, count in asdict(flows.counts).items()},
        "ignored": {reason: str(count) for reason, count in run.ignored().items()},
        "warnings": run.warnings(),
        "source_bytes": str(sum(file.size_bytes for file in run.files)),
        "created_ns": str(time.time_ns()),
    }
    files = [
        {"path": str(file.path.resolve()), "size_bytes": file.size_bytes, "args_encoding": file.summary.args_encoding}
        for file in run.files
    ]
    tracks = [
        {
            "kind": str(track.kind),
            "file": track.file,
            "name": track.name,
            "events": track.events,
            "busy": str(track.busy),
            "details": track.events_with_details,
            "flow_ends": flows.ends.get(track.id, (0, 0)),
        }
        for track in layout.tracks
    ]
    # Children are the data of tracks that stand elsewhere in the layout: found by identity.
    ids = {id(track.data): track.id for track in layout.tracks if track.data is not None}
    for placed, track in zip(layout.tracks, tracks, strict=True):
        if placed.children:
            track["children"] = [ids[id(child)] for child in placed.children]
    return {
        "version": STORE_VERSION,
        "public": public,
        "files": files,
        "sources": [source.to_json() for source in sources],
        "tracks": tracks,
    }


def _counts(run: Run) -> EventCounts:
    total = EventCounts()
    for file in run.files:
        for kind, count in asdict(file.summary.counts).items():
            setattr(total, kind, getattr(total, kind) + count)
    return total
