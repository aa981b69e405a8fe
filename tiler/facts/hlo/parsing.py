"""HLO protos as programs: piece by piece, in bounded memory.

A module refers only to what comes before: XLA writes operands before their users, and computations before those that
call them. What does not is refused, as XLA itself does; so nothing that goes over a program can go round in circles.
"""

from __future__ import annotations

from collections.abc import Container, Generator, Iterator, Mapping
from typing import Any, Final, TypeVar

from google.protobuf.message import DecodeError, Message

from tilescope.hlo import hlo_pb2 as pb
from tilescope.tiler import _native
from tilescope.tiler.facts.hlo.damage import HloDamage
from tilescope.tiler.facts.hlo.module import Computation, Frame, HloModule, Instruction
from tilescope.tiler.facts.hlo.shapes import ArrayLayout, ValueShape

# A proto of 100,000 instructions takes some 30 MB.
MAX_PROTO_BYTES: Final = 128 << 20
# Of what it becomes, as it is counted here. An instruction takes about a kilobyte: these are half a million of them.
MAX_MODEL_BYTES: Final = 512 << 20
# One message, which is parsed as a whole: numbers in it grow eightfold.
MAX_MESSAGE_BYTES: Final = 32 << 20
MAX_SHAPE_BYTES: Final = 1 << 20
MAX_SHAPE_DEPTH: Final = 32
# No memory has more; sums of a million of them are exact in 64 bits.
MAX_BYTES: Final = 1 << 42

AT_ONCE: Final = 512

INSTRUCTION_BYTES: Final = 500
_SHAPE_BYTES: Final = 250
_NUMBER_BYTES: Final = 40
_TEXT_BYTES: Final = 60

M = TypeVar("M", bound=Message)


class Taken:
    """Counts about what a program takes in memory."""

    def __init__(self, limit: int = MAX_MODEL_BYTES) -> None:
        self.bytes = 0
        self._limit = limit

    def take(self, size: int) -> None:
        """Raises HloDamage: it takes more than it may."""
        self.bytes += size
        if self.bytes > self._limit:
            raise HloDamage(f"it takes more than {self._limit >> 20} MiB of memory")


def parsed(kind: type[M], raw: bytes, what: str) -> M:
    """A message. Raises HloDamage: it is none, or is too large."""
    if len(raw) > MAX_MESSAGE_BYTES:
        raise HloDamage(f"{what} has {len(raw):,} bytes, the limit is {MAX_MESSAGE_BYTES:,}")
    try:
        return kind.FromString(raw)
    except DecodeError:
        raise HloDamage(f"{what} is damaged: its {len(raw):,} bytes are no message") from None


def pieces(raw: bytes, what: str) -> Iterator[tuple[int, int | bytes]]:
    """The number and value of each field of a message: however many they are, they take no memory. Raises HloDamage."""
    try:
        yield from _native.MessageFields(raw)
    except _native.WireError as damage:
        raise _no_message(what, raw, damage) from None


def message_in(raw: bytes, number: int) -> bytes:
    """The message that is a field of an `HloProto`; empty where it has none. Raises HloDamage."""
    message = b""
    for place, value in pieces(raw, "it"):
        if place == number:
            message = payload(place, value)
    return message


def payload(number: int, value: int | bytes) -> bytes:
    """The bytes of a field. Raises HloDamage: it has none."""
    if not isinstance(value, bytes):
        raise HloDamage(f"field {number} is a number where a message belongs")
    return value


def text(raw: bytes) -> str:
    """Wrong UTF-8 is replaced."""
    return raw.decode("utf-8", "replace")


def parse_module(raw: bytes) -> Generator[None, None, HloModule]:
    """The program of an `HloProto`. Raises HloDamage."""
    return (yield from ModuleParser().module(raw))


