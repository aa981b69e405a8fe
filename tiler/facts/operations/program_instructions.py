"""Metadata of the instructions that kernels of GPUs run: from the HLO protos of the run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tilescope.tiler.facts.hlo import (
    HloDamage,
    HloModule,
    Program,
    ProgramParts,
    hlo_module,
    left_out_words,
    program_parts,
    programs_of,
)
from tilescope.tiler.facts.hlo.costs import Costs
from tilescope.tiler.facts.hlo.expressions import category, expression
from tilescope.tiler.facts.hlo.layouts import meanings
from tilescope.tiler.facts.hlo.matrix_use import MatrixUse, matrix_use
from tilescope.tiler.facts.operations.graph_kinds import kernel_kind_name
from tilescope.tiler.facts.operations.operation import Memory, OperationMetadata, Traffic
from tilescope.tiler.query import Interruptible, QueryReader
from tilescope.tiler.query.run_caches import RunCache
from tilescope.tiler.records.device.operations import OperationKind

if TYPE_CHECKING:
    from tilescope.tiler.facts.operations.operation import Operation


KERNEL: Final = "kernel"  # categories of what runs for no instruction

COPY: Final = "copy"


@dataclass(frozen=True, slots=True)
class FusedPart:
    """An instruction that runs as a part of another one; `flops` in one run of that."""

    name: str
    flops: int
    expression: str
    provenance: str
    source: str
    shape: str
    matrix_use: MatrixUse | None  # None: it is no product, or its layouts do not say


@dataclass(frozen=True, slots=True)
class InstructionFacts:
    """Facts that a program has of an instruction beside its cost."""

    meanings: Mapping[int, str]  # of the dimensions of its value
    parts: Sequence[FusedPart]  # of a fusion those that compute something, those with the most FLOPs first
    matrix_use: MatrixUse | None = None  # None: it has no products, or their layouts do not say
    note: str = ""  # why the program says nothing


@dataclass(frozen=True, slots=True)
class _Instruction:
    """An instruction's metadata, the label of its program, and why there is no more."""

    metadata: OperationMetadata
    label: str
    note: str


class _Kept:
    """Instructions that earlier questions were about."""

    def __init__(self) -> None:
        self.instructions: dict[tuple[int, str, str], _Instruction] = {}
        self.facts: dict[tuple[int, str, str, bool], InstructionFacts] = {}
        self.size_bytes = 0

    def count(self, *texts: str) -> None:
        """Counts something with such texts before it is kept. Drops everything else when that exceeds the limit."""
        self.size_bytes += _ENTRY_BYTES + sum(map(len, texts))
        if self.size_bytes > MAX_KEPT_BYTES:
            self.instructions.clear()
            self.facts.clear()
            self.size_bytes = 0


MAX_KEPT_BYTES: Final = 64 << 20  # however much may be cached: one question may be about all instructions of a run
_ENTRY_BYTES: Final = 1000  # beside its texts, at most: 450 (v6e) to 910 (V100) in four real traces

_KEPT: Final = RunCache[_Kept](
    "program_instructions",
    "Costs and parts of instructions, from HLO protos",
    lambda value: value.size_bytes,
    grows=True,
)


