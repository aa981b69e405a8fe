"""The neighbourhood of an instruction in the graph of its program: what it is made of, and what uses it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Final, Literal

from msgspec import Meta

from tilescope.tiler.count_text import plural
from tilescope.tiler.facts.hlo import HloDamage, HloModule, Instruction, Program, hlo_module, programs_of
from tilescope.tiler.facts.hlo.neighbourhood import Neighbourhood, ProgramGraph
from tilescope.tiler.query import Interruptible
from tilescope.tiler.query.run_caches import KeyedRunCache
from tilescope.tiler.tools.answer import Answer, Column, Fact, Note, Table
from tilescope.tiler.tools.figures import Figures
from tilescope.tiler.tools.question import Question
from tilescope.tiler.tools.row_query import query_column
from tilescope.tiler.tools.scope import Scope
from tilescope.tiler.tools.tool import Reason, Tool

MAX_NODES: Final = 1000
MAX_DISTANCE: Final = 10
MAX_FOUND: Final = 200
MAX_TEXT: Final = 1000  # characters

NO_PROGRAMS: Final = (
    "the trace has no program: HLO protos come with XSpaces of JAX and TensorFlow where programs are compiled or run "
    "during the capture (plane /host:metadata)"
)

Name = Annotated[str, Meta(max_length=MAX_TEXT)]


class GraphQuestion(Question, frozen=True, kw_only=True):
    """An instruction, and how far to look."""

    program: Annotated[
        Name, Meta(description="Name or id of the program, as in jit_step or 7; unless given the largest one.")
    ] = ""
    instruction: Annotated[
        Name, Meta(description="The instruction in the middle, by its name; unless given the program's result.")
    ] = ""
    distance: Annotated[int, Meta(ge=1, le=MAX_DISTANCE, description="The most edges to go in either direction.")] = 3
    open: Annotated[
        Name, Meta(description="Fusions, loops and calls that are opened, by their names, separated by commas.")
    ] = ""
    find: Annotated[
        Name, Meta(description="Lists the instructions whose name, operation or framework path contains this text.")
    ] = ""
    limit: Annotated[int, Meta(ge=1, le=MAX_NODES, description="The most instructions that are shown.")] = 200


# By name and checksum of the program. A graph refers to its program, which would not end if it had the graph.
_GRAPHS: Final = KeyedRunCache[tuple[str, int], ProgramGraph](
    "graphs", "Graphs of programs", lambda graph: graph.size_bytes
)


def _answer(scope: Scope, question: GraphQuestion) -> Interruptible[Answer]:
    programs = _distinct(programs_of(scope.reader))
    program = _chosen(programs, question.program)
    if program is None:
        why = f"there is no program {question.program[:60]!r}: see the table of programs" if programs else NO_PROGRAMS
        return _nothing(programs, why)
    key = program.entry.name, program.entry.crc32
    # Before the program, which the graph has: a limit may leave room for the graph alone.
    graph = _GRAPHS.get(scope.reader, key)
    if graph is None:
        try:
            module = yield from hlo_module(scope.reader, program)
        except HloDamage as damage:
            return _nothing(programs, str(damage))
        graph = _GRAPHS.keep(scope.reader, key, ProgramGraph(module))
        yield
    module = graph.module
    start = _start(module, question.instruction)
    if start is None:
        why = f"{program.label} has no instruction {question.instruction[:60]!r}: the table has those with this text"
        return _nothing(programs, why, _hits_table(module, graph, question.find or question.instruction))
    by_name = module.by_name
    names = [name.strip() for name in question.open.split(",") if name.strip()]
    opened = {by_name[name].id for name in names if name in by_name}
    near = graph.around(start, question.distance, opened, question.limit)
    yield
    notes = [Note("warning", f"there is no instruction {name!r} to open") for name in names if name not in by_name]
    if near.is_cut:
        limit = plural(question.limit, "instruction is", "instructions are")
        notes.append(Note("warning", f"more than {limit} around: the nearest are shown"))
    facts = [
        Fact("program", "Program", program.label, "text"),
        Fact("instruction", "Instruction", start.name, "name"),
        Fact("shown", "Shown", len(near.nodes), "count"),
        Fact("instructions", "Instructions", len(module.by_id), "count"),
        Fact("edges", "Operands", graph.edges, "count"),
        Fact("computations", "Computations", len(module.computations), "count"),
    ]
    tables = [_nodes(module, graph, near), _edges(near)]
    if question.find:
        tables.append(_hits_table(module, graph, question.find))
    return Answer(facts, [*tables, _programs(programs)], notes=notes)


def _nothing(programs: Sequence[Program], why: str, *tables: Table) -> Answer:
    return Answer(tables=[*tables, _programs(programs)], notes=[Note("warning", why)])


def _distinct(programs: Sequence[Program]) -> list[Program]:
    """Hosts that run one program have it each: the first of them is meant."""
    return list({(program.id, program.entry.crc32): program for program in reversed(programs)}.values())[::-1]


def _chosen(programs: Sequence[Program], wanted: str) -> Program | None:
    if not wanted:
        return max(programs, key=lambda program: program.entry.size_bytes, default=None)
    return next((program for program in programs if wanted in (program.id, program.label, program.name)), None)


def _start(module: HloModule, wanted: str) -> Instruction | None:
    entry = module.entry_computation
    if wanted or entry is None:
        return module.by_name.get(wanted.removeprefix("%"))
    return entry.root_instruction


def _nodes(module: HloModule, graph: ProgramGraph, near: Neighbourhood) -> Table:
    """Open ones first, as parents of what is in them."""
    rows = [*near.frames, *near.nodes]
    place = {frame.instruction.id: row for row, frame in enumerate(near.frames)}
    listed = [node.instruction for node in rows]
    columns = [
        _texts("name", "Instruction", "name", (instruction.name for instruction in listed)),
        _texts("opcode", "Operation", "text", (_opcode(instruction) for instruction in listed)),
        _texts("shape", "Shape", "text", (instruction.shape.text for instruction in listed)),
        Column("bytes", "Bytes", "bytes", [instruction.shape.bytes for instruction in listed], total="none"),
        Column("distance", "Distance", "count", [node.distance for node in rows], total="none"),
        Column("operands", "Operands", "count", [len(instruction.operands) for instruction in listed], total="none"),
        Column("users", "Users", "count", [len(graph.users(instruction.id)) for instruction in listed], total="none"),
        Column(
            "inside",
            "Instructions inside",
            "count",
            [_inside(module, instruction) for instruction in listed],
            total="none",
        ),
        Column("is_open", "Open", "flag", [row < len(near.frames) for row in range(len(rows))]),
        _texts("computation", "Computation", "text", (node.computation.name for node in rows)),
        _texts("framework", "Framework op", "text", (instruction.op_name or None for instruction in listed)),
        _texts("source", "Source", "text", (module.source(instruction) or None for instruction in listed)),
        query_column(instruction.name for instruction in listed),
        Column("frame", "In", "id", [place.get(node.frame, -1) for node in rows]),
    ]
    return Table("nodes", "Instructions around", columns, parent="frame")


def _texts(name: str, title: str, kind: Literal["text", "name"], texts: Iterable[str | None]) -> Column:
    """A column of texts as long as one that can be asked for: a few long ones could come again in every row."""
    return Column(name, title, kind, [None if text is None else _shortened(text) for text in texts])


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[: MAX_TEXT - 1]}…"


def _opcode(instruction: Instruction) -> str:
    what = instruction.fusion_kind if instruction.is_fusion else instruction.custom_call_target
    return f"{instruction.opcode} ({what})" if what else instruction.opcode


def _inside(module: HloModule, instruction: Instruction) -> int | None:
    """Number of instructions in the computations that it calls; None if it calls none."""
    return (
        sum(len(module.computations[called].instructions) for called in instruction.called)
        if instruction.called
        else None
    )


def _edges(near: Neighbourhood) -> Table:
    place = {node.instruction.id: row for row, node in enumerate(near.nodes, len(near.frames))}
    by_id = {node.instruction.id: node for node in near.nodes}
    columns = [
        Column("source", "From", "id", [place[source] for source, _ in near.edges]),
        Column("target", "To", "id", [place[target] for _, target in near.edges]),
        _texts("source_name", "Operand", "name", (by_id[source].instruction.name for source, _ in near.edges)),
        _texts("target_name", "User", "name", (by_id[target].instruction.name for _, target in near.edges)),
        _texts("shape", "Shape", "text", (by_id[source].instruction.shape.text for source, _ in near.edges)),
    ]
    return Table("edges", "Operands", columns)


def _hits_table(module: HloModule, graph: ProgramGraph, wanted: str) -> Table:
    text = wanted.lower()
    hits: list[Instruction] = []
    for instruction in module.instructions():
        if text in instruction.name.lower() or text in instruction.opcode or text in instruction.op_name.lower():
            hits.append(instruction)
            if len(hits) == MAX_FOUND:
                break
    columns = [
        _texts("name", "Instruction", "name", (instruction.name for instruction in hits)),
        _texts("opcode", "Operation", "text", (_opcode(instruction) for instruction in hits)),
        _texts("shape", "Shape", "text", (instruction.shape.text for instruction in hits)),
        _texts(
            "computation", "Computation", "text", (graph.computation_of[instruction.id].name for instruction in hits)
        ),
        _texts("framework", "Framework op", "text", (instruction.op_name or None for instruction in hits)),
        query_column(instruction.name for instruction in hits),
    ]
    return Table("found", "Found", columns)


def _programs(programs: Sequence[Program]) -> Table:
    columns = [
        _texts("name", "Program", "text", (program.label for program in programs)),
        _texts("id", "Id", "text", (program.id for program in programs)),
        Column("size", "HLO proto", "bytes", [program.entry.size_bytes for program in programs]),
    ]
    return Table("programs", "Programs", columns)


def _availability(scope: Scope) -> Reason:
    return "" if programs_of(scope.reader) else NO_PROGRAMS


def _sentence(answer: Answer, tick_ps: int) -> str:
    figures = Figures(answer, tick_ps)
    if not figures.count("shown"):
        return ""
    shown = f"{figures.text('shown')} of {plural(figures.count('instructions'), 'instruction', 'instructions')}"
    return f"Around {figures.text('instruction')} in {figures.text('program')}, {shown} are shown"


TOOL: Final = Tool(
    id="graph",
    title="Graph",
    help="what lies around an instruction: operands, users, parts of fusions",
    group="program",
    question=GraphQuestion,
    answer=_answer,
    sentence=_sentence,
    availability=_availability,
)