class ModuleParser:
    """Parses one module, or some of it. Texts and shapes that occur often are kept once."""

    def __init__(self) -> None:
        self.taken = Taken()
        self._texts: dict[bytes, str] = {b"": ""}
        self._shapes: dict[bytes, ValueShape] = {b"": ValueShape()}

    def module(self, raw: bytes) -> Generator[None, None, HloModule]:
        """The program."""
        name = entry_name = ""
        entry, frames, order = 0, b"", b""
        computations: dict[int, Computation] = {}
        for number, value in pieces(message_in(raw, MODULE), "the module"):
            if number == pb.HloModule.COMPUTATIONS_FIELD_NUMBER:
                computation = yield from self.computation(payload(number, value), len(computations), computations)
                if computation.id in computations:
                    raise HloDamage(f"two computations have the id {computation.id}")
                computations[computation.id] = computation
            elif number == pb.HloModule.NAME_FIELD_NUMBER:
                name = text(payload(number, value))
            elif number == pb.HloModule.ENTRY_COMPUTATION_NAME_FIELD_NUMBER:
                entry_name = text(payload(number, value))
            elif number == pb.HloModule.ENTRY_COMPUTATION_ID_FIELD_NUMBER and isinstance(value, int):
                entry = value
            elif number == pb.HloModule.STACK_FRAME_INDEX_FIELD_NUMBER:
                frames = payload(number, value)
            elif number == pb.HloModule.SCHEDULE_FIELD_NUMBER:
                order = payload(number, value)
        if entry not in computations:  # old protos have names alone
            entry = next((key for key, computation in computations.items() if computation.name == entry_name), 0)
        places = yield from self.frames(frames)
        schedule = yield from self.schedule(order, computations)
        return HloModule(name, computations, entry, places, self.taken.bytes, schedule)

    def schedule(
        self, raw: bytes, computations: Mapping[int, Computation]
    ) -> Generator[None, None, dict[int, tuple[int, ...]]]:
        """In which order all instructions of each computation run, where the module says it. Raises HloDamage."""
        orders: dict[int, tuple[int, ...]] = {}
        for number, value in pieces(raw, "the schedule"):
            if number != pb.HloSchedule.SEQUENCES_FIELD_NUMBER:
                continue
            scheduled = parsed(pb.ScheduledComputation, payload(number, value), "a schedule")
            computation = computations.get(scheduled.computation_id)
            ids = parsed(pb.InstructionSequence, scheduled.sequence, "a schedule").instruction_ids
            if computation is not None and len(ids) == len(computation.instructions):
                self.taken.take(len(ids) * _NUMBER_BYTES)
                order = tuple(ids)
                if computation.instructions.keys() == set(order):
                    orders[computation.id] = order
            yield
        return orders

    def computation(self, raw: bytes, place: int, before: Container[int]) -> Generator[None, None, Computation]:
        """One, which calls those before it alone. Raises HloDamage."""
        name, instructions = "", dict[int, Instruction]()
        numbers = {_ID: 0, _ROOT: 0, _IS_FUSION: 0}
        try:
            for number, value in _native.MessageFields(raw):
                if number == _INSTRUCTIONS:
                    if len(instructions) % AT_ONCE == 0:
                        yield
                    self._add(instructions, payload(number, value), name, before)
                elif number == _NAME:
                    name = self._text(payload(number, value))
                elif number in numbers and isinstance(value, int):
                    numbers[number] = value
        except _native.WireError as damage:
            raise _no_message(f"computation {place}", raw, damage) from None
        if not instructions:
            raise HloDamage(f"computation {shown(name)} has no instructions")
        root = numbers[_ROOT] if numbers[_ROOT] in instructions else next(reversed(instructions))
        return Computation(numbers[_ID], name, instructions, root, bool(numbers[_IS_FUSION]))

    def _add(self, instructions: dict[int, Instruction], raw: bytes, name: str, before: Container[int]) -> None:
        """The next instruction of a computation of that name. Raises HloDamage."""
        instruction = self.instruction(raw, f"instruction {len(instructions)} of {shown(name)}")
        if instruction.id in instructions:
            raise HloDamage(f"two instructions of {shown(name)} have the id {instruction.id}")
        for operand in instruction.operands:
            if operand not in instructions:
                raise HloDamage(f"{shown(instruction.name)} has an operand that does not come before it")
        for called in instruction.called:
            if called not in before:
                raise HloDamage(f"{shown(instruction.name)} calls a computation that does not come before its own")
        instructions[instruction.id] = instruction

    def instruction(self, raw: bytes, what: str) -> Instruction:
        """One, whose operands are not looked at. Raises HloDamage."""
        (
            number,
            parameter_number,
            tuple_index,
            channel,
            feature_groups,
            batch_groups,
            name,
            opcode,
            shape,
            metadata,
            fusion_kind,
            custom_call_target,
            window,
            dot,
            convolution,
            backend_config,
            operands,
            called,
            dimensions,
        ) = _values(_INSTRUCTION, raw, what)
        line, frame, op_type, op_name, source_file, duplicate_of = _values(_METADATA, metadata, what)
        kept = len(window) + len(backend_config)
        numbers = len(operands) + len(called) + len(dimensions)
        self.taken.take(INSTRUCTION_BYTES + kept + numbers * _NUMBER_BYTES)
        text = self._text
        return Instruction(
            number,
            text(name),
            text(opcode),
            self._shape(shape, what),
            operands,
            called,
            text(op_type),
            text(op_name),
            text(source_file),
            line,
            frame,
            text(duplicate_of),
            parameter_number,
            tuple_index,
            dimensions,
            text(fusion_kind),
            text(custom_call_target),
            channel,
            max(1, feature_groups),
            max(1, batch_groups),
            window,
            dot or convolution,
            backend_config,
        )

    def _text(self, raw: bytes) -> str:
        decoded = self._texts.get(raw)
        if decoded is None:
            self.taken.take(2 * (_TEXT_BYTES + len(raw)))
            decoded = self._texts[raw] = text(raw)
        return decoded

    def _shape(self, raw: bytes, what: str, depth: int = 0) -> ValueShape:
        shape = self._shapes.get(raw)
        if shape is not None:
            return shape
        if len(raw) > MAX_SHAPE_BYTES or depth > MAX_SHAPE_DEPTH:
            raise HloDamage(f"the shape of {what} is too large or too deep")
        proto = parsed(pb.Shape, raw, f"the shape of {what}")
        parts = tuple(self._shape(part, what, depth + 1) for part in proto.tuple_shapes)
        layout = self._layout(proto.layout, what)
        numbers = len(proto.dimensions) + len(parts)
        self.taken.take(_SHAPE_BYTES + len(raw) + numbers * _NUMBER_BYTES)
        shape = ValueShape(proto.element_type, tuple(proto.dimensions), parts, layout)
        if min(shape.dimensions, default=0) < 0:
            raise HloDamage(f"the shape of {what} has a dimension of {min(shape.dimensions)}")
        self._check_size(shape, what)
        self._shapes[raw] = shape
        return shape

    def _check_size(self, shape: ValueShape, what: str) -> None:
        """Checks the size; not even the product of many large dimensions is made."""
        size = shape.element_bits or 1
        for dimension in shape.padded_dimensions:
            size *= max(1, dimension)
            if size > MAX_BYTES * 8:
                raise HloDamage(f"the shape of {what} takes more bytes than any memory has")
        if shape.parts and sum(part.padded_bytes for part in shape.parts) > MAX_BYTES:
            raise HloDamage(f"the shape of {what} takes more bytes than any memory has")

    def _layout(self, raw: bytes, what: str) -> ArrayLayout | None:
        if not raw:
            return None
        proto = parsed(pb.Layout, raw, f"the layout of {what}")
        tiles = tuple(tuple(tile.dimensions) for tile in proto.tiles)
        self.taken.take(_NUMBER_BYTES * (len(proto.minor_to_major) + len(tiles) + sum(map(len, tiles))))
        bits = proto.element_size_in_bits
        if not 0 <= bits <= _MAX_ELEMENT_BITS:
            raise HloDamage(f"the layout of {what} has elements of {bits} bits")
        return ArrayLayout(
            tuple(proto.minor_to_major),
            tiles,
            bits,
            proto.memory_space,
            proto.tail_padding_alignment_in_elements,
        )

    def frames(self, raw: bytes) -> Generator[None, None, list[tuple[Frame, int]]]:
        """The lines of the source, each with the place of the one that called it. Raises HloDamage."""
        index = parsed(pb.StackFrameIndex, raw, "the index of stack frames")
        files, functions = ([self._text(name) for name in names] for names in (index.file_names, index.function_names))
        places: list[Frame] = []
        for number, piece in enumerate(index.file_locations):
            self.taken.take(_SHAPE_BYTES)
            location = parsed(pb.FileLocation, piece, "a line of the source")
            places.append(
                Frame(
                    _text_at(files, location.file_name_id),
                    _text_at(functions, location.function_name_id),
                    location.line,
                    location.column,
                )
            )
            if number % AT_ONCE == 0:
                yield
        frames: list[tuple[Frame, int]] = []
        for number, piece in enumerate(index.stack_frames):
            self.taken.take(_SHAPE_BYTES)
            frame = parsed(pb.StackFrame, piece, "a stack frame")
            is_location = 0 < frame.file_location_id <= len(places)
            frames.append((places[frame.file_location_id - 1] if is_location else _NO_FRAME, frame.parent_frame_id))
            if number % AT_ONCE == 0:
                yield
        return frames


