"""What the viewer asks for first, sent with its page, so that nothing has to be asked for before a trace is shown.

Only where there is but one run, which the viewer opens by itself. Of others the address says after its hash which one
it is to be, and that part of an address never reaches a server.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

import msgspec

from tilescope.server.json_text import json_body
from tilescope.server.routes.manifest import manifest_body
from tilescope.server.runs.registry import Registry
from tilescope.server.runs.run import RunState, RunStatus
from tilescope.server.runs.store import ServedStore
from tilescope.tiler.errors import StoreError
from tilescope.tiler.pages import TRACKS_PER_BLOCK, decompress
from tilescope.tiler.schema import RunList, TrackTree
from tilescope.tiler.store.sense import must_make_sense

_END: Final = b"</body>"
_MAX_MEMBER_BYTES: Final = 100_000  # compressed; more than that would hold up the page itself
_ROWS: Final = 40  # of a large screen


async def with_first_answers(page: bytes, registry: Registry) -> bytes:
    """The page with the answers in it, by their paths below the API, as data that no browser runs; bytes are base64."""
    if len(registry.known_runs()) != 1 or _END not in page:
        return page
    runs = await registry.list_runs()
    if len(runs) != 1 or runs[0].state is not RunState.READY:
        return page
    try:
        with must_make_sense(runs[0].found.store):
            answers = b",".join(b"%s:%s" % (json_body(path), body) for path, body in _answers(runs[0], registry))
    except StoreError:  # the request that this would have spared tells of it
        return page
    # Names of a trace are anybody's: nothing in them ends the element or begins another.
    data = b"{" + answers.replace(b"<", b"\\u003c") + b"}"
    return page.replace(_END, b'<script type="application/json" id="first-answers">' + data + b"</script>" + _END)


def _answers(status: RunStatus, registry: Registry) -> Iterator[tuple[str, bytes]]:
    run = f"/runs/{quote(status.found.id, safe='')}"
    store = registry.current_store(status.found)
    build = f"{run}/builds/{quote(store.build, safe='')}"
    yield "/runs", json_body(RunList(runs=[status.told()]))
    yield f"{run}/manifest", manifest_body(status.found, store)
    tracks, names = store.tracks(), store.names(0)
    if names is not None and len(names) <= _MAX_MEMBER_BYTES:
        yield f"{build}/names/0", decompress(names)
    if len(tracks) <= _MAX_MEMBER_BYTES:
        tree = decompress(tracks)
        yield f"{build}/tracks", tree
        yield from _shapes(build, store, msgspec.json.decode(tree, type=TrackTree))


def _shapes(build: str, store: ServedStore, tree: TrackTree) -> Iterator[tuple[str, bytes]]:
    """Of the blocks that the first screen shows: where they are few and small."""
    shapes = {block: store.shape(block) for block in first_blocks(tree)}
    if sum(len(shape or b"") for shape in shapes.values()) <= _MAX_MEMBER_BYTES:
        for block, shape in shapes.items():
            if shape is not None:
                yield f"{build}/shapes/{block}", json_body(b64encode(decompress(shape)).decode())


def first_blocks(tree: TrackTree) -> list[int]:
    """The blocks of what is about on the first screen: tracks of the first process, and the sums of the next ones."""
    tracks = [track for track in tree.tracks if track.kind != "rollup" and track.events != "0"]
    first = [track.id for track in tracks if track.group == tracks[0].group]
    sums = [track.id for track in tree.tracks if track.kind == "rollup"]
    return sorted({at // TRACKS_PER_BLOCK for at in (*first[:_ROWS], *sums[:_ROWS])})
