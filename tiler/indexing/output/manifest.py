"""The manifest: what a store holds, for people, for clients and for `verify`."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct, field, structs

from tilescope.tiler import _native, schema
from tilescope.tiler.columns import EventCounts, TraceSummary
from tilescope.tiler.indexing.reading.names import NAMES_PER_PAGE
from tilescope.tiler.indexing.reading.timeline import Timeline
from tilescope.tiler.indexing.tracks.findings import Findings, FlowCounts, StepCounts
from tilescope.tiler.indexing.tracks.layout import Layout
from tilescope.tiler.indexing.tracks.track_facts import TrackFacts
from tilescope.tiler.pages import TRACKS_PER_BLOCK
from tilescope.tiler.readers.fingerprint import Fingerprint
from tilescope.tiler.readers.formats import codec_of
from tilescope.tiler.records.overview import OverviewGrid
from tilescope.tiler.store.version import STORE_VERSION


class ManifestParts(Struct, frozen=True):
    """All that a manifest is made of. What is not known yet while a run is indexed is left as it is here."""

    build: str
    sources: Sequence[Fingerprint]
    files: Sequence[tuple[Path, int, TraceSummary]]  # path, bytes, summary
    timeline: Timeline
    layout: Layout
    facts: Mapping[int, TrackFacts]
    names: int = 0
    revision: int = 0  # above 0 while the run is indexed
    findings: Findings = field(default_factory=Findings)
    ignored: Mapping[str, int] = field(default_factory=dict)
    warnings: Sequence[str] = ()
    is_unconfirmed: bool = False  # that the sources are of one time was a guess
    separated: Sequence[int] = ()  # numbers of those that are of another time, and left out
    axis: str | None = None  # id of the axis that the run was given


def make_manifest(parts: ManifestParts) -> dict[str, Any]:
    """The manifest. "public" is what docs/api.md describes; the rest is for this package.

    The totals of the tracks are sums over the columns that ingest made, before there was any tile.
    """
    timeline, layout, facts = parts.timeline, parts.layout, parts.facts
    findings = parts.findings
    public = schema.StoredManifest(
        build=parts.build,
        state="indexing" if parts.revision else "ready",
        revision=parts.revision,
        format=" + ".join(sorted({summary.format for _, _, summary in parts.files})),
        tick_ps=1 if timeline.tick_ps == 1 else 1000,
        origin_ns=str(timeline.origin_ns),
        start="0",
        end=str(timeline.end),
        root_level=_native.root_level(timeline.end),
        empty=not any(track_facts.events for track_facts in facts.values()),
        hosts=[group.name for group in layout.groups if group.kind == "host"],
        files=[path.name for path, _, _ in parts.files],
        processes=sum(group.kind == "process" for group in layout.groups),
        tracks=len(layout.tracks),
        blocks=-(-len(layout.tracks) // TRACKS_PER_BLOCK),
        names=schema.NameCounts(count=parts.names, page_size=NAMES_PER_PAGE),
        overview=OverviewGrid.of(timeline.end).told(),
        events=schema.EventCounts(**_texts(structs.asdict(_counts(parts)))),
        flows=_flows(findings.flow_counts),
        steps=_steps(findings.steps),
        families=findings.families,
        outliers=findings.outliers,
        ignored=_texts(parts.ignored),
        warnings=[*parts.warnings, *findings.warnings],
        source_bytes=str(sum(size_bytes for _, size_bytes, _ in parts.files)),
        created_ns=str(time.time_ns()),
    )
    files = [
        {"path": str(path.resolve()), "size_bytes": size_bytes, "args_encoding": codec_of(summary.format).id}
        for path, size_bytes, summary in parts.files
    ]
    tracks = []
    for track in layout.tracks:
        track_facts = facts[track.id]
        entry: dict[str, Any] = {
            "kind": str(track.kind),
            "file": track.file,
            "name": track.name,
            "events": track_facts.events,
            "busy": str(track_facts.busy),
            "fingerprint": f"{track_facts.fingerprint:016x}",
            "rows": track_facts.rows,
            "details": track_facts.with_details,
            "flow_ends": findings.flow_ends.get(track.id, (0, 0)),
            "pair_ends": findings.pair_ends.get(track.id, (0, 0)),
            "steps": findings.steps_by_track.get(track.id, 0),
            "operations": findings.operations_by_track.get(track.id, 0),
        }
        if track_facts.span is not None:
            entry["span"] = [str(tick) for tick in track_facts.span]
        if track.frames:
            entry["frames"] = True
        if track.children:
            entry["children"] = list(track.children)
        tracks.append(entry)
    manifest = {
        "version": STORE_VERSION,
        "public": msgspec.to_builtins(public),
        "files": files,
        "sources": [source.to_json() for source in parts.sources],
        "tracks": tracks,
    }
    if parts.is_unconfirmed:
        manifest |= {"unconfirmed": True} | ({"separated": list(parts.separated)} if parts.separated else {})
    if parts.axis is not None:
        manifest["axis"] = parts.axis
    return manifest


def _steps(counts: StepCounts) -> schema.StepCounts | None:
    if counts.first is None or counts.last is None:
        return None
    return schema.StepCounts(
        count=str(counts.numbers),
        first=str(counts.first),
        last=str(counts.last),
        slices=str(counts.slices),
        tracks=counts.tracks,
        all=not counts.is_cut,
    )


def _flows(counts: FlowCounts) -> schema.FlowCounts:
    numbers: dict[str, int | None] = structs.asdict(counts)
    texts: dict[str, Any] = {kind: None if count is None else str(count) for kind, count in numbers.items()}
    return schema.FlowCounts(**texts)


def _texts(counts: Mapping[str, int]) -> dict[str, str]:
    return {what: str(count) for what, count in counts.items()}


def _counts(parts: ManifestParts) -> EventCounts:
    total = EventCounts()
    for _, _, summary in parts.files:
        for kind, count in structs.asdict(summary.counts).items():
            setattr(total, kind, getattr(total, kind) + count)
    return total
