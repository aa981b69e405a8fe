"""HLO protos of the programs of a synthetic run, with their buffers."""

from __future__ import annotations

from dataclasses import dataclass, field

from bench.pod_run.array_shape import TOKEN, AnyShape, ArrayShape, TupleShape
from bench.pod_run.program import PAIRS, Instruction, Program, init_instruction
from bench.pod_run.wire import message, number, packed, text

SOURCE = "/home/user/net/train.py"
_SUM, _BODY, _COND, _FIRST_FUSED = 0, 1, 2, 16
_PRED = 1  # the type of what a comparison gives


@dataclass(slots=True)
class Buffer:
    """A logical buffer of a module: what an instruction of the entry writes into the device's memory."""

    id: int
    name: str
    size: int
    unpadded: int
    allocated: int  # place in the order of the entry
    freed: int | None = None  # before which the last instruction has read it


@dataclass(slots=True)
class HloModule:
    """A module as a message, and what its memory comes to."""

    name: str
    proto: bytes
    parameters: int = 0  # bytes
    output: int = 0
    buffers: list[Buffer] = field(default_factory=list)
    events: list[tuple[str, str, int]] = field(default_factory=list)  # instruction, ALLOC or FREE, buffer
    peak_heap: int = 0

    def truth(self) -> dict[str, object]:
        """What the viewer of its memory must say."""
        return {
            "parameters": self.parameters,
            "output": self.output,
            "peak_heap": self.peak_heap,
            "peak": self.peak_heap + self.parameters + self.output,
            "buffers": [[of.id, of.name, of.size, of.unpadded] for of in self.buffers],
            "timeline": [list(event) for event in self.events],
        }


# What HLO has of other instructions, but no core ever runs: before which one, and whose buffer it is.
_ALIASES = {"image": "infeed.1", "looped": "while.1", "state": "all-reduce.1"}


def _around(program: Program) -> dict[str, list[Instruction]]:
    """Instructions that come before others and take no time."""
    infeed, loop = (program.instructions[program.names[name]].shape for name in ("infeed.1", "while.1"))
    assert isinstance(infeed, TupleShape)
    assert isinstance(loop, TupleShape)
    element = "get-tuple-element"
    return {
        "infeed.1": [Instruction("after-all.1", "after-all", "", TOKEN)],
        "copy.1": [Instruction("image", element, "", infeed.parts[0], ("infeed.1",))],
        "copy-done.1": [program.async_start],
        "while.1": [
            Instruction("zero", "constant", "", loop.parts[0]),
            Instruction("state", "tuple", "", loop, ("zero", "all-reduce.1")),
        ],
        "outfeed.1": [Instruction("looped", element, "", loop.parts[1], ("while.1",), tuple_place=1)],
    }


class _Ids:
    """Of instructions: unique in the module, with that of their computation above."""

    def __init__(self) -> None:
        self.of: dict[str, int] = {}
        self._next = 0

    def new(self, computation: int, name: str) -> int:
        self.of[name] = computation << 32 | self._next
        self._next += 1
        return self.of[name]


def train_module(program: Program, cores: int) -> HloModule:
    """Of the step: an entry, fusions, a loop, and heap events by the order in which instructions run."""
    ids = _Ids()
    computations = {"sum": _SUM, "body": _BODY, "cond": _COND}
    for one in program.instructions:
        for name in one.calls:
            computations.setdefault(name, _FIRST_FUSED + len(computations))
    entry = _FIRST_FUSED + len(computations)
    parts = [_sum(ids)]
    for one in program.instructions:
        if one.kind:
            parts.append(_fused(one, computations[one.calls[0]], ids))
    parts += [_body(program, ids, computations), _condition(program, ids)]
    entry_part = _entry(program, entry, ids, computations)
    parts.append(entry_part)
    shape = _program_shape([of for _, of in program.parameters], program.instructions[program.names["fusion.0"]].shape)
    schedule = message(7, *(_sequence(key, ids) for key in (_SUM, _BODY, _COND, entry)))
    assignment = message(15, number(1, cores), number(2, 1), message(3, packed(1, list(range(cores)))))
    module = b"".join(
        [
            text(1, "jit_train_step"),
            text(2, "main"),
            *parts,
            message(4, shape),
            number(5, 1),
            number(6, entry),
            schedule,
            assignment,
        ]
    )
    found = HloModule("jit_train_step", b"")
    buffers = _buffers(program, ids, found)
    found.proto = message(1, module) + message(3, buffers)
    return found


def _sequence(computation: int, ids: _Ids) -> bytes:
    """In which order the instructions of a computation run: as they were made."""
    order = [found for found in ids.of.values() if found >> 32 == computation]
    return message(1, number(1, computation), message(2, packed(1, order)))


