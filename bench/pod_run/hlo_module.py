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
        """The figures that the viewer of its memory must show."""
        return {
            "parameters": self.parameters,
            "output": self.output,
            "peak_heap": self.peak_heap,
            "peak": self.peak_heap + self.parameters + self.output,
            "buffers": [[buffer.id, buffer.name, buffer.size, buffer.unpadded] for buffer in self.buffers],
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
    """Ids of instructions: unique in the module, with that of their computation above."""

    def __init__(self) -> None:
        self.by_name: dict[str, int] = {}
        self._next = 0

    def new(self, computation: int, name: str) -> int:
        self.by_name[name] = computation << 32 | self._next
        self._next += 1
        return self.by_name[name]


def train_module(program: Program, cores: int) -> HloModule:
    """Module of the step: an entry, fusions, a loop, and heap events by the order in which instructions run."""
    ids = _Ids()
    computations = {"sum": _SUM, "body": _BODY, "cond": _COND}
    for instruction in program.instructions:
        for name in instruction.calls:
            computations.setdefault(name, _FIRST_FUSED + len(computations))
    entry = _FIRST_FUSED + len(computations)
    parts = [_sum(ids)]
    for instruction in program.instructions:
        if instruction.kind:
            parts.append(_fused(instruction, computations[instruction.calls[0]], ids))
    parts += [_body(program, ids, computations), _condition(program, ids)]
    entry_part = _entry(program, entry, ids, computations)
    parts.append(entry_part)
    shape = _program_shape(
        [parameter_shape for _, parameter_shape in program.parameters],
        program.instructions[program.names["fusion.0"]].shape,
    )
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
    result = HloModule("jit_train_step", b"")
    buffers = _buffers(program, ids, result)
    result.proto = message(1, module) + message(3, buffers)
    return result


def _sequence(computation: int, ids: _Ids) -> bytes:
    """In which order the instructions of a computation run: as they were made."""
    order = [key for key in ids.by_name.values() if key >> 32 == computation]
    return message(1, number(1, computation), message(2, packed(1, order)))


def init_module() -> HloModule:
    """Module of the program before the steps."""
    ids = _Ids()
    instruction = init_instruction()
    scalar = ArrayShape("f32", (), ())
    constant = (
        text(1, "constant.1") + text(2, "constant") + message(3, scalar.message) + number(35, ids.new(0, "constant.1"))
    )
    constant += _literal(scalar)
    body = message(2, constant) + message(2, _instruction(instruction, 0, ids, {}))
    entry = message(
        3,
        text(1, "main"),
        body,
        message(4, _program_shape([], instruction.shape)),
        number(6, ids.by_name[instruction.name]),
    )
    shape = message(4, _program_shape([], instruction.shape))
    module = text(1, "jit_init_state") + text(2, "main") + entry + shape + number(5, 2) + number(6, 0)
    size = instruction.shape.padded_bytes
    buffers = message(1, number(1, 1), number(2, size), message(3, number(4, ids.by_name[instruction.name])))
    buffers += message(3, number(1, 0), number(2, size), number(7, 1), message(9, number(1, 1), number(3, size)))
    return HloModule("jit_init_state", message(1, module) + message(3, buffers), output=size)


def _program_shape(parameters: list[ArrayShape], result: AnyShape) -> bytes:
    names = b"".join(text(3, f"p{place}") for place in range(len(parameters)))
    return b"".join(message(1, parameter.message) for parameter in parameters) + message(2, result.message) + names


def _instruction(instruction: Instruction, computation: int, ids: _Ids, computations: dict[str, int]) -> bytes:
    metadata = (
        text(2, instruction.framework) + text(3, SOURCE) + number(4, instruction.line) if instruction.framework else b""
    )
    parts = [
        text(1, instruction.name),
        text(2, instruction.opcode),
        message(3, instruction.shape.message),
        message(7, metadata),
    ]
    if instruction.kind:
        parts.append(text(11, instruction.kind))
    if instruction.opcode == "convolution":
        size = number(1, 7) + number(2, 2) + number(3, 3) + number(4, 3) + number(5, 1) + number(6, 1)
        parts.append(message(15, message(1, size), message(1, size)))
        numbers = number(3, 2) + number(4, 3) + packed(6, [0, 1]) + number(8, 3) + number(10, 3)
        parts.append(message(16, number(7, 0) + number(9, 0) + numbers + packed(11, [1, 2]) + packed(12, [1, 2])))
        parts += [number(50, 1), number(58, 1)]
    if instruction.opcode == "custom-call":
        parts += [text(28, "tpu_custom_call"), number(77, 1)]
    if instruction.opcode == "constant":
        parts.append(_literal(instruction.shape))
    if instruction.opcode == "get-tuple-element":
        parts.append(number(13, instruction.tuple_place))
    if instruction.opcode == "outfeed":
        parts.append(message(29, ArrayShape("f32", (500,), (0,)).message))
    if instruction.channel:
        parts.append(number(26, instruction.channel))
    if instruction.pairs:
        parts.append(message(68, message(1, text(1, PAIRS) + text(2, instruction.pairs_text))))
    parts += [
        number(35, ids.new(computation, instruction.name)),
        packed(36, [ids.by_name[name] for name in instruction.operands if name in ids.by_name]),
    ]
    parts.append(packed(38, [computations[name] for name in instruction.calls]))
    return b"".join(parts)


def _literal(shape: AnyShape) -> bytes:
    """Zero, as the value of a constant."""
    assert isinstance(shape, ArrayShape)
    return message(8, message(1, shape.message), text(8, bytes(4)) if shape.type == "f32" else packed(4, [0]))


def _parameter(name: str, place: int, shape: AnyShape, computation: int, ids: _Ids) -> bytes:
    fields = text(1, name) + text(2, "parameter") + message(3, shape.message) + number(9, place)
    return message(2, fields, number(35, ids.new(computation, name)))


def _sum(ids: _Ids) -> bytes:
    """The computation that collectives apply to two numbers."""
    scalar = ArrayShape("f32", (), ())
    parts = [text(1, "sum"), *(_parameter(f"sum.{k}", k, scalar, _SUM, ids) for k in range(2))]
    operands = [ids.by_name["sum.0"], ids.by_name["sum.1"]]
    root = ids.new(_SUM, "sum.root")
    fields = text(1, "sum.root") + text(2, "add") + message(3, scalar.message) + number(35, root) + packed(36, operands)
    return message(
        3, *parts, message(2, fields), message(4, _program_shape([], scalar)), number(5, _SUM), number(6, root)
    )


def _condition(program: Program, ids: _Ids) -> bytes:
    """The condition of the loop."""
    loop = program.instructions[program.loop].shape
    assert isinstance(loop, TupleShape)
    parts = [text(1, "cond"), _parameter("cond.state", 0, loop, _COND, ids)]
    count = text(1, "cond.count") + text(2, "get-tuple-element") + message(3, loop.parts[0].message)
    parts.append(message(2, count, number(35, ids.new(_COND, "cond.count")), packed(36, [ids.by_name["cond.state"]])))
    root = ids.new(_COND, "cond.root")
    operands = packed(36, [ids.by_name["cond.count"], ids.by_name["cond.count"]])
    fields = text(1, "cond.root") + text(2, "compare") + message(3, number(2, _PRED)) + number(35, root) + operands
    parts += [message(2, fields, text(63, "LT")), number(5, _COND), number(6, root)]
    return message(3, *parts, message(4, message(1, loop.message), message(2, number(2, _PRED)), text(3, "state")))


def _fused(instruction: Instruction, computation: int, ids: _Ids) -> bytes:
    """The computation of a fusion: the parameters, then a multiplication and an addition."""
    name = instruction.calls[0]
    parts = [
        text(1, name),
        *(
            _parameter(f"{name}.p{k}", k, instruction.shape, computation, ids)
            for k, _ in enumerate(instruction.operands)
        ),
    ]
    last = f"{name}.p{len(instruction.operands) - 1}"
    operands = [f"{name}.p0", last]
    for opcode in ("multiply", "add"):
        made = f"{opcode}.{instruction.name}"
        fields = text(1, made) + text(2, opcode) + message(3, instruction.shape.message)
        fields += message(7, text(2, f"{instruction.framework}/{opcode}"))
        fields += number(35, ids.new(computation, made)) + packed(36, [ids.by_name[operand] for operand in operands])
        parts.append(message(2, fields))
        operands = [made, last]
    root = ids.by_name[operands[0]]
    return message(
        3,
        *parts,
        message(4, _program_shape([], instruction.shape)),
        number(5, computation),
        number(6, root),
        number(7, 1),
    )


def _body(program: Program, ids: _Ids, computations: dict[str, int]) -> bytes:
    loop = program.instructions[program.loop].shape
    assert isinstance(loop, TupleShape)
    parts = [text(1, "body"), _parameter("body.state", 0, loop, _BODY, ids)]
    for place, name in enumerate(("body.count", "body.norm")):
        fields = (
            text(1, name) + text(2, "get-tuple-element") + message(3, loop.parts[place].message) + number(13, place)
        )
        parts.append(message(2, fields, number(35, ids.new(_BODY, name)), packed(36, [ids.by_name["body.state"]])))
    for place in sorted(program.body):
        parts.append(message(2, _instruction(program.instructions[place], _BODY, ids, computations)))
    operands = [ids.by_name["body.count"], ids.by_name["dynamic-slice.1"]]
    fields = (
        text(1, "body.root") + text(2, "tuple") + message(3, loop.message) + number(35, ids.new(_BODY, "body.root"))
    )
    parts.append(message(2, fields, packed(36, operands)))
    return message(
        3, *parts, message(4, _program_shape([], loop)), number(5, _BODY), number(6, ids.by_name["body.root"])
    )


def _entry(program: Program, computation: int, ids: _Ids, computations: dict[str, int]) -> bytes:
    parts, around = [text(1, "main")], _around(program)
    for place, (name, shape) in enumerate(program.parameters):
        parts.append(_parameter(name, place, shape, computation, ids))
    for instruction in program.entry:
        for each in (*around.get(instruction.name, ()), instruction):
            parts.append(message(2, _instruction(each, computation, ids, computations)))
    root = program.instructions[program.names["fusion.0"]]
    result = _program_shape([parameter_shape for _, parameter_shape in program.parameters], root.shape)
    parts += [message(4, result), number(5, computation), number(6, ids.by_name[root.name])]
    return message(3, *parts)


def _buffers(program: Program, ids: _Ids, module: HloModule) -> bytes:
    """Buffers of parameters, the result, and all else that is kept until it was read for the last time."""
    last: dict[str, int] = {}
    for place, instruction in enumerate(program.entry):
        for name in instruction.operands:
            last[_ALIASES.get(name, name)] = place
    logical: list[bytes] = []
    allocations: list[bytes] = []

    def buffer(name: str, size: int) -> int:
        number_of = len(logical) + 1
        logical.append(message(1, number(1, number_of), number(2, size), message(3, number(4, ids.by_name[name]))))
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
    for place, instruction in enumerate(program.entry):
        near = isinstance(instruction.shape, ArrayShape) and instruction.shape.memory
        size = 0 if near or instruction is result else instruction.shape.padded_bytes
        if size and instruction.opcode != "copy-done":
            made = Buffer(
                buffer(instruction.name, size), instruction.name, size, instruction.shape.unpadded_bytes, place
            )
            held[instruction.name] = made
            module.buffers.append(made)
            module.events.append((instruction.name, "ALLOC", made.id))
            offsets.append(message(9, number(1, made.id), number(2, offset), number(3, size)))
            offset += size
            heap += size
            module.peak_heap = max(module.peak_heap, heap)
        for operand in dict.fromkeys((*instruction.operands, instruction.name)):
            name = _ALIASES.get(operand, operand)
            if name in held and last.get(name, place) == place:
                heap -= held[name].size
                held[name].freed = place
                module.events.append((instruction.name, "FREE", held.pop(name).id))
    for name, kind, number_of in module.events:
        event = number(1, 1) if kind == "FREE" else b""
        events.append(message(1, event, number(2, number_of), text(3, "main"), text(4, name)))
    allocation(number(2, offset), *offsets)
    return b"".join([*logical, *allocations, message(4, *events, number(3, len(allocations) - 1))])
