"""Memory that a program was compiled to use: how much at each point, at most, and for which buffers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.ascend.file_faults import MEMORY_PLANS, with_faults
from tilescope.tiler.facts.ascend.planned_memory import has_planned_memory
from tilescope.tiler.facts.hlo import (
    BufferAssignment,
    HloDamage,
    InstructionFinder,
    Program,
    buffer_assignment,
    left_out_words,
    program_values,
    programs_of,
)
from tilescope.tiler.facts.hlo.expressions import category
from tilescope.tiler.facts.hlo.module import HloModule
from tilescope.tiler.facts.hlo.working_space import (
    Lifeline,
    MemoryUse,
    lost_share,
    purposes_of,
    spaces_of,
    working_space,
)
from tilescope.tiler.facts.imports import SavedPage, saved_page
from tilescope.tiler.query import Interruptible
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Series, Table, Value
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.imported.saved_notes import SAVED
from tilescope.tiler.tools.imported.xprof_memory import XprofMemory, is_xprof_memory, xprof_memory
from tilescope.tiler.tools.memory_viewer.curve import curve_points
from tilescope.tiler.tools.memory_viewer.planned import planned_answer
from tilescope.tiler.tools.memory_viewer.question import DEFAULT_LISTED, MemoryViewerQuestion
from tilescope.tiler.tools.memory_viewer.saved import PAGE, saved_program
from tilescope.tiler.tools.references import HostRef
from tilescope.tiler.tools.row_query import QUERY, query_column
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Tool

MAX_PROGRAMS: Final = 10_000

NO_PROGRAMS: Final = (
    "the trace has no programs: XLA's profilers write their HLO protos into the plane /host:metadata of an XSpace; "
    "record with JAX or TensorFlow, with HLO protos on (enable_hlo_proto, the default); nor has it what MindSpore's "
    "graphs need, memory_usage_details_N.json: Profiler(profile_memory=True, op_time=True)"
)
_NO_CONSTANTS: Final = "the file does not tell them from other memory that stays"
_NO_CURVE: Final = "the compiler left no heap trace of this memory space"


def _answer(scope: Scope, question: MemoryViewerQuestion) -> Interruptible[Answer]:
    programs = _programs(scope, question.host)
    if not programs and has_planned_memory(scope.reader):
        return (yield from planned_answer(scope, question))
    page = None if programs else saved_page(scope.reader, PAGE)
    if page is not None:
        return (yield from _of_saved(scope, question, page))
    if not programs:
        return Answer(notes=[Note("warning", NO_PROGRAMS)])
    shown = _chosen(programs, question.program)
    table = _programs_table([(program.label, program.entry.size_bytes, program is shown) for program in programs])
    if shown is None:
        return Answer(tables=[table], notes=[Note("warning", f"there is no program {question.program!r}")])
    try:
        values = yield from program_values(scope.reader, shown)
        assignment = yield from buffer_assignment(scope.reader, shown)
    except HloDamage as damage:
        return Answer(tables=[table], notes=[Note("warning", str(damage))])
    try:
        return (yield from _of_program(question, shown.label, values, assignment, table))
    except HloDamage as damage:
        return Answer(tables=[table], notes=[Note("warning", f"{left_out_words(shown)}: {damage}")])


def _of_program(
    question: MemoryViewerQuestion,
    label: str,
    values: InstructionFinder,
    assignment: BufferAssignment,
    table: Table,
) -> Interruptible[Answer]:
    only_at_peak = question.buffers == "peak" and question.point is None
    space = yield from working_space(values, assignment, question.space, only_at_peak=only_at_peak)
    yield
    notes = []
    spaces = spaces_of(assignment)
    if not space.allocations:
        there = f": there are {', '.join(map(str, spaces))}" if spaces else ", nor of any other"
        notes.append(Note("warning", f"{label} uses no memory of space {question.space}{there}"))
    elif len(spaces) > 1:
        others = ", ".join(str(other) for other in spaces if other != question.space)
        notes.append(Note("info", f"{label} uses other memory spaces, too: {others}"))
    rows = [
        (allocation.index, allocation.size, ", ".join(purposes_of(allocation)), len(allocation.assigned))
        for allocation in space.allocations
    ]
    tables = [
        _buffers_table(values, _there(space.lifelines, question.point), question),
        _allocations_table(rows),
        table,
    ]
    return Answer(_facts(label, space), tables, _series(space, question), notes)


def _of_saved(scope: Scope, question: MemoryViewerQuestion, page: SavedPage) -> Interruptible[Answer]:
    """The program of a saved page, whatever program is asked for: there is no other."""
    parsed = yield from page.parsed(scope.reader)
    if is_xprof_memory(parsed):
        return _of_xprof(question, page, (yield from xprof_memory(parsed)))
    program = yield from saved_program(parsed)
    table = _programs_table([(program.label, page.entry.size_bytes, True)])
    answer = yield from _of_program(question, program.label, program.values, program.assignment, table)
    # There are no events to look for.
    tables = [
        replace(table, columns=[column for column in table.columns if column.id != QUERY]) for table in answer.tables
    ]
    notes = [SAVED, *answer.notes]
    if program.left_out:
        words = plural(program.left_out, "buffer or allocation", "buffers and allocations")
        notes.append(Note("warning", f"{words} with an impossible id or size: left out"))
    return replace(answer, tables=tables, notes=notes)


def _of_xprof(question: MemoryViewerQuestion, page: SavedPage, memory: XprofMemory) -> Answer:
    """Sums and buffers that XProf worked out, as it has them."""
    only_at_peak = question.buffers == "peak" and question.point is None
    # Of all buffers the file names some of the small ones.
    lines, small = (memory.at_peak, memory.small) if only_at_peak else ((*memory.at_peak, *memory.others), 0)
    buffers = _buffers_table(HloModule("", {}, 0), _there(lines, question.point), question, small)
    # There are no events to look for, and the kind of a fusion, which tells its category, is not in the file.
    shown = [column for column in buffers.columns if column.id not in (QUERY, "category")]
    rows = [(each.index, each.size, ", ".join(each.purposes), each.count) for each in memory.allocations]
    tables = [
        replace(buffers, columns=shown),
        _allocations_table(rows, memory.total),
        _programs_table([(memory.module, page.entry.size_bytes, True)]),
    ]
    notes = [SAVED]
    if question.space:
        notes.append(Note("warning", "the file has one memory space, and does not say which: it is shown"))
    if memory.small:
        words = plural(memory.small, "byte", "bytes")
        notes.append(Note("info", f"{words} at the peak are of small buffers, which the file has as one"))
    if memory.without_size and not only_at_peak:
        words = plural(memory.without_size, "buffer", "buffers")
        notes.append(Note("warning", f"{words} of the curve without a size in the file: not listed"))
    if memory.left_out:
        words = plural(memory.left_out, "buffer, allocation or curve", "buffers, allocations and curves")
        notes.append(Note("warning", f"{words} with an impossible number or size: left out"))
    return Answer(_facts(memory.module, memory), tables, _series(memory, question), notes)


def _programs(scope: Scope, host: HostRef | None) -> list[Program]:
    """Each once, although several hosts run it."""
    reader = scope.reader
    files = None if host is None else {reader.file_of(track) for track in scope.tracks_of(host)}
    by_label: dict[str, Program] = {}
    for program in programs_of(reader):
        if files is None or program.file in files:
            by_label.setdefault(program.label, program)
    return list(by_label.values())[:MAX_PROGRAMS]


def _chosen(programs: Sequence[Program], wanted: str | None) -> Program | None:
    if wanted is None:
        return max(programs, key=lambda program: program.entry.size_bytes)
    for program in programs:
        if wanted in (program.label, program.id):
            return program
    for program in programs:
        if wanted == program.name:
            return program
    return None


def _facts(label: str, space: MemoryUse) -> list[Fact]:
    temporary = space.total - space.indefinite
    has_curve = bool(space.heap)
    why = "" if has_curve else _NO_CURVE
    event = space.events[space.position] if 0 <= space.position < len(space.events) else ""
    fragmentation = lost_share(space)
    local = plural(space.thread_local, "byte that is", "bytes that are")
    apart = f"without {local} local to threads" if space.thread_local else ""
    return [
        Fact("program", "Program", label, "name"),
        Fact("peak", "Peak", space.peak, "bytes", f"when {event} runs" if event else why),
        Fact("peak_unpadded", "Without padding", space.peak_unpadded, "bytes", "what values at the peak need"),
        Fact("padding", "Padding", space.peak - space.peak_unpadded, "bytes", "what layouts add at the peak"),
        Fact("parameters", "Parameters", space.parameters, "bytes", "of the program: weights, inputs"),
        Fact("outputs", "Results", space.outputs, "bytes", "what outlives the program"),
        Fact("constants", "Constants", space.constants, "bytes", "" if space.constants is not None else _NO_CONSTANTS),
        Fact("temporary", "Temporary values", temporary, "bytes", "with what is lost between them"),
        Fact("total", "All allocations", space.total, "bytes", apart),
        Fact(
            "fragmentation",
            "Fragmentation",
            fragmentation,
            "fraction",
            "of the memory for temporary values is lost between them"
            if fragmentation is not None
            else why or "there are none",
        ),
        Fact("not_reusable", "Not reusable", space.not_reusable, "bytes", "of tuples, and local to threads"),
        Fact("peak_point", "Peak at point", space.position + 1 if has_curve else None, "count", why),
    ]


def _there(lines: Sequence[Lifeline], point: int | None) -> Sequence[Lifeline]:
    """Buffers that are there at a point; all without one."""
    return lines if point is None else [line for line in lines if line.first + 1 <= point <= line.last]


def _series(space: MemoryUse, question: MemoryViewerQuestion) -> list[Series]:
    if not space.heap:
        return []
    heap, unpadded = (np.array(points, np.int64) for points in (space.heap, space.unpadded))
    points = curve_points(np.arange(len(heap), dtype=np.int64), heap, question.first_point, question.last_point)
    ys = [
        Column("heap", "In use", "bytes", heap[points], total="max"),
        Column("unpadded", "Without padding", "bytes", unpadded[points], total="max"),
    ]
    x = Column("point", "Point", "count", points, total="max")
    limit = Column("peak", "Peak", "bytes", np.full(len(points), space.peak), total="max")
    return [Series("working_space", "Memory in use as the program runs", "line", x, ys, lines=[limit])]


def _buffers_table(
    values: InstructionFinder, lines: Sequence[Lifeline], question: MemoryViewerQuestion, small: int = 0
) -> Table:
    """`small`: bytes of buffers that are known together alone."""
    largest = sorted(lines, key=lambda line: (-line.buffer.size, line.first, line.buffer.id))
    listed, rest = largest[: question.limit], largest[question.limit :]
    if question.order == "program":
        # Of those that come at once the one that stays longest.
        listed.sort(key=lambda line: (line.first, -line.last, line.buffer.id))

    def texts(name: str, title: str, value: Callable[[Lifeline], str]) -> Column:
        return Column(name, title, "text", [value(line) or None for line in listed])

    def counts(name: str, title: str, value: Callable[[Lifeline], int]) -> Column:
        return Column(name, title, "count", [value(line) for line in listed], total="none")

    sizes: list[Value] = [line.buffer.size for line in listed]
    expansion = [line.buffer.size / line.unpadded if line.unpadded else None for line in listed]
    columns = [
        Column("name", "Buffer", "name", [_name(line) for line in listed]),
        Column("size", "Size", "bytes", sizes),
        Column("unpadded", "Without padding", "bytes", [line.unpadded for line in listed]),
        Column("extra", "Padding", "bytes", [line.buffer.size - line.unpadded for line in listed]),
        Column("expansion", "Expansion", "number", expansion, "times", total="none"),
        texts("purpose", "For", lambda line: line.purpose),
        texts("shape", "Shape and layout", lambda line: "" if line.shape is None else line.shape.text),
        texts("category", "Category", lambda line: "" if line.instruction is None else category(line.instruction)),
        texts("opcode", "Opcode", lambda line: "" if line.instruction is None else line.instruction.opcode),
        texts("framework", "Framework", lambda line: "" if line.instruction is None else line.instruction.op_name),
        texts("source", "Source", lambda line: "" if line.instruction is None else values.source(line.instruction)),
        counts("first", "From point", lambda line: line.first + 1),
        counts("last", "To point", lambda line: line.last),
        Column("at_peak", "At the peak", "flag", [line.is_at_peak for line in listed]),
        Column("buffer", "Number", "id", [line.buffer.id for line in listed]),
        query_column(None if line.instruction is None else line.instruction.name for line in listed),
    ]
    title = "Buffers at the peak" if question.buffers == "peak" else "Buffers"
    title = title if question.point is None else f"Buffers at point {question.point}"
    totals, left = _sums(lines, small), _sums(rest, small)
    return Table("buffers", title, columns, totals=totals, rest=left if rest or small else None)


def _sums(lines: Sequence[Lifeline], small: int) -> dict[str, Value]:
    """Sums of buffers; what small ones take, the layout may have added to."""
    size, unpadded = sum(line.buffer.size for line in lines), sum(line.unpadded for line in lines)
    return {"size": size + small, "unpadded": unpadded + small, "extra": size - unpadded}


def _name(line: Lifeline) -> str:
    """As programs write it: "infeed.1{0,0}"."""
    name = line.buffer.instruction_name if line.instruction is None else line.instruction.name
    index = line.buffer.shape_index
    return f"{name or 'buffer'}{{{','.join(map(str, index))}}}" if index else name or "buffer"


def _allocations_table(rows: Sequence[tuple[int, int, str, int]], total: int | None = None) -> Table:
    """Index, bytes, purpose and number of buffers, of each allocation; `total`: bytes of these and of others."""
    listed = sorted(rows, key=lambda row: (-row[1], row[0]))[:DEFAULT_LISTED]
    columns = [
        Column("allocation", "Allocation", "id", [index for index, _, _, _ in listed]),
        Column("size", "Size", "bytes", [size for _, size, _, _ in listed]),
        Column("purpose", "For", "text", [purpose or None for _, _, purpose, _ in listed]),
        Column("count", "Buffers in it", "count", [count for _, _, _, count in listed]),
    ]
    sizes = sum(size for _, size, _, _ in rows)
    totals: dict[str, Value] = {"size": sizes if total is None else total, "count": sum(row[3] for row in rows)}
    return Table("allocations", "Allocations", columns, totals=totals)


def _programs_table(programs: Sequence[tuple[str, int, bool]]) -> Table:
    """Label, bytes and whether it is shown, of each program; the largest first."""
    ordered = sorted(programs, key=lambda program: (-program[1], program[0]))
    columns = [
        Column("program", "Program", "name", [label for label, _, _ in ordered]),
        Column("proto", "HLO proto", "bytes", [size for _, size, _ in ordered]),
        Column("shown", "Shown", "flag", [is_shown for _, _, is_shown in ordered]),
    ]
    return Table("programs", "Programs", columns)


def _availability(scope: Scope) -> str:
    reader = scope.reader
    has_any = programs_of(reader) or saved_page(reader, PAGE) is not None or has_planned_memory(reader)
    return "" if has_any else with_faults(reader, NO_PROGRAMS, MEMORY_PLANS)


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    peak = next((fact for fact in answer.facts if fact.id == "peak"), None)
    if peak is None or peak.value is None:
        return ""
    when = f", {peak.note}" if peak.note.startswith("when ") else ""
    return f"{figures.text('program')} needs {figures.text('peak')} at its peak{when}"


TOOL: Final = Tool(
    id="memory_viewer",
    title="Memory viewer",
    help="what memory a program was compiled to use, buffer by buffer",
    group="memory",
    question=MemoryViewerQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
)