def _no_message(what: str, raw: bytes, damage: _native.WireError) -> HloDamage:
    return HloDamage(f"{what} is damaged: its {len(raw):,} bytes are no message ({damage.args[0]})")


def _values(fields: _native.MessageValues, raw: bytes, what: str) -> tuple[Any, ...]:
    """Some fields of a message. Raises HloDamage: it is none, or is too large."""
    if len(raw) > MAX_MESSAGE_BYTES:
        raise HloDamage(f"{what} has {len(raw):,} bytes, the limit is {MAX_MESSAGE_BYTES:,}")
    try:
        return fields.read(raw)
    except _native.WireError:
        raise HloDamage(f"{what} is damaged: its {len(raw):,} bytes are no message") from None


def shown(name: str) -> str:
    """A name in a message."""
    return name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"


def _text_at(texts: list[str], number: int) -> str:
    return texts[number - 1] if 0 < number <= len(texts) else ""


MODULE: Final = pb.HloProto.HLO_MODULE_FIELD_NUMBER
_NAME: Final = pb.HloComputation.NAME_FIELD_NUMBER
_INSTRUCTIONS: Final = pb.HloComputation.INSTRUCTIONS_FIELD_NUMBER
_ID: Final = pb.HloComputation.ID_FIELD_NUMBER
_ROOT: Final = pb.HloComputation.ROOT_ID_FIELD_NUMBER
_IS_FUSION: Final = pb.HloComputation.IS_FUSION_COMPUTATION_FIELD_NUMBER

