"""First answers that the viewer needs, sent with its page: it asks for nothing more before a trace is shown.

Of the run that the address names (`?run=`), or of the only one there is, which the viewer opens by itself.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import quote

import msgspec
import numpy as np

from tilescope.server.json_text import json_body
from tilescope.server.routes.manifest import manifest_body
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.run import RunState, RunStatus
from tilescope.server.runs.store_reads import read_from
from tilescope.tiler.errors import StoreError
from tilescope.tiler.lookup.tiles import stored_page
from tilescope.tiler.pages import TRACKS_PER_BLOCK, PageKey, Shape, decompress
from tilescope.tiler.records.names import NAMES
from tilescope.tiler.records.tiles import SHAPE
from tilescope.tiler.records.tracks import TRACKS
from tilescope.tiler.schema import RunList, TrackTree
from tilescope.tiler.store.store import Store, need
from tilescope.tiler.store.validation import must_make_sense

_END: Final = b"</body>"
_MAX_MEMBER_BYTES: Final = 100_000  # compressed; more than that would hold up the page itself
_MAX_PAGES_BYTES: Final = 60_000  # compressed: those of the top of the screen are some 10,000 bytes each
_MAX_RUNS: Final = 200  # of longer lists the viewer asks for itself
_ROWS: Final = 40  # of a large screen


async def with_first_answers(page: bytes, registry: Registry, wanted: str | None) -> bytes:
    """The page with the answers in it, by their paths below the API, as data that no browser runs; bytes are base64.

    `wanted`: the run that the address names.
    """
    if _END not in page or (_run_of(registry.known_runs(), wanted) is None):
        return page
    runs = await registry.list_runs()
    status = _run_of(runs, wanted)
    if status is None or status.state is not RunState.READY:
        return page
    try:
        with must_make_sense(status.run.store):
            store = registry.current_store(status.run)
            answers = await read_from(store, lambda: b",".join(_members(runs, status, store)))
    except StoreError:  # the request that this would have spared tells of it
        return page
    # Names of a trace are anybody's: nothing in them ends the element or begins another.
    data = b"{" + answers.replace(b"<", b"\\u003c") + b"}"
    return page.replace(_END, b'<script type="application/json" id="first-answers">' + data + b"</script>" + _END)


def _run_of(runs: Sequence[RunStatus], wanted: str | None) -> RunStatus | None:
    if wanted is None:
        return runs[0] if len(runs) == 1 else None
    return next((status for status in runs if status.run.id == wanted), None)


def _members(runs: Sequence[RunStatus], status: RunStatus, store: Store) -> Iterator[bytes]:
    return (b"%s:%s" % (json_body(path), body) for path, body in _answers(runs, status, store))


def _answers(runs: Sequence[RunStatus], status: RunStatus, store: Store) -> Iterator[tuple[str, bytes]]:
    run = f"/runs/{quote(status.run.id, safe='')}"
    build = f"{run}/builds/{quote(store.build, safe='')}"
    if len(runs) <= _MAX_RUNS:
        yield "/runs", json_body(RunList(runs=[listed.to_schema() for listed in runs]))
    yield f"{run}/manifest", manifest_body(status.run, store)
    tracks, names = need(store, TRACKS), store.get(NAMES, 0)
    if names is not None and len(names) <= _MAX_MEMBER_BYTES:
        yield f"{build}/names/0", decompress(names)
    if len(tracks) <= _MAX_MEMBER_BYTES:
        tree = decompress(tracks)
        yield f"{build}/tracks", tree
        yield from _tiles(build, store, msgspec.json.decode(tree, type=TrackTree))


def _tiles(build: str, store: Store, tree: TrackTree) -> Iterator[tuple[str, bytes]]:
    """Shapes and pages of what the first screen shows: where they are few and small."""
    members = {block: store.get(SHAPE, block) for block in first_blocks(tree)}
    if sum(len(member or b"") for member in members.values()) > _MAX_MEMBER_BYTES:
        return
    shapes = {block: decompress(member) for block, member in members.items() if member is not None}
    for block, shape in shapes.items():
        yield f"{build}/shapes/{block}", _text(shape)
    left = _MAX_PAGES_BYTES
    for key in first_pages(tree, {block: Shape.decode(shape) for block, shape in shapes.items()}):
        page = stored_page(store, key)
        left -= len(page or b"")
        if page is None or left < 0:
            return
        yield f"{build}/pages/{'/'.join(map(str, key.to_json()))}", _text(decompress(page))


def _text(content: bytes) -> bytes:
    return json_body(b64encode(content).decode())


def first_blocks(tree: TrackTree) -> list[int]:
    """The blocks of what is about on the first screen: tracks of the first process, and the sums of the next ones."""
    return sorted({track // TRACKS_PER_BLOCK for track in _first_tracks(tree)})


def first_pages(tree: TrackTree, shapes: Mapping[int, Shape]) -> list[PageKey]:
    """The pages with the coarsest tiles of those tracks, from the top of the screen down: the first picture.

    With the whole run in view these are what the viewer asks for first, however wide it is.
    """
    pages: dict[PageKey, None] = {}
    for track in _first_tracks(tree):
        shape = shapes.get(track // TRACKS_PER_BLOCK)
        if shape is not None and len(shape):
            last = np.flatnonzero((shape.slot == track % TRACKS_PER_BLOCK) & (shape.level == shape.level[-1]))
            pages.update((shape.page_of(tile), None) for tile in last.tolist())
    return list(pages)


def _first_tracks(tree: TrackTree) -> list[int]:
    """From the top: the sums of all and of the first process, its tracks, the sums of the next processes."""
    tracks = [track for track in tree.tracks if track.kind != "rollup" and track.events != "0"]
    first = [track.id for track in tracks if track.group == tracks[0].group][:_ROWS]
    sums = [track.id for track in tree.tracks if track.kind == "rollup"][:_ROWS]
    return [*sums[:2], *first, *sums[2:]]