def init_module() -> HloModule:
    """Of the program before the steps."""
    ids = _Ids()
    one = init_instruction()
    scalar = ArrayShape("f32", (), ())
    constant = (
        text(1, "constant.1") + text(2, "constant") + message(3, scalar.message) + number(35, ids.new(0, "constant.1"))
    )
    constant += _literal(scalar)
    body = message(2, constant) + message(2, _instruction(one, 0, ids, {}))
    entry = message(3, text(1, "main"), body, message(4, _program_shape([], one.shape)), number(6, ids.of[one.name]))
    shape = message(4, _program_shape([], one.shape))
    module = text(1, "jit_init_state") + text(2, "main") + entry + shape + number(5, 2) + number(6, 0)
    size = one.shape.padded_bytes
    buffers = message(1, number(1, 1), number(2, size), message(3, number(4, ids.of[one.name])))
    buffers += message(3, number(1, 0), number(2, size), number(7, 1), message(9, number(1, 1), number(3, size)))
    return HloModule("jit_init_state", message(1, module) + message(3, buffers), output=size)


def _program_shape(parameters: list[ArrayShape], result: AnyShape) -> bytes:
    names = b"".join(text(3, f"p{place}") for place in range(len(parameters)))
    return b"".join(message(1, of.message) for of in parameters) + message(2, result.message) + names


def _instruction(one: Instruction, computation: int, ids: _Ids, computations: dict[str, int]) -> bytes:
    metadata = text(2, one.framework) + text(3, SOURCE) + number(4, one.line) if one.framework else b""
    parts = [text(1, one.name), text(2, one.opcode), message(3, one.shape.message), message(7, metadata)]
    if one.kind:
        parts.append(text(11, one.kind))
    if one.opcode == "convolution":
        size = number(1, 7) + number(2, 2) + number(3, 3) + number(4, 3) + number(5, 1) + number(6, 1)
        parts.append(message(15, message(1, size), message(1, size)))
        numbers = number(3, 2) + number(4, 3) + packed(6, [0, 1]) + number(8, 3) + number(10, 3)
        parts.append(message(16, number(7, 0) + number(9, 0) + numbers + packed(11, [1, 2]) + packed(12, [1, 2])))
        parts += [number(50, 1), number(58, 1)]
    if one.opcode == "custom-call":
        parts += [text(28, "tpu_custom_call"), number(77, 1)]
    if one.opcode == "constant":
        parts.append(_literal(one.shape))
    if one.opcode == "get-tuple-element":
        parts.append(number(13, one.tuple_place))
    if one.opcode == "outfeed":
        parts.append(message(29, ArrayShape("f32", (500,), (0,)).message))
    if one.channel:
        parts.append(number(26, one.channel))
    if one.pairs:
        parts.append(message(68, message(1, text(1, PAIRS) + text(2, one.pairs_text))))
    parts += [
        number(35, ids.new(computation, one.name)),
        packed(36, [ids.of[name] for name in one.operands if name in ids.of]),
    ]
    parts.append(packed(38, [computations[name] for name in one.calls]))
    return b"".join(parts)


def _literal(shape: AnyShape) -> bytes:
    """Zero, as the value of a constant."""
    assert isinstance(shape, ArrayShape)
    return message(8, message(1, shape.message), text(8, bytes(4)) if shape.type == "f32" else packed(4, [0]))


def _parameter(name: str, place: int, shape: AnyShape, computation: int, ids: _Ids) -> bytes:
    of = text(1, name) + text(2, "parameter") + message(3, shape.message) + number(9, place)
    return message(2, of, number(35, ids.new(computation, name)))


def _sum(ids: _Ids) -> bytes:
    """What collectives do with two numbers."""
    scalar = ArrayShape("f32", (), ())
    parts = [text(1, "sum"), *(_parameter(f"sum.{k}", k, scalar, _SUM, ids) for k in range(2))]
    operands = [ids.of["sum.0"], ids.of["sum.1"]]
    root = ids.new(_SUM, "sum.root")
    of = text(1, "sum.root") + text(2, "add") + message(3, scalar.message) + number(35, root) + packed(36, operands)
    return message(3, *parts, message(2, of), message(4, _program_shape([], scalar)), number(5, _SUM), number(6, root))


def _condition(program: Program, ids: _Ids) -> bytes:
    """Whether the loop goes on."""
    loop = program.instructions[program.loop].shape
    assert isinstance(loop, TupleShape)
    parts = [text(1, "cond"), _parameter("cond.state", 0, loop, _COND, ids)]
    count = text(1, "cond.count") + text(2, "get-tuple-element") + message(3, loop.parts[0].message)
    parts.append(message(2, count, number(35, ids.new(_COND, "cond.count")), packed(36, [ids.of["cond.state"]])))
    root = ids.new(_COND, "cond.root")
    operands = packed(36, [ids.of["cond.count"], ids.of["cond.count"]])
    of = text(1, "cond.root") + text(2, "compare") + message(3, number(2, _PRED)) + number(35, root) + operands
    parts += [message(2, of, text(63, "LT")), number(5, _COND), number(6, root)]
    return message(3, *parts, message(4, message(1, loop.message), message(2, number(2, _PRED)), text(3, "state")))


