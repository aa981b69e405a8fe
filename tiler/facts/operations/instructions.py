"""What is known of the instructions that kernels of GPUs run: from the HLO protos of the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tilescope.tiler.facts.hlo import HloDamage, HloModule, Program, hlo_module, programs_of
from tilescope.tiler.facts.hlo.costs import Costs
from tilescope.tiler.facts.hlo.expressions import category, expression
from tilescope.tiler.facts.hlo.layouts import meanings
from tilescope.tiler.facts.hlo.module import Computation, Instruction
from tilescope.tiler.facts.operations.metadata import Memory, OperationMetadata, Traffic
from tilescope.tiler.pages.operations import OperationKind
from tilescope.tiler.query import QueryReader, Steps

if TYPE_CHECKING:
    from tilescope.tiler.facts.operations.op_table import Operation

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


class Instructions:
    """Those of the programs of a run. `notes` says of which programs nothing is known, and why."""

    def __init__(self, reader: QueryReader, *, is_gpu: bool = True) -> None:
        self._reader = reader
        self._is_gpu = is_gpu
        self._programs: dict[tuple[int, str], Program] = {}
        by_name: dict[tuple[int, str], list[Program]] = {}
        for program in programs_of(reader):
            self._programs[program.file, program.id] = program
            by_name.setdefault((program.file, program.name), []).append(program)
        self._by_name = {key: found[0] for key, found in by_name.items() if len(found) == 1}
        self._modules: dict[Program, _Module | None] = {}
        self._known: dict[tuple[int, str, str], OperationMetadata] = {}
        self.names: dict[str, str] = {}
        self.notes: list[str] = []

    def metadata(self, track: int, kind: OperationKind, program: str, name: str) -> Steps[OperationMetadata]:
        """Of the operations of a kind, which run an instruction of a program; or none, where it has no name."""
        file = self._reader.store.file_of(track)
        if not name:
            return self._kernel(file, kind)
        key = file, program, name
        if key not in self._known:
            self._known[key] = yield from self._instruction(file, kind, program, name)
        return self._known[key]

    def of_operation(self, operation: Operation) -> Steps[ProgramInstruction | None]:
        """The instruction that an operation runs; None: the run has no HLO proto that can be read and has it."""
        of = operation.metadata
        found = self._programs.get((self._reader.store.file_of(operation.track), of.program))
        module = None if found is None else (yield from self._module(found))
        return None if module is None or of.name not in module.within else ProgramInstruction(module, of.name)

    def _kernel(self, file: int, kind: OperationKind) -> OperationMetadata:
        name = self._kernel_name(file, kind)
        is_copy = "memcpy_details" in kind.stats
        return _plain("", name, COPY if is_copy else KERNEL, str(kind.stats.get("tf_op", "")))

    def _kernel_name(self, file: int, kind: OperationKind) -> str:
        tables = self._reader.store.event_metadata(file)
        if tables is None or kind.metadata < 0:
            return ""
        number = int(tables.name[kind.metadata])
        return self._reader.names[number].text if number >= 0 else tables.entry(kind.metadata).name

    def _instruction(self, file: int, kind: OperationKind, program: str, name: str) -> Steps[OperationMetadata]:
        found = self._programs.get((file, program)) or self._by_name.get((file, program))
        module_name = str(kind.stats.get("hlo_module", ""))
        if found is None:
            found = self._by_name.get((file, module_name))
        label = f"{module_name}({program})" if module_name and module_name != program else program
        self.names[program] = label if found is None else found.label
        if found is not None:
            module = yield from self._module(found)
            if module is not None and name in module.within:
                return module.metadata(program, name)
        elif f"{label} has no HLO proto" not in "\n".join(self.notes):
            self.notes.append(f"{label} has no HLO proto: what its instructions compute is not known")
        return _plain(program, name, "", str(kind.stats.get("tf_op", "")))

    def _module(self, program: Program) -> Steps[_Module | None]:
        if program not in self._modules:
            try:
                self._modules[program] = _Module((yield from hlo_module(self._reader, program)), is_gpu=self._is_gpu)
            except HloDamage as damage:
                self._modules[program] = None
                self.notes.append(str(damage))
        return self._modules[program]


class _Module:
    """A program, whose instructions are found by name."""

    def __init__(self, module: HloModule, *, is_gpu: bool) -> None:
        self.module = module
        self.costs = Costs(module, is_gpu=is_gpu)
        self.within: dict[str, tuple[Computation, Instruction]] = {
            of.name: (computation, of)
            for computation in module.computations.values()
            for of in computation.instructions.values()
        }

    def metadata(self, program: str, name: str) -> OperationMetadata:
        within, of = self.within[name]
        cost = self.costs.of(of, within)
        ways = (
            Traffic(Memory.HBM, False, cost.read - cost.host_read),
            Traffic(Memory.HBM, True, cost.written - cost.host_written),
        )
        return OperationMetadata(
            program=program,
            symbol=of.id,
            name=name,
            expression=expression(self.module, within, of),
            category=category(of),
            framework=f"{of.op_name}:{of.op_type}" if of.op_name else "",
            flops=cost.flops if cost.is_known else None,
            model_flops=cost.flops if cost.is_known else None,
            bytes=cost.bytes if cost.is_known else None,
            traffic=ways if cost.is_known else (),
            source=self.module.source(of),
            source_stack=self.module.source_stack(of),
            shape=of.shape.text,
            duplicate_of=of.duplicate_of,
        )


class ProgramInstruction:
    """One instruction of a program."""

    def __init__(self, module: _Module, name: str) -> None:
        self._of = module
        self._within, self.instruction = module.within[name]

    @property
    def meanings(self) -> dict[int, str]:
        """What the dimensions of its value are."""
        return meanings(self._of.module, self.instruction)

    def parts(self) -> list[FusedPart]:
        """Those of a fusion that compute something, those with the most FLOPs first."""
        return [
            FusedPart(
                one.name,
                flops,
                expression(self._of.module, self._of.within[one.name][0], one),
                one.op_name,
                self._of.module.source(one),
                one.shape.text,
            )
            for one, flops in self._of.costs.fused(self.instruction)[:_MOST_PARTS]
        ]


_MOST_PARTS: Final = 1000


def _plain(program: str, name: str, category: str, framework: str) -> OperationMetadata:
    """Of what the trace gives no more than a name."""
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
