"""Ranks and links beside each other: what of a run is compared, and what the comparison says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tilescope.tiler.facts.ascend.cluster import Cluster, StepParts, read_cluster
from tilescope.tiler.facts.ascend.communication import Communication, CommunicationSource, communication_source
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Note
from tilescope.tiler.tools.collectives.cluster import Proposal, other_steps_note, proposal_notes, proposals, rank_means
from tilescope.tiler.tools.collectives.links import RankLink, links_of, shortfalls, slow_link_note
from tilescope.tiler.tools.collectives.selection import chosen_part, leaves_out
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.scope import Scope


@dataclass(frozen=True, slots=True)
class Comparison:
    """Records of a run, and proposals from them. `below`: of each link, as `shortfalls` has it."""

    source: CommunicationSource | None
    communication: Communication
    cluster: Cluster
    links: Sequence[RankLink]
    below: Sequence[float | None]
    means: Sequence[StepParts]  # of each rank
    proposals: Sequence[Proposal]

    @property
    def notes(self) -> list[Note]:
        """Warnings, the greatest loss first: the time that a link is slow for is within that of its communication."""
        return [*proposal_notes(self.proposals), *slow_link_note(self.links, self.below)]

    @property
    def problem_notes(self) -> list[Note]:
        """Warnings of records that could not be read, and a note on means of other steps."""
        problems: Counter[str] = self.communication.problems + self.cluster.problems
        damaged = [Note("warning", f"{count:,} {what}: left out") for what, count in problems.items() if count]
        return [*damaged, *other_steps_note(self.cluster)]


def comparison(scope: Scope, question: FigureQuestion, *, links_alone: bool = False) -> Interruptible[Comparison]:
    """The comparison of what a question is about. Raises DamagedStore.

    With `links_alone`: nothing of communication besides, and nothing at all where no ranks are compared.
    """
    reader = scope.reader
    source = communication_source(reader, any_span=leaves_out(scope, question))
    chosen = yield from chosen_part(scope, question, by_step=source is None or source.by_step)
    by_step = chosen if source is None or source.by_step else (yield from chosen_part(scope, question, by_step=True))
    cluster = yield from read_cluster(reader, by_step)
    yield
    means = rank_means(cluster)
    communication = Communication()
    if source is not None and not links_alone:
        communication = yield from source.read(reader, chosen)
    elif source is not None and means:
        communication = yield from source.read_links(reader, chosen)
    yield
    links = links_of(communication.links)
    below = shortfalls(links, lambda link: link.bandwidth)
    compared = proposals(cluster, means, links) if means else []
    return Comparison(source, communication, cluster, links, below, means, compared)
