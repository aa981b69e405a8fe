"""Links of ranks: what each carried, and how far it stays behind others of its kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tilescope.tiler.facts.ascend.communication import LinkTransfer
from tilescope.tiler.facts.ascend.communication.exact_figures import bandwidth, to_bytes, to_ticks
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.tools.answer import Column, Note, Table

SLOW: Final = 0.2  # below the mean of links of the same kind: as MindSpore Insight has it


@dataclass(slots=True)
class RankLink:
    """A link as a rank recorded it, over all steps that are looked at."""

    rank: int | None
    source: int | None
    destination: int | None
    transport: str
    task: str
    time: int = 0
    size: int = 0
    count: int | None = None
    event: tuple[int, int] | None = None
    longest: int = -1
    recorded: list[float] = field(default_factory=list)  # bandwidths of steps, as the file has them

    @property
    def is_between_ranks(self) -> bool:
        """False for copies on a chip, and where no other end was recorded."""
        return None not in (self.source, self.destination) and self.source != self.destination

    @property
    def kind(self) -> tuple[str, str]:
        """Transport and task: links of the same are compared."""
        return self.transport, self.task

    @property
    def bandwidth(self) -> float | None:
        """Bytes a second, of all that it carried."""
        return bandwidth(self.size, self.time)

    @property
    def recorded_bandwidth(self) -> float | None:
        """The mean over steps of what the file has."""
        return sum(self.recorded) / len(self.recorded) if self.recorded else None

    @property
    def words(self) -> str:
        """0 → 1 by SDMA, on rank 1."""
        on_rank = "" if self.rank is None else f", recorded by rank {self.rank}"
        task = f" ({self.task})" if self.task else ""
        return f"{self.source} → {self.destination} by {self.transport or 'an unnamed transport'}{task}{on_rank}"


def links_of(transfers: Iterable[LinkTransfer]) -> list[RankLink]:
    """Links with sums over steps, those that took most time first."""
    links: dict[tuple[object, ...], RankLink] = {}
    for transfer in transfers:
        ends = (transfer.rank, transfer.source, transfer.destination, transfer.transport, transfer.task)
        link = links.setdefault(ends, RankLink(*ends))
        link.time += transfer.time
        link.size += transfer.size
        if transfer.count is not None:
            link.count = (link.count or 0) + transfer.count
        if transfer.bandwidth is not None:
            link.recorded.append(transfer.bandwidth)
        if transfer.event is not None and transfer.longest > link.longest:
            link.longest, link.event = transfer.longest, transfer.event
    return sorted(links.values(), key=lambda link: -link.time)


def shortfalls(links: Sequence[RankLink], speed: Callable[[RankLink], float | None]) -> list[float | None]:
    """The part by which each link is below the mean of those of its kind between ranks; None: nothing to compare."""
    speeds: dict[tuple[str, str], list[float]] = {}
    for link in links:
        if link.is_between_ranks and (own := speed(link)) is not None:
            speeds.setdefault(link.kind, []).append(own)
    result: list[float | None] = []
    for link in links:
        peers, own = speeds.get(link.kind, []), speed(link)
        mean = sum(peers) / len(peers) if peers else 0.0
        is_compared = link.is_between_ranks and own is not None and len(peers) > 1 and mean > 0
        result.append(1 - own / mean if is_compared and own is not None else None)
    return result


def slowest(links: Sequence[RankLink], below: Sequence[float | None]) -> tuple[RankLink, float] | None:
    """The link that is furthest behind, if that is more than SLOW; None: none is."""
    behind = [(part, place) for place, part in enumerate(below) if part is not None and part > SLOW]
    part, place = max(behind, default=(0.0, -1))
    return None if place < 0 else (links[place], part)


def slow_link_note(links: Sequence[RankLink], below: Sequence[float | None]) -> list[Note]:
    """The slow link in words."""
    slow = slowest(links, below)
    if slow is None:
        compared = sum(part is not None for part in below)
        text = f"none of {compared:,} links is {percent_text(SLOW, 0)} below the mean of its transport"
        return [Note("info", text)] if compared else []
    link, part = slow
    peers = sum(other.is_between_ranks and other.kind == link.kind for other in links)
    text = (
        f"the slowest link is {link.words}: {(link.bandwidth or 0) / 1e9:.4g} GB/s, {percent_text(part)} below the "
        f"mean of {peers} such links"
    )
    event = None if link.event is None else "{}.{}".format(*link.event)
    return [Note("warning", text, event=event)]


def links_table(links: Sequence[RankLink], below: Sequence[float | None], limit: int, tick_ps: int) -> Table:
    """Links with what they carried. Ends are as the file names them: numbers in a group, where ranks have such."""
    listed = links[:limit]
    columns = [
        Column("rank", "Rank", "count", [link.rank for link in listed], total="none"),
        Column("source", "From", "count", [link.source for link in listed], total="none"),
        Column("destination", "To", "count", [link.destination for link in listed], total="none"),
        Column("transport", "Transport", "text", [link.transport for link in listed]),
        Column("task", "Task", "text", [link.task or None for link in listed]),
        Column("count", "Count", "count", [link.count for link in listed]),
        Column("time", "Time", "ticks", [to_ticks(link.time, tick_ps) for link in listed]),
        Column("size", "Bytes", "bytes", [to_bytes(link.size) for link in listed]),
        Column("bandwidth", "Bandwidth", "rate", [link.bandwidth for link in listed], "B/s", total="none"),
        Column("below", "Below the mean", "fraction", list(below[:limit]), total="none"),
        Column("recorded", "As recorded", "rate", [link.recorded_bandwidth for link in listed], "B/s", total="none"),
        Column("event", "Longest", "event", [link.event and "{}.{}".format(*link.event) for link in listed]),
    ]
    return Table("links", "Links", columns)