class Instructions:
    """Instructions of the programs of a run. `notes` says of which programs nothing is known, and why."""

    def __init__(self, reader: QueryReader, *, is_gpu: bool = True) -> None:
        self._reader = reader
        self._is_gpu = is_gpu
        self._programs: dict[tuple[int, str], Program] = {}
        by_name: dict[tuple[int, str], list[Program]] = {}
        for program in programs_of(reader):
            self._programs[program.file, program.id] = program
            by_name.setdefault((program.file, program.name), []).append(program)
        self._by_name = {key: candidates[0] for key, candidates in by_name.items() if len(candidates) == 1}
        self._modules: dict[Program, _Module | None] = {}
        self._parts: dict[int, ProgramParts] = {}  # by the id of the program's attachment
        self._files: dict[int, int] = {}  # by track
        self._kernels: dict[tuple[int, int, str, str], OperationMetadata] = {}  # of streams that run the same
        # While the run is indexed it has no programs yet: nothing is cached then.
        self._kept = _KEPT.get(reader) or _KEPT.keep(reader, _Kept())
        self._damage: dict[Program, str] = {}
        self.names: dict[str, str] = {}
        self.notes: list[str] = []

    def _file_of(self, track: int) -> int:
        """The file of the run that a track is from."""
        if track not in self._files:
            self._files[track] = self._reader.file_of(track)
        return self._files[track]

    def metadata(self, track: int, kind: OperationKind) -> Interruptible[OperationMetadata]:
        """Metadata of a kind of operations of a track: of the instruction that they run, or else of the kernel."""
        file, (program, name) = self._file_of(track), kind.instruction
        if not name:
            return self._kernel(file, kind)
        key = file, program, name
        instruction = self._kept.instructions.get(key)
        if instruction is None:
            instruction = yield from self._instruction(file, kind, program, name)
            self._kept.count(
                instruction.metadata.expression, instruction.metadata.source_stack, instruction.metadata.shape
            )
            self._kept.instructions[key] = instruction
        self.names[program] = instruction.label
        self._note(instruction.note)
        return instruction.metadata

    def facts(self, operation: Operation) -> Interruptible[InstructionFacts]:
        """Facts of the instruction that an operation runs; empty where no HLO proto has it, or none can be read."""
        metadata, file = operation.metadata, self._file_of(operation.track)
        key = file, metadata.program, metadata.name, self._is_gpu
        facts = self._kept.facts.get(key)
        if facts is None:
            program = self._programs.get((file, metadata.program))
            module = None if program is None else (yield from self._module_with(program, metadata))
            if module is not None and metadata.name in module.within:
                facts = module.facts(metadata.name)
            else:
                facts = InstructionFacts({}, (), note="" if program is None else self._damage.get(program, ""))
            self._kept.count(*(part.expression for part in facts.parts))
            self._kept.facts[key] = facts
        self._note(facts.note)
        return facts

    def _note(self, note: str) -> None:
        if note and note not in self.notes:
            self.notes.append(note)

    def _kernel(self, file: int, kind: OperationKind) -> OperationMetadata:
        category = COPY if "memcpy_details" in kind.stats else KERNEL
        key = file, kind.metadata, category, str(kind.stats.get("tf_op", ""))
        metadata = self._kernels.get(key)
        if metadata is None:
            name = kernel_kind_name(self._reader, file, kind)
            metadata = self._kernels[key] = _plain("", name, category, key[-1])
        return metadata

    def _instruction(self, file: int, kind: OperationKind, program: str, name: str) -> Interruptible[_Instruction]:
        module_name = kind.module_name
        match = self._programs.get((file, program)) or self._by_name.get((file, program))
        match = match or self._by_name.get((file, module_name))
        plain = _plain(program, name, "", str(kind.stats.get("tf_op", "")))
        if match is None:
            label = f"{module_name}({program})" if module_name and module_name != program else program
            return _Instruction(plain, label, f"{label} has no HLO proto: what its instructions compute is not known")
        module = yield from self._module(match)
        if module is None:
            return _Instruction(plain, match.label, self._damage[match])
        return _Instruction(module.metadata(program, name) if name in module.within else plain, match.label, "")

    def _module(self, program: Program) -> Interruptible[_Module | None]:
        if program not in self._modules:
            try:
                self._modules[program] = _Module((yield from hlo_module(self._reader, program)), is_gpu=self._is_gpu)
            except HloDamage as damage:
                self._modules[program] = None
                self._damage[program] = str(damage)
        return self._modules[program]

    def _module_with(self, program: Program, metadata: OperationMetadata) -> Interruptible[_Module | None]:
        """That of a program, or a part of it with an instruction, and the operands that its expression names."""
        if self._is_gpu or (self._modules and program in self._modules):
            return (yield from self._module(program))
        try:
            parts = self._parts.get(program.entry.id)
            if parts is None:
                parts = self._parts[program.entry.id] = yield from program_parts(self._reader, program)
        except HloDamage as damage:
            self._damage[program] = str(damage)
            return None
        try:
            part = yield from parts.part(metadata.name, _NAMES.findall(metadata.expression))
        except HloDamage as damage:
            self._damage[program] = f"{left_out_words(program)}: {damage}"
            return None
        return None if part is None else _Module(part, is_gpu=False)


class _Module:
    """A program, whose instructions are found by name."""

    def __init__(self, module: HloModule, *, is_gpu: bool) -> None:
        self.module = module
        self.costs = Costs(module, is_gpu=is_gpu)
        self.within = module.within

    def metadata(self, program: str, name: str) -> OperationMetadata:
        within, instruction = self.within[name]
        cost = self.costs.of(instruction, within)
        ways = (
            Traffic(Memory.HBM, False, cost.read - cost.host_read),
            Traffic(Memory.HBM, True, cost.written - cost.host_written),
        )
        return OperationMetadata(
            program=program,
            symbol=instruction.id,
            name=name,
            expression=expression(self.module, within, instruction),
            category=category(instruction),
            framework=f"{instruction.op_name}:{instruction.op_type}" if instruction.op_name else "",
            flops=cost.flops if cost.is_known else None,
            model_flops=cost.flops if cost.is_known else None,
            bytes=cost.bytes if cost.is_known else None,
            traffic=ways if cost.is_known else (),
            source=self.module.source(instruction),
            source_stack=self.module.source_stack(instruction),
            shape=instruction.shape.text,
            duplicate_of=instruction.duplicate_of,
        )

    def facts(self, name: str) -> InstructionFacts:
        within, instruction = self.within[name]
        parts = [
            FusedPart(
                part.name,
                flops,
                expression(self.module, self.within[part.name][0], part),
                part.op_name,
                self.module.source(part),
                part.shape.text,
                matrix_use(self.module, self.within[part.name][0], part),
            )
            for part, flops in self.costs.fused(instruction)[:_MOST_PARTS]
        ]
        use = matrix_use(self.module, within, instruction)
        return InstructionFacts(meanings(self.module, instruction), parts, use)


_MOST_PARTS: Final = 1000

_NAMES: Final = re.compile(r"%([\w.-]+)")  # of instructions in an expression, and of computations


def _plain(program: str, name: str, category: str, framework: str) -> OperationMetadata:
    """Metadata of an operation of which the trace gives no more than a name."""
    return OperationMetadata(
        program=program,
        symbol=0,
        name=name,
        expression=name,
        category=category,
        framework=framework,
        flops=None,
        model_flops=None,
        bytes=None,
        traffic=(),
        source="",
        source_stack="",
        shape="",
        duplicate_of="",
    )