def _fused(one: Instruction, computation: int, ids: _Ids) -> bytes:
    """What a fusion computes: the parameters, then a multiplication and an addition."""
    name = one.calls[0]
    parts = [
        text(1, name),
        *(_parameter(f"{name}.p{k}", k, one.shape, computation, ids) for k, _ in enumerate(one.operands)),
    ]
    last = f"{name}.p{len(one.operands) - 1}"
    operands = [f"{name}.p0", last]
    for opcode in ("multiply", "add"):
        made = f"{opcode}.{one.name}"
        of = text(1, made) + text(2, opcode) + message(3, one.shape.message)
        of += message(7, text(2, f"{one.framework}/{opcode}"))
        of += number(35, ids.new(computation, made)) + packed(36, [ids.of[operand] for operand in operands])
        parts.append(message(2, of))
        operands = [made, last]
    root = ids.of[operands[0]]
    return message(
        3, *parts, message(4, _program_shape([], one.shape)), number(5, computation), number(6, root), number(7, 1)
    )


def _body(program: Program, ids: _Ids, computations: dict[str, int]) -> bytes:
    loop = program.instructions[program.loop].shape
    assert isinstance(loop, TupleShape)
    parts = [text(1, "body"), _parameter("body.state", 0, loop, _BODY, ids)]
    for place, name in enumerate(("body.count", "body.norm")):
        of = text(1, name) + text(2, "get-tuple-element") + message(3, loop.parts[place].message) + number(13, place)
        parts.append(message(2, of, number(35, ids.new(_BODY, name)), packed(36, [ids.of["body.state"]])))
    for place in sorted(program.body):
        parts.append(message(2, _instruction(program.instructions[place], _BODY, ids, computations)))
    operands = [ids.of["body.count"], ids.of["dynamic-slice.1"]]
    of = text(1, "body.root") + text(2, "tuple") + message(3, loop.message) + number(35, ids.new(_BODY, "body.root"))
    parts.append(message(2, of, packed(36, operands)))
    return message(3, *parts, message(4, _program_shape([], loop)), number(5, _BODY), number(6, ids.of["body.root"]))


def _entry(program: Program, computation: int, ids: _Ids, computations: dict[str, int]) -> bytes:
    parts, around = [text(1, "main")], _around(program)
    for place, (name, shape) in enumerate(program.parameters):
        parts.append(_parameter(name, place, shape, computation, ids))
    for one in program.entry:
        for each in (*around.get(one.name, ()), one):
            parts.append(message(2, _instruction(each, computation, ids, computations)))
    root = program.instructions[program.names["fusion.0"]]
    result = _program_shape([of for _, of in program.parameters], root.shape)
    parts += [message(4, result), number(5, computation), number(6, ids.of[root.name])]
    return message(3, *parts)


def _buffers(program: Program, ids: _Ids, module: HloModule) -> bytes:
    """Of parameters, the result, and all else that is kept until it was read for the last time."""
    last: dict[str, int] = {}
    for place, one in enumerate(program.entry):
        for name in one.operands:
            last[_ALIASES.get(name, name)] = place
    logical: list[bytes] = []
    allocations: list[bytes] = []

    def buffer(name: str, size: int) -> int:
        number_of = len(logical) + 1
        logical.append(message(1, number(1, number_of), number(2, size), message(3, number(4, ids.of[name]))))
        return number_of

    def allocation(*parts: bytes) -> None:
        allocations.append(message(3, number(1, len(allocations)), *parts))

    for place, (name, shape) in enumerate(program.parameters):
        size = shape.padded_bytes
        module.parameters += size
        assigned = message(9, number(1, buffer(name, size)), number(3, size))
        allocation(number(2, size), number(5, 1), number(6, place), assigned)
    result = program.instructions[program.names["fusion.0"]]
    module.output = result.shape.padded_bytes
    assigned = message(9, number(1, buffer(result.name, module.output)), number(3, module.output))
    allocation(number(2, module.output), number(7, 1), assigned)
    heap, events, offset, offsets = 0, [], 0, []
    held: dict[str, Buffer] = {}
    for place, one in enumerate(program.entry):
        near = isinstance(one.shape, ArrayShape) and one.shape.memory
        size = 0 if near or one is result else one.shape.padded_bytes
        if size and one.opcode != "copy-done":
            made = Buffer(buffer(one.name, size), one.name, size, one.shape.unpadded_bytes, place)
            held[one.name] = made
            module.buffers.append(made)
            module.events.append((one.name, "ALLOC", made.id))
            offsets.append(message(9, number(1, made.id), number(2, offset), number(3, size)))
            offset += size
            heap += size
            module.peak_heap = max(module.peak_heap, heap)
        for operand in dict.fromkeys((*one.operands, one.name)):
            name = _ALIASES.get(operand, operand)
            if name in held and last.get(name, place) == place:
                heap -= held[name].size
                held[name].freed = place
                module.events.append((one.name, "FREE", held.pop(name).id))
    for name, kind, number_of in module.events:
        event = number(1, 1) if kind == "FREE" else b""
        events.append(message(1, event, number(2, number_of), text(3, "main"), text(4, name)))
    allocation(number(2, offset), *offsets)
    return b"".join([*logical, *allocations, message(4, *events, number(3, len(allocations) - 1))])
