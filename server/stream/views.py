"""Want-lists made from views, for clients that know no shapes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tilescope.server.errors import BadMessage, BadRequest
from tilescope.server.runs.store import ServedStore
from tilescope.server.services import Questions, ViewRequest
from tilescope.server.stream.messages import MAX_WANTS, TierEnd, ViewWant, Want, WantTier
from tilescope.tiler.errors import NotBuilt, UsageError
from tilescope.tiler.resolver import PageWant, Tier

Resolve = Callable[[ViewRequest], list[PageWant]]

# The passes of docs/resolver.md come in this order, those of one tier one after the other.
TIER_OF: Final = {
    Tier.COARSE: WantTier.VISIBLE,
    Tier.SHARP: WantTier.VISIBLE,
    Tier.MARGIN: WantTier.MARGIN,
    Tier.ROOT: WantTier.PREFETCH,
}


def resolve_view(message: ViewWant, resolve: Resolve) -> Want:
    """The pages of a view with all three tiers, those included that the client has. Raises `BadMessage`."""
    try:
        wants = resolve(message.view)[:MAX_WANTS]
    except (UsageError, BadRequest) as error:
        raise BadMessage(str(error)) from None
    counts = dict.fromkeys(WantTier, 0)
    for want in wants:
        counts[TIER_OF[want.tier]] += 1
    ends: list[TierEnd] = []
    for tier, count in counts.items():
        ends.append(TierEnd(tier, count + (ends[-1].page_count if ends else 0)))
    pages = tuple(want.key for want in wants)
    return Want(message.id, pages, message.received, tuple(ends), is_resolved=True)


def pages_of_view(questions: Questions, store: ServedStore, request: ViewRequest) -> list[PageWant]:
    """The pages that show a view, most urgent first; in a build that is growing, of the tracks that are done.

    If residuals are wanted, too, each follows its page.
    """
    pages = _pages_of_view(questions, store, request)
    if not request.residuals:
        return pages
    reader = questions.reader(store)
    with_residuals: list[PageWant] = []
    for want in pages:
        with_residuals.append(want)
        if reader.has_residual(want.key):
            with_residuals.append(want._replace(key=want.key.residual))
    return with_residuals


def _pages_of_view(questions: Questions, store: ServedStore, request: ViewRequest) -> list[PageWant]:
    try:
        return questions.view(store, request)
    except NotBuilt:
        pass
    reader, view = questions.reader(store), request.view()

    def is_done(track: int) -> bool:
        try:
            reader.pages(view, [track])
        except NotBuilt:  # its block, or for a rollup one of its tracks', is not built yet
            return False
        return True

    track_lists = request.shown(reader.tree), request.nearby
    tracks, nearby = ([track for track in part if is_done(track)] for part in track_lists)
    return reader.pages(view, tracks, nearby)
