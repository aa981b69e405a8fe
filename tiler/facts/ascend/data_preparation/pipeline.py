"""Pipelines of mindspore.dataset: operations, the queues between them, and which operation keeps the others waiting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final

from tilescope.tiler.facts.cell_figures import count_list, counts
from tilescope.tiler.facts.tables import RunTable
from tilescope.tiler.query import Interruptible

PIPELINE_TABLE: Final = "minddata_pipeline_raw"
PIPELINE_JSON: Final = "pipeline_profiling.op_info"
PIPELINE_INTERVAL: Final = "pipeline_profiling"  # beside the rows of the JSON

WELL_FILLED: Final = Fraction(8, 10)
POORLY_FILLED: Final = Fraction(6, 10)
_MORE_THAN: Final = Fraction(1, 10)  # by which the queue before an operation is fuller than the one behind it

# Columns of the table of the profiler, and of its JSON.
_TABLE: Final = ("output_queue_size", "output_queue_length", "children_id")
_JSON: Final = ("metrics.output_queue.size", "metrics.output_queue.length", "children")


@dataclass(frozen=True)
class DataOperation:
    """One operation. Its queue lies behind it: what it makes waits there for its parent."""

    number: int
    kind: str
    workers: int | None
    children: tuple[int, ...]  # whose queues it takes from; those that exist
    parents: tuple[int, ...]
    sizes: Sequence[int]  # of its queue, sample by sample; empty: it has no queue
    length: int | None  # the most that the queue holds

    @property
    def name(self) -> str:
        """As MindSpore Insight has it."""
        return f"{self.kind}_{self.number}"

    @cached_property
    def average(self) -> Fraction | None:
        """Entries of its queue, on average; None: it has none."""
        return Fraction(sum(self.sizes), len(self.sizes)) if self.sizes and self.length else None

    @property
    def empty(self) -> int:
        """Samples in which nothing waits in its queue."""
        return list(self.sizes).count(0)

    @property
    def full(self) -> int:
        """Samples in which its queue takes no more."""
        return list(self.sizes).count(-1 if self.length is None else self.length)

    @property
    def usage(self) -> Fraction | None:
        """Fraction of the queue that is filled, on average; None: it has no queue."""
        average = self.average
        return None if average is None or not self.length else average / self.length


@dataclass(frozen=True, slots=True)
class DataPipeline:
    """Operations by number; `damaged` rows could not be read, or have the number of another."""

    operations: Sequence[DataOperation]
    bottlenecks: Sequence[DataOperation]
    sampling_ms: int | None  # from one sample of the queues to the next; None: the file does not say
    damaged: int
    circular: Sequence[DataOperation]  # that take from each other in a circle, or lie between circles: damage


def data_pipeline(table: RunTable, interval: RunTable | None) -> Interruptible[DataPipeline]:
    """The pipeline of a table of either family; `interval` has that of the JSON."""
    sizes_name, length_name, children_name = _JSON if table.entry.family == PIPELINE_JSON else _TABLE
    texts = {}
    for name in ("op_type", sizes_name, children_name):
        texts[name] = (yield from table.column(name)).texts() if name in table else [None] * len(table)
        yield
    numbers = {}
    for name in ("op_id", "num_workers", length_name):
        numbers[name] = counts((yield from table.column(name))) if name in table else [None] * len(table)
        yield
    operations: dict[int, DataOperation] = {}
    damaged = 0
    for row, number in enumerate(numbers["op_id"]):
        children = count_list(texts[children_name][row])
        sizes = count_list(texts[sizes_name][row])
        is_named = texts["op_type"][row] is not None
        damaged += not is_named or number is None or number in operations or children is None or sizes is None
        if number is not None and number not in operations:
            operations[number] = DataOperation(
                number,
                texts["op_type"][row] or "",
                numbers["num_workers"][row],
                children=tuple(dict.fromkeys(children or ())),
                parents=(),
                sizes=sizes or (),
                length=numbers[length_name][row],
            )
        yield
    linked = _linked(operations)
    sampling_ms = yield from _sampling_ms(table, interval)
    circular = _circular(linked)
    return DataPipeline(linked, [] if circular else bottlenecks(linked), sampling_ms, damaged, circular)


def _sampling_ms(table: RunTable, interval: RunTable | None) -> Interruptible[int | None]:
    for source, name in ((table, "sample_interval"), (interval, "sampling_interval")):
        if source is not None and name in source:
            column = yield from source.column(name)
            return next((value for value in counts(column) if value is not None), None)
    return None


def _linked(operations: dict[int, DataOperation]) -> list[DataOperation]:
    """Operations with those that take from them, without links to what does not exist."""
    parents: dict[int, list[int]] = {}
    for operation in operations.values():
        for child in operation.children:
            parents.setdefault(child, []).append(operation.number)
    return [
        replace(
            operation,
            children=tuple(child for child in operation.children if child in operations),
            parents=tuple(sorted(parents.get(number, ()))),
        )
        for number, operation in sorted(operations.items())
    ]


def _circular(operations: Sequence[DataOperation]) -> list[DataOperation]:
    """Operations in circles, and between two of these.

    Of the others, those that take from none are removed until there is no such, then those that none takes from.
    """
    children = {operation.number: operation.children for operation in operations}
    parents = {operation.number: operation.parents for operation in operations}
    rest = set(children)
    for before, behind in ((children, parents), (parents, children)):
        open_links = {number: sum(other in rest for other in before[number]) for number in rest}
        ends = [number for number, links in open_links.items() if not links]
        while ends:
            number = ends.pop()
            rest.remove(number)
            for other in rest.intersection(behind[number]):
                open_links[other] -= 1
                if not open_links[other]:
                    ends.append(other)
    return [operation for operation in operations if operation.number in rest]


def bottlenecks(operations: Sequence[DataOperation]) -> list[DataOperation]:
    """Operations that keep the others waiting, the first of the pipeline first.

    The one that empties the fullest queue into the emptiest; else those that read and do not fill their queues; else,
    where all queues are full, what takes from the last of them. None where no queue was recorded.
    """
    usages = {operation.number: operation.usage for operation in operations}
    if not any(usage is not None for usage in usages.values()):
        return []
    steepest, rises = None, _MORE_THAN
    for operation in operations:
        behind = usages[operation.number]
        before = [usage for child in operation.children if (usage := usages[child]) is not None]
        if behind is not None and before and max(before) - behind > rises:
            steepest, rises = operation, max(before) - behind
    if steepest is not None:
        return [steepest]
    readers = [
        operation
        for operation in operations
        if not operation.children and (usage := operation.usage) is not None and usage < POORLY_FILLED
    ]
    if readers:
        return readers[::-1]
    if all(usage is None or usage >= WELL_FILLED for usage in usages.values()):
        return [operation for operation in operations if not operation.parents]
    return []
