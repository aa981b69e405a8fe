"""Ranks of a job beside each other: what their steps are made of, and what stands out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilescope.tiler.facts.ascend.cluster import Cluster, StepParts
from tilescope.tiler.facts.ascend.communication.exact_figures import SCALE, to_ticks
from tilescope.tiler.percent_text import percent_text
from tilescope.tiler.size_text import si_text, three_digits
from tilescope.tiler.tools.answer import Column, Note, Table
from tilescope.tiler.tools.collectives.links import SLOW, RankLink, shortfalls, slowest

_TIMES: Final = (
    ("interval", "Interval"),
    ("forward_backward", "Forward and backward"),
    ("tail", "Tail"),
    ("computation", "Computation"),
    ("communication", "Exposed communication"),
    ("overlapped", "Hidden communication"),
    ("free", "Free"),
    ("length", "Stage time"),
    ("receive", "Receives"),
    ("collective", "Collectives"),
)

# Thresholds of MindSpore Insight, and of msprof-analyze for a slow card.
_INTERVAL: Final = 0.2
_COMPUTATION: Final = 0.05
_COMMUNICATION: Final = 0.1
_FLOPS: Final = 0.2


class Proposal(Struct, frozen=True):
    """Something that is compared between ranks, stages or links: the worst of its kind."""

    name: str
    place: str
    share: float  # above or below the mean, or of a whole
    threshold: float
    figures: str
    advice: str
    sentence: str
    loss: int = 0  # of a step, on the ranks that it is about; 0 where it has no time of its own

    @property
    def is_over(self) -> bool:
        """True if it is worth a look."""
        return self.share > self.threshold


def rank_means(cluster: Cluster) -> list[StepParts]:
    """A row for each rank: the mean of its file where all is asked for, else of the chosen steps."""
    return [_mean([part for part in parts if part.step is None] or parts) for parts in _by_rank(cluster).values()]


def _by_rank(cluster: Cluster) -> dict[int, list[StepParts]]:
    by_rank: dict[int, list[StepParts]] = {}
    for part in sorted(cluster.parts, key=lambda part: part.rank):
        by_rank.setdefault(part.rank, []).append(part)
    return by_rank


def _mean(parts: Sequence[StepParts]) -> StepParts:
    means = {}
    for name, _ in _TIMES:
        values = [value for part in parts if (value := getattr(part, name)) is not None]
        means[name] = sum(values) // len(values) if values else None
    return replace(parts[0], step=None, **means)


def proposals(cluster: Cluster, means: Sequence[StepParts], links: Sequence[RankLink]) -> list[Proposal]:
    """The worst of each kind, whether over its threshold or not."""
    compared = [
        _worst_rank(
            means,
            "Step interval",
            lambda part: part.interval,
            _INTERVAL,
            "look at its data preparation (see input_pipeline)",
            "waits longest before its steps",
        ),
        _slow_rank(means),
        *_communication(means),
        *_flops(cluster, means),
        _slow_link(links),
    ]
    return [proposal for proposal in compared if proposal is not None]


def _worst_rank(
    parts: Sequence[StepParts],
    name: str,
    figure: Callable[[StepParts], int | None],
    threshold: float,
    advice: str,
    verb: str,
) -> Proposal | None:
    """The rank that is furthest above the mean."""
    values = [(value, part.rank) for part in parts if (value := figure(part)) is not None]
    if len(values) < 2 or not (total := sum(value for value, _ in values)):
        return None
    worst, rank = max(values, key=lambda pair: (pair[0], -pair[1]))
    share = worst * len(values) / total - 1
    text = f"{_milliseconds(worst)}, mean {_milliseconds(total // len(values))}"
    short = f"{_short(worst)}, mean {_short(total // len(values))}"
    words = f"rank {rank} {verb}, {percent_text(share)} above the mean ({short})"
    return Proposal(name, f"rank {rank}", share, threshold, text, advice, words, worst - total // len(values))


def _slow_rank(means: Sequence[StepParts]) -> Proposal | None:
    """Ranks of a stage do the same work: the one that computes longest, in its stage."""
    stages = [
        _worst_rank(
            parts,
            "Computation",
            lambda part: part.computation,
            _COMPUTATION,
            "others wait for it",
            "computes longest in its stage",
        )
        for parts in _stages(means).values()
    ]
    return max((stage for stage in stages if stage is not None), key=lambda stage: stage.share, default=None)


def _communication(means: Sequence[StepParts]) -> list[Proposal]:
    advice = "overlap it with computation, exchange less, or less often"
    stages = _stages(means)
    if None in stages:
        whole = _share(
            means, "communication", "all ranks", "Communication", advice, "ranks communicate, and nothing hides it,"
        )
        return [] if whole is None else [whole]
    equal = "divide the layers into stages that take equally long"
    between = _share(
        means, "receive", "all ranks", "Communication between stages", equal, "ranks wait for other stages"
    )
    within = [
        share
        for stage, parts in stages.items()
        if (
            share := _share(
                parts,
                "collective",
                f"stage {stage}",
                "Communication within a stage",
                advice,
                f"ranks of stage {stage} communicate within it",
            )
        )
        is not None
    ]
    worst = max(within, key=lambda proposal: proposal.share, default=None)
    return [proposal for proposal in (between, worst) if proposal is not None]


def _share(parts: Sequence[StepParts], name: str, place: str, title: str, advice: str, words: str) -> Proposal | None:
    """A part of computation and exposed communication. `words`: what ranks do in that part of their time."""
    whole = sum((part.computation or 0) + (part.communication or 0) for part in parts)
    values = [value for part in parts if (value := getattr(part, name)) is not None]
    if not whole or not values:
        return None
    figures = f"{_milliseconds(sum(values))} of {_milliseconds(whole)}"
    loss = sum(values) // len(values)
    share = sum(values) / whole
    text = f"{words} for {percent_text(share)} of their time ({_short(sum(values))} of {_short(whole)})"
    return Proposal(title, place, share, _COMMUNICATION, figures, advice, text, loss)


def _flops(cluster: Cluster, means: Sequence[StepParts]) -> list[Proposal]:
    result = []
    by_stage = {
        stage: [cluster.flops[part.rank][0] for part in parts if part.rank in cluster.flops]
        for stage, parts in _stages(means).items()
        if stage is not None
    }
    stage_means = {stage: sum(counts) / len(counts) for stage, counts in by_stage.items() if counts}
    if len(stage_means) > 1 and (mean := sum(stage_means.values()) / len(stage_means)):
        stage = max(stage_means, key=lambda stage: stage_means[stage])
        text = f"{stage_means[stage]:.4f} M, mean {mean:.4f} M"
        advice = "give it fewer layers"
        above = stage_means[stage] / mean - 1
        short = f"{si_text(stage_means[stage] * 1e6)}, mean {si_text(mean * 1e6)}"
        words = f"stage {stage} has {percent_text(above)} more FLOPs than the mean of stages ({short})"
        result.append(Proposal("FLOPs of a stage", f"stage {stage}", above, _FLOPS, text, advice, words))
    rates = {rank: rate for rank, (_, rate) in cluster.flops.items()}
    if len(rates) > 1 and (mean := sum(rates.values()) / len(rates)):
        rank = min(rates, key=lambda rank: rates[rank])
        text = f"{rates[rank]:.3f} G/s, mean {mean:.3f} G/s"
        below = 1 - rates[rank] / mean
        short = f"{si_text(rates[rank] * 1e9)}FLOP/s, mean {si_text(mean * 1e9)}FLOP/s"
        words = f"rank {rank} computes {percent_text(below)} slower than the mean ({short})"
        result.append(
            Proposal("FLOPS", f"rank {rank}", below, _FLOPS, text, "look at its operators (see flops)", words)
        )
    return result


def _slow_link(links: Sequence[RankLink]) -> Proposal | None:
    """By bytes and time. Bandwidths of the file, which MindSpore Insight compares, stand beside them.

    Those of `hccl_raw` are sums over operations: a link of nine has nine times the bandwidth.
    """
    below = shortfalls(links, lambda link: link.bandwidth)
    slow = slowest(links, below)
    if slow is None:
        return None
    link, share = slow
    text = f"{(link.bandwidth or 0) / 1e9:.4g} GB/s"
    recorded = shortfalls(links, lambda link: link.recorded_bandwidth)[links.index(link)]
    if recorded is not None:
        distance = f"{percent_text(abs(recorded), 2)} {'above' if recorded < 0 else 'below'} the mean"
        figures = f"{(link.recorded_bandwidth or 0) / 1000:.4f} kB/s, {distance}"
        text += f"; as recorded, and like MindInsight, {figures}"
    advice = "see the device and its neighbours"
    return Proposal("Link", link.words, share, SLOW, text, advice, f"the link {link.words} is slow")


def _stages(parts: Sequence[StepParts]) -> dict[int | None, list[StepParts]]:
    stages: dict[int | None, list[StepParts]] = {}
    for part in parts:
        stages.setdefault(part.stage, []).append(part)
    return stages


def _milliseconds(time: int) -> str:
    """All digits that files have, for tables."""
    return f"{round(time / SCALE, 4)} ms"


def _short(time: int) -> str:
    """Three digits, for sentences."""
    milliseconds = time / SCALE
    return f"{three_digits(milliseconds) if milliseconds >= 1 else f'{milliseconds:.3g}'} ms"


def proposals_table(compared: Sequence[Proposal]) -> Table:
    """All that was compared, the furthest above its threshold first."""
    rows = sorted(compared, key=lambda proposal: proposal.threshold - proposal.share)
    columns = [
        Column("proposal", "Compared", "text", [row.name for row in rows]),
        Column("place", "Worst", "name", [row.place for row in rows]),
        Column("share", "Share", "fraction", [row.share for row in rows], total="none"),
        Column("threshold", "Threshold", "fraction", [row.threshold for row in rows], total="none"),
        Column("over", "Over it", "flag", [row.is_over for row in rows]),
        Column("figures", "Figures", "text", [row.figures for row in rows]),
        Column("advice", "Advice", "text", [row.advice for row in rows]),
    ]
    return Table("proposals", "Cluster", columns)


def proposal_notes(compared: Sequence[Proposal]) -> list[Note]:
    """Proposals over their thresholds in words, the greatest loss first; links have a note of their own."""
    return [
        Note("warning", f"{row.sentence}: {row.advice}")
        for row in sorted(compared, key=lambda proposal: -proposal.loss)
        if row.is_over and row.name != "Link"
    ]


def other_steps_note(cluster: Cluster) -> list[Note]:
    """A note where the mean of a file is not that of its steps but the first: it is of steps that the file lacks."""
    for rank, parts in _by_rank(cluster).items():
        mean = next((part.interval for part in parts if part.step is None), None)
        later = [part for part in parts if part.step is not None][1:]
        steps = [part.interval for part in later if part.interval is not None]
        if mean is None or not steps:
            continue
        own = sum(steps) // len(steps)
        if abs(own - mean) > SCALE // 1000:
            text = f"rank {rank} waits {_milliseconds(mean)} before a step by the mean row of its file, "
            why = "the file has not all steps that its mean is of"
            return [Note("info", f"{text}{_milliseconds(own)} by its steps: {why}")]
    return []


def cluster_table(table_id: str, title: str, parts: Sequence[StepParts], tick_ps: int) -> Table:
    """Parts of steps of each rank."""
    times = []
    for name, head in _TIMES:
        values = [None if (time := getattr(part, name)) is None else to_ticks(time, tick_ps) for part in parts]
        times.append(Column(name, head, "ticks", values))
    columns = [
        Column("rank", "Rank", "count", [part.rank for part in parts], total="none"),
        Column("stage", "Stage", "count", [part.stage for part in parts], total="none"),
        Column("step", "Step", "count", [part.step for part in parts], total="none"),
        *times,
    ]
    return Table(table_id, title, columns)
