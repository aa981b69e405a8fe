"""Instructions around one of a program: those that make its operands, and users of its value.

Values flow through instructions that run others, which are open or closed. A closed one is one node. An open one is a
frame around the instructions that it runs: its operands lead to their parameters, and its users come from their roots.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Set
from dataclasses import dataclass
from typing import Final

from tilescope.tiler.facts.hlo.module import Computation, HloModule, Instruction

_WHILE: Final = "while"
_CONDITIONAL: Final = "conditional"
_NODE_BYTES: Final = 150  # of an instruction, or an operand of one


@dataclass(frozen=True, slots=True)
class NearNode:
    """An instruction near another one. `frame`: id of the open one that it lies in, 0: none."""

    instruction: Instruction
    computation: Computation
    distance: int
    frame: int


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """`edges`: ids of an instruction and of one that uses its value. `is_cut`: there was more than the limit."""

    nodes: list[NearNode]
    edges: list[tuple[int, int]]
    frames: list[NearNode]  # the open ones around them, outer ones first
    is_cut: bool


class ProgramGraph:
    """Users of values in a program: made once for many questions."""

    def __init__(self, module: HloModule) -> None:
        self.module = module
        self.computation_of: dict[int, Computation] = {}
        self._users: dict[int, list[int]] = defaultdict(list)
        self.callers: dict[int, list[int]] = defaultdict(list)  # of a computation, by its id
        self.edges = 0
        for computation in module.computations.values():
            for instruction in computation.instructions.values():
                self.computation_of[instruction.id] = computation
                self.edges += len(instruction.operands)
                for operand in dict.fromkeys(instruction.operands):
                    self._users[operand].append(instruction.id)
                for called in instruction.called:
                    self.callers[called].append(instruction.id)

    @property
    def size_bytes(self) -> int:
        """About what it takes, with the program, which it keeps in memory when the cache of programs has evicted it."""
        return (len(self.computation_of) + self.edges) * _NODE_BYTES + self.module.size_bytes

    def around(self, start: Instruction, distance: int, opened: Set[int], limit: int) -> Neighbourhood:
        """Instructions at most `distance` edges away, the nearest first; `opened`: ids of those that are to be open.

        What runs the computation that `start` is in is open, too: the first one, where several do.
        """
        flow = _Flow(self, opened, self._around(start))
        distance_of = dict.fromkeys(flow.inside(start.id) if start.id in flow.opened else [start.id], 0)
        waiting, is_cut = deque(distance_of), False
        while waiting and not is_cut:
            number = waiting.popleft()
            if distance_of[number] == distance:
                continue
            for other in (*flow.sources(number), *flow.targets(number)):
                if other not in distance_of:
                    if len(distance_of) >= limit:
                        is_cut = True
                        break
                    distance_of[other] = distance_of[number] + 1
                    waiting.append(other)
        edges = [(source, target) for target in distance_of for source in flow.sources(target) if source in distance_of]
        nodes = [self._node(flow, number, away) for number, away in distance_of.items()]
        frames = {frame for node in nodes for frame in flow.frames(node.instruction.id)}
        around = [
            self._node(flow, frame, 0)
            for frame in sorted(frames, key=lambda frame_id: len(list(flow.frames(frame_id))))
        ]
        return Neighbourhood(nodes, list(dict.fromkeys(edges)), around, is_cut)

    def users(self, instruction_id: int) -> list[int]:
        """Ids of the instructions of its computation that have it as an operand."""
        return self._users.get(instruction_id, [])

    def _node(self, flow: _Flow, instruction_id: int, distance: int) -> NearNode:
        return NearNode(
            self.module.by_id[instruction_id],
            self.computation_of[instruction_id],
            distance,
            next(flow.frames(instruction_id), 0),
        )

    def _around(self, instruction: Instruction) -> dict[int, int]:
        """Caller of each computation around an instruction, by id."""
        callers_around: dict[int, int] = {}
        computation = self.computation_of[instruction.id]
        while callers := self.callers.get(computation.id):
            callers_around[computation.id] = callers[0]
            computation = self.computation_of[callers[0]]
        return callers_around


class _Flow:
    """Edges of values, with some instructions open."""

    def __init__(self, graph: ProgramGraph, opened: Set[int], around: dict[int, int]) -> None:
        self._graph = graph
        self._by_id = graph.module.by_id
        self._computations = graph.module.computations
        # A computation that several run is drawn in one of them.
        self._caller = dict(around)
        for instruction_id in (*around.values(), *sorted(opened)):
            for called in self._by_id[instruction_id].called if instruction_id in self._by_id else ():
                self._caller.setdefault(called, instruction_id)
        self.opened = frozenset(self._caller.values())

    def frames(self, instruction_id: int) -> Iterator[int]:
        """The open instructions around one, innermost first."""
        caller = self._caller.get(self._graph.computation_of[instruction_id].id)
        while caller is not None:
            yield caller
            caller = self._caller.get(self._graph.computation_of[caller].id)

    def inside(self, instruction_id: int) -> list[int]:
        """The ends of values in an open instruction, in those in it if they are open as well."""
        caller = self._by_id[instruction_id]
        valued = [
            computation for computation in self._drawn(instruction_id) if self._gives_value(caller, computation.id)
        ]
        return [end for computation in valued for end in self._end(computation.root)] or [instruction_id]

    def sources(self, instruction_id: int) -> list[int]:
        """Sources of the operands of an instruction."""
        instruction = self._by_id[instruction_id]
        if instruction.opcode == "parameter":
            caller = self._caller.get(self._graph.computation_of[instruction_id].id)
            operand = None if caller is None else self._operand(self._by_id[caller], instruction)
            return [] if operand is None else self._end(operand)
        return list(dict.fromkeys(end for operand in instruction.operands for end in self._end(operand)))

    def targets(self, instruction_id: int) -> list[int]:
        """Instructions to which its value goes."""
        targets = [begin for user in self._graph.users(instruction_id) for begin in self._begin(user, instruction_id)]
        computation = self._graph.computation_of[instruction_id]
        caller = self._caller.get(computation.id)
        if (
            caller is not None
            and computation.root == instruction_id
            and self._gives_value(self._by_id[caller], computation.id)
        ):
            targets += self.targets(caller)
        return list(dict.fromkeys(targets))

    def _end(self, instruction_id: int) -> list[int]:
        """Sources of the value of an instruction: itself, or the roots of what it runs."""
        return self.inside(instruction_id) if instruction_id in self.opened else [instruction_id]

    def _begin(self, user: int, operand: int) -> list[int]:
        """Targets of an operand of a user: itself, or the parameters of what it runs."""
        if user not in self.opened:
            return [user]
        instruction = self._by_id[user]
        return [
            inner.id
            for computation in self._drawn(user)
            for inner in computation.instructions.values()
            if inner.opcode == "parameter" and self._operand(instruction, inner) == operand
        ]

    def _drawn(self, instruction_id: int) -> list[Computation]:
        """The computations that are drawn in an open instruction."""
        called = dict.fromkeys(self._by_id[instruction_id].called)
        return [
            self._computations[computation_id]
            for computation_id in called
            if self._caller.get(computation_id) == instruction_id
        ]

    def _gives_value(self, caller: Instruction, computation_id: int) -> bool:
        """True if the value of a caller is that of this computation: a loop's condition has another one."""
        return caller.opcode != _WHILE or caller.called[:1] == (computation_id,)

    def _operand(self, caller: Instruction, parameter: Instruction) -> int | None:
        """The operand of a caller that is a parameter of what it runs."""
        called = self._graph.computation_of[parameter.id].id
        if caller.opcode == _WHILE:
            place = 0
        elif caller.opcode == _CONDITIONAL:
            place = 1 + caller.called.index(called)
        else:
            place = parameter.parameter_number
        return caller.operands[place] if 0 <= place < len(caller.operands) else None
