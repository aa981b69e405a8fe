"""Communication between ranks: what each transfers over which link, how long it waits, and which link is slow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Annotated, Final, Literal

import numpy as np
from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.cluster import has_cluster
from tilescope.tiler.facts.ascend.communication import (
    Communication,
    CommunicationSource,
    communication_source,
)
from tilescope.tiler.facts.ascend.communication.exact_figures import to_bytes, to_ticks
from tilescope.tiler.facts.ascend.file_faults import COMMUNICATION, with_faults
from tilescope.tiler.facts.collectives import may_have_calls
from tilescope.tiler.query import Interruptible, QueryReader, finish
from tilescope.tiler.tools.answer import Answer, Fact, Note
from tilescope.tiler.tools.collectives.cluster import cluster_table, proposals_table
from tilescope.tiler.tools.collectives.comparison import Comparison, comparison
from tilescope.tiler.tools.collectives.links import RankLink, links_table, shortfalls, slowest
from tilescope.tiler.tools.collectives.over_ranks import has_instances, over_ranks
from tilescope.tiler.tools.collectives.ranks import operators_table, packets_table, ranks_table, steps_table
from tilescope.tiler.tools.contract import Contract
from tilescope.tiler.tools.digest import Digest
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import FigureQuestion
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_LISTED: Final = 65_536
DEFAULT_LISTED: Final = 2000

NO_COMMUNICATION: Final = (
    "nothing of the run says what ranks transfer: record with profile_communication=True (MindSpore), or "
    "profiler_level Level1 (torch_npu, msprof), in training on several devices, or open the traces of several ranks of "
    "PyTorch as one run; steps of several ranks in one run have "
    "waits without that"
)


class CollectivesQuestion(FigureQuestion, frozen=True, kw_only=True):
    """Communication in a span or in steps, by rank, operator and link."""

    limit: Annotated[
        int, Meta(ge=0, le=MAX_LISTED, description="The most steps of ranks, operators, links and packets listed.")
    ] = DEFAULT_LISTED
    clocks: Annotated[
        Literal["recorded", "measured"],
        Meta(
            description="Whether waits between ranks of PyTorch are by the clocks as recorded, or less what these "
            "differ by the ends of collectives, which coincide."
        ),
    ] = "recorded"


def _answer(scope: Scope, question: CollectivesQuestion) -> Interruptible[Answer]:
    if not _has_files(scope.reader) and (yield from has_instances(scope.reader)):
        is_measured = question.clocks == "measured"
        return (yield from over_ranks(scope, question, question.limit, by_measured_clocks=is_measured))
    compared = yield from comparison(scope, question)
    source, communication, cluster = compared.source, compared.communication, compared.cluster
    links, below, means = compared.links, compared.below, compared.means
    steps = [part for part in cluster.parts if part.step is not None]
    tick_ps, limit = scope.reader.tick_ps, question.limit
    event_names = yield from _event_names(scope.reader, {operator.name for operator in communication.operators})
    tables = [
        ranks_table(communication, links, tick_ps),
        links_table(links, below, limit, tick_ps),
        operators_table(communication, limit, tick_ps, event_names),
        steps_table(communication, limit, tick_ps),
        packets_table(communication, limit, tick_ps),
        cluster_table("cluster", "What steps are made of", means, tick_ps),
        cluster_table("cluster_steps", "Steps beside each other", steps[:limit], tick_ps),
        proposals_table(compared.proposals),
    ]
    headline, notes = _headline(compared)
    notes += [*compared.problem_notes, *_notes(scope.reader, source, communication, links)]
    if not communication.steps and not links and not cluster.parts:
        notes.append(Note("warning", "there is no communication in what was asked for"))
    notes += _left_out(scope, source)
    if len(links) > limit:
        text = f"{limit:,} of {len(links):,} links are listed, those that take most time: ask for more with limit"
        notes.append(Note("info", text))
    if any(len(rows) > limit for rows in (communication.steps, steps)):
        notes.append(Note("info", "not all steps are listed: ask for more with limit"))
    facts = _facts(source, communication, links, below, tick_ps) if source is not None else []
    if means:
        note = "means as their files have them, or of the steps that are chosen"
        facts.append(Fact("cluster", "Compared ranks", len(means), "count", note))
    return Answer(facts, [table for table in tables if len(table)], [], notes, headline=headline)


def _proposals_alone(scope: Scope, question: CollectivesQuestion) -> Interruptible[Answer]:
    """Ranks and links beside each other; of communication links alone are read."""
    compared = yield from comparison(scope, question, links_alone=True)
    headline, notes = _headline(compared)
    notes += [*compared.problem_notes, *_left_out(scope, compared.source)]
    return Answer(tables=[proposals_table(compared.proposals)], notes=notes, headline=headline)


def _headline(compared: Comparison) -> tuple[Note | None, list[Note]]:
    """The first warning of a comparison, and its other notes."""
    notes = compared.notes
    headline = next((note for note in notes if note.severity == "warning"), None)
    return headline, [note for note in notes if note is not headline]


def _left_out(scope: Scope, source: CommunicationSource | None) -> list[Note]:
    words = "" if source is None else source.left_out(scope.reader)
    return [Note("warning", words)] if words else []


def _event_names(reader: QueryReader, operators: AbstractSet[str]) -> Interruptible[frozenset[str]]:
    """Names of operators that are names of events, too."""
    if not operators:
        return frozenset()
    has_text = yield from reader.names.numbers(lambda name: int(name.text in operators))
    return frozenset(reader.names.texts(np.flatnonzero(has_text[1:])))


def _facts(
    source: CommunicationSource,
    communication: Communication,
    links: Sequence[RankLink],
    below: Sequence[float | None],
    tick_ps: int,
) -> list[Fact]:
    transfer = sum(step.transfer for step in communication.steps)
    wait = sum(step.wait for step in communication.steps)
    ranks = {step.rank for step in communication.steps} | {link.rank for link in links}
    steps = {step.step for step in communication.steps if step.step is not None}
    slow = slowest(links, below)
    has_times = bool(communication.steps)
    why = "of all ranks" if has_times else "no file of the run says how long ranks transfer and wait"
    share = "of both"
    if has_times and source.is_estimate:
        why, share = f"estimate, {why}", f"estimate, {share}"
    facts = [
        Fact("ranks", "Ranks", len(ranks), "count", "that recorded it"),
        Fact("steps", "Steps", len(steps), "count"),
        Fact("transfer", "Transfer", to_ticks(transfer, tick_ps) if has_times else None, "ticks", why),
        Fact("wait", "Wait", to_ticks(wait, tick_ps) if has_times else None, "ticks", why),
        Fact("wait_share", "Waiting", wait / (wait + transfer) if wait + transfer else None, "fraction", share),
        Fact("links", "Links", len(links), "count"),
        Fact("size", "Bytes", to_bytes(sum(link.size for link in links)), "bytes", "over all links"),
        Fact("slow_link", "Slow link", "none" if slow is None else slow[0].words, "text", _why_slow(links, slow)),
    ]
    if slow is not None:
        facts.append(Fact("slow_below", "Below the mean", slow[1], "fraction", "of links of its transport"))
    recorded = slowest(links, shortfalls(links, lambda link: link.recorded_bandwidth))
    if recorded is not None:
        link, part = recorded
        by_file = f"{link.words}, by the bandwidths of the file, as MindSpore Insight compares them"
        facts.append(Fact("recorded_below", "As recorded", part, "fraction", by_file))
    facts.append(Fact("source", "Source", source.title, "text"))
    return facts


def _why_slow(links: Sequence[RankLink], slow: tuple[RankLink, float] | None) -> str:
    if slow is not None:
        return "furthest below the mean of links of its transport"
    return "none is 20 % below the mean of its transport" if links else "no link was recorded"


def _notes(
    reader: QueryReader,
    source: CommunicationSource | None,
    communication: Communication,
    links: Sequence[RankLink],
) -> list[Note]:
    notes = []
    numbers = reader.steps.numbers.tolist()
    unmarked = sorted({step.step for step in communication.steps if step.step is not None} - set(numbers))
    if numbers and unmarked and len(unmarked) < len({step.step for step in communication.steps}):
        steps = plural(len(unmarked), f"step here, {unmarked[0]:,}, is", f"steps here, from {unmarked[0]:,} on, are")
        marked = f"{numbers[0]:,} to {numbers[-1]:,}"
        notes.append(Note("info", f"{steps} not among those that the run marks, {marked}"))
    strangers = {link.rank for link in links if link.rank not in (None, link.source, link.destination)}
    if strangers:
        text = f"ends of links of {plural(len(strangers), 'rank', 'ranks')} are numbers within a group"
        notes.append(Note("info", f"{text}: the rank that recorded a link tells which group it is"))
    if source is not None and source.remark:
        notes.append(Note("info", source.remark))
    if communication.steps and not any(step.step is not None for step in communication.steps):
        notes.append(Note("info", "the files have sums of all steps"))
    return notes


def _availability(scope: Scope) -> str:
    has_source = communication_source(scope.reader) is not None or has_cluster(scope.reader)
    if has_source or finish(may_have_calls(scope.reader)):
        return ""
    return with_faults(scope.reader, NO_COMMUNICATION, COMMUNICATION)


def _has_files(reader: QueryReader) -> bool:
    """True where files or planes of Ascend devices say what ranks transfer: more than an estimate."""
    source = communication_source(reader)
    return has_cluster(reader) or (source is not None and not source.is_estimate)


def _digest_fields(scope: Scope) -> Interruptible[Mapping[str, object] | None]:
    yield
    return {} if has_cluster(scope.reader) else None


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    if figures.count("collectives"):
        waits = (
            f"Ranks wait {figures.text('wait')} in {plural(figures.count('collectives'), 'collective', 'collectives')}"
        )
        return f"{waits}; {figures.text('last_rank')} begins last most often, in {figures.text('last_count')} of them"
    if figures.text("wait_share"):
        transfer = f"{figures.text('wait')}, and transfer for {figures.text('transfer')}"
        return f"Ranks wait {figures.text('wait_share')} of the time that they communicate: {transfer}"
    if figures.count("links"):
        return f"{plural(figures.count('links'), 'link', 'links')} carried {figures.text('size')}"
    ranks = plural(figures.count("cluster"), "rank", "ranks")
    return f"{ranks} are compared" if figures.count("cluster") else "No communication is in this range"


TOOL: Final = Tool(
    id="collectives",
    title="Collectives",
    help="communication between ranks: transfers, waits, the slow link",
    group="waiting",
    question=CollectivesQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
    contract=Contract(lists={"ranks": "ranks"}),
    digest=Digest(
        "Ranks beside each other",
        "proposals",
        ("proposal", "place", "share", "threshold", "figures"),
        _digest_fields,
        _proposals_alone,
    ),
)