_SHOWN: Final = 80
_MAX_ELEMENT_BITS: Final = 1024
# In the order in which `ModuleParser.instruction` takes them: a third of the time that protobuf's own messages took.
_INSTRUCTION: Final = _native.MessageValues(
    numbers=[
        pb.HloInstruction.ID_FIELD_NUMBER,
        pb.HloInstruction.PARAMETER_NUMBER_FIELD_NUMBER,
        pb.HloInstruction.TUPLE_INDEX_FIELD_NUMBER,
        pb.HloInstruction.CHANNEL_ID_FIELD_NUMBER,
        pb.HloInstruction.FEATURE_GROUP_COUNT_FIELD_NUMBER,
        pb.HloInstruction.BATCH_GROUP_COUNT_FIELD_NUMBER,
    ],
    bytes=[
        pb.HloInstruction.NAME_FIELD_NUMBER,
        pb.HloInstruction.OPCODE_FIELD_NUMBER,
        pb.HloInstruction.SHAPE_FIELD_NUMBER,
        pb.HloInstruction.METADATA_FIELD_NUMBER,
        pb.HloInstruction.FUSION_KIND_FIELD_NUMBER,
        pb.HloInstruction.CUSTOM_CALL_TARGET_FIELD_NUMBER,
        pb.HloInstruction.WINDOW_FIELD_NUMBER,
        pb.HloInstruction.DOT_DIMENSION_NUMBERS_FIELD_NUMBER,
        pb.HloInstruction.CONVOLUTION_DIMENSION_NUMBERS_FIELD_NUMBER,
        pb.HloInstruction.BACKEND_CONFIG_FIELD_NUMBER,
    ],
    repeated=[
        pb.HloInstruction.OPERAND_IDS_FIELD_NUMBER,
        pb.HloInstruction.CALLED_COMPUTATION_IDS_FIELD_NUMBER,
        pb.HloInstruction.DIMENSIONS_FIELD_NUMBER,
    ],
)
_METADATA: Final = _native.MessageValues(
    numbers=[pb.OpMetadata.SOURCE_LINE_FIELD_NUMBER, pb.OpMetadata.STACK_FRAME_ID_FIELD_NUMBER],
    bytes=[
        pb.OpMetadata.OP_TYPE_FIELD_NUMBER,
        pb.OpMetadata.OP_NAME_FIELD_NUMBER,
        pb.OpMetadata.SOURCE_FILE_FIELD_NUMBER,
        pb.OpMetadata.DEDUPLICATED_NAME_FIELD_NUMBER,
    ],
    repeated=[],
)
_NO_FRAME: Final = Frame("", "", 0, 0)
