"""Preparation of data by mindspore.dataset: stages of each rank, and the queues and pipeline of one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.data_preparation import (
    DataPreparation,
    data_nodes,
    data_preparations,
    lacks_data_preparation,
    preparations_left_out,
)
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.tools.answer import Fact, Note, Series, Table
from tilescope.tiler.tools.input_pipeline.data_advice import (
    NO_FILES,
    NOT_MERGED,
    bottleneck_sentences,
    circle_sentence,
    stage_sentence,
)
from tilescope.tiler.tools.input_pipeline.data_curves import queue_curves, step_curve
from tilescope.tiler.tools.input_pipeline.data_tables import (
    MOST_OPERATIONS,
    nodes_table,
    operations_table,
    queues_table,
    stages_table,
    ticks_of_ps,
)


@dataclass(frozen=True, slots=True)
class DataSide:
    """Parts of an answer. Notes begin with the verdict."""

    facts: Sequence[Fact] = ()
    tables: Sequence[Table] = ()
    series: Sequence[Series] = ()
    notes: Sequence[Note] = ()


def data_side(reader: QueryReader, rank: int | None) -> Interruptible[DataSide]:
    """All ranks by stage, and queues and pipeline of `rank`, or else of the one with most steps in doubt.

    Raises StoredLast while the run is indexed, DamagedStore.
    """
    nodes = yield from data_nodes(reader)
    tables = [nodes_table(nodes, reader.tick_ps)] if nodes else []
    preparations = yield from data_preparations(reader)
    chosen = [preparation for preparation in preparations if rank in (None, preparation.place.number)]
    if not chosen:
        notes = [Note("warning", f"no data preparation of rank {rank} was recorded")] if preparations else []
        if lacks_data_preparation(reader):
            notes.append(Note("info", NO_FILES))
        return DataSide(tables=tables, notes=notes)
    shown = max(chosen, key=lambda preparation: sum(preparation.steps_in_doubt.values()))
    yield
    tick_ps = reader.tick_ps
    tables.insert(0, stages_table(preparations, tick_ps))
    series = []
    for queue, name, title in (
        (shown.data_queue, "data_queue", "Data queue"),
        (shown.host_queue, "host_queue", "Host queue"),
    ):
        if queue is not None and queue.sizes:
            series.append(step_curve(queue, name, title))
    if shown.pipeline is not None:
        tables += [operations_table(shown.pipeline), queues_table(shown.pipeline)]
        series += queue_curves(shown.pipeline)
    notes = _notes(shown, preparations)
    if words := preparations_left_out(reader):
        notes.append(Note("warning", words))
    return DataSide(_facts(shown, tick_ps), tables, series, notes)


def _facts(preparation: DataPreparation, tick_ps: int) -> list[Fact]:
    data, host, stage = preparation.data_queue, preparation.host_queue, preparation.stage_in_doubt
    word = None if not preparation.has_queues else "none" if stage is None else stage.value
    lacking = "not recorded: Profiler(data_process=True) records it"
    waits = [] if data is None else data.times["wait"]
    return [
        Fact("data_rank", "Rank of the queues", preparation.place.name, "text"),
        Fact("data_stage", "Stage in doubt", word, "text", "" if word else lacking),
        Fact("empty_host", "Steps with an empty host queue", None if host is None else host.empty, "count",
             "processing is slow there" if host is not None else lacking),
        Fact("full_host", "Steps with a full host queue", None if host is None else host.full, "count",
             "processing is ahead there" if host is not None else lacking),
        Fact("empty_data", "Steps with an empty data queue", None if data is None else data.empty, "count",
             "training waits there" if data is not None else lacking),
        Fact("data_wait", "Waits for data", ticks_of_ps(sum(waits), 1, tick_ps) if waits else None, "ticks",
             "of all steps, in get next" if waits else lacking),
    ]  # fmt: skip


def _notes(shown: DataPreparation, preparations: Sequence[DataPreparation]) -> list[Note]:
    notes = [Note("warning" if shown.stage_in_doubt is not None else "info", stage_sentence(shown))]
    pipeline = shown.pipeline
    if pipeline is not None:
        notes += [Note("info", text) for text in bottleneck_sentences(pipeline.bottlenecks)]
        if pipeline.sampling_ms is not None:
            notes.append(Note("info", f"queues of the pipeline were sampled every {pipeline.sampling_ms:,} ms"))
        if len(pipeline.operations) > MOST_OPERATIONS:
            notes.append(
                Note("info", f"of {len(pipeline.operations):,} operations the first {MOST_OPERATIONS:,} are listed")
            )
    notes.append(Note("info", NOT_MERGED))
    if len(preparations) > 1:
        notes.append(Note("info", f"queues and pipeline are of rank {shown.place.name}; ask for another by its rank"))
    parts = [
        part
        for preparation in preparations
        for part in (preparation.data_queue, preparation.host_queue, preparation.pipeline)
    ]
    if pipeline is not None and pipeline.circular:
        notes.append(Note("warning", circle_sentence(pipeline.circular)))
    damaged = sum(part.damaged for part in parts if part is not None)
    if damaged:
        notes.append(Note("warning", f"{plural(damaged, 'row', 'rows')} of data preparation could not be read"))
    return notes
