"""What lies around an instruction: by a plain search over all edges of a program in which some parts are open."""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from tests.hlo_protos import computation, hlo_proto, instruction, shape
from tilescope.tiler.facts.hlo import HloModule, Instruction
from tilescope.tiler.facts.hlo.neighbourhood import ProgramGraph
from tilescope.tiler.facts.hlo.parsing import parse_module
from tilescope.tiler.query import finish

F = shape("f32", 4)


def random_module(rng: random.Random) -> HloModule:
    """Computations that call those before them, as fusions, loops, conditionals and calls do, each by one caller."""
    made: list[bytes] = []
    free: list[tuple[int, int]] = []  # id and number of parameters of computations without a caller
    number = 0
    count = rng.randrange(1, 7)
    for place in range(1, count + 1):
        parts: list[bytes] = []
        ids: list[int] = []
        parameters = rng.randrange(1, 4)
        for at in range(parameters + rng.randrange(1, 9)):
            number += 1
            operands = [rng.choice(ids) for _ in range(rng.randrange(1, 4))] if ids else []
            if at < parameters:
                parts.append(instruction(number, f"p.{number}", "parameter", F, parameter_number=at))
            elif free and rng.random() < 0.5:
                called, expected = free.pop(rng.randrange(len(free)))
                opcode, wanted, bodies = "fusion", expected, [called]
                if rng.random() < 0.3:
                    opcode, wanted = "while", 1
                    if free:
                        bodies.append(free.pop()[0])
                elif rng.random() < 0.3:
                    opcode, wanted = "conditional", 2
                    if free:
                        bodies.append(free.pop()[0])
                        wanted = 3
                operands = [rng.choice(ids) for _ in range(wanted)]
                parts.append(
                    instruction(number, f"{opcode}.{number}", opcode, F, *operands, called_computation_ids=bodies)
                )
            else:
                parts.append(instruction(number, f"add.{number}", "add", F, *operands))
            ids.append(number)
        made.append(computation(place, f"c{place}", *parts, root=ids[-1]))
        free.append((place, parameters))
    return finish(parse_module(hlo_proto("m", *made)))


class Flat:
    """All edges of a program in which some instructions are open: made whole, and searched."""

    def __init__(self, module: HloModule, start: Instruction, opened: set[int]) -> None:
        self.home = {of.id: one for one in module.computations.values() for of in one.instructions.values()}
        self.module = module
        self.opened = opened | self._around(start)
        self.edges: set[tuple[int, int]] = set()
        for of in module.by_id.values():
            for place, operand in enumerate(of.operands):
                targets = self._parameters(of, place) if of.id in self.opened else [of.id]
                self.edges |= {(source, target) for source in self.ends(operand) for target in targets}
        callers = {called: of.id for of in module.by_id.values() for called in of.called}
        # Only what is in the program's own computation or in an open one is drawn.
        drawn = {of for of in self.home if self._is_drawn(of, callers, self.home[start.id].id)}
        self.edges = {(source, target) for source, target in self.edges if {source, target} <= drawn}

    def _around(self, start: Instruction) -> set[int]:
        found: set[int] = set()
        here = self.home[start.id].id
        while True:
            callers = [of for of in self.module.by_id.values() if here in of.called]
            if not callers:
                return found
            found.add(callers[0].id)
            here = self.home[callers[0].id].id

    def _is_drawn(self, of: int, callers: dict[int, int], start: int) -> bool:
        here = self.home[of].id
        while here in callers:
            if callers[here] not in self.opened:
                return False
            here = self.home[callers[here]].id
        top = start
        while top in callers:
            top = self.home[callers[top]].id
        return here == top

    def ends(self, of: int) -> list[int]:
        if of not in self.opened:
            return [of]
        called = self.module.by_id[of].called
        valued = called[:1] if self.module.by_id[of].opcode == "while" else called
        return [end for one in valued for end in self.ends(self.module.computations[one].root)]

    def _parameters(self, of: Instruction, place: int) -> list[int]:
        found = []
        for at, called in enumerate(of.called):
            for inner in self.module.computations[called].instructions.values():
                if inner.opcode != "parameter":
                    continue
                wanted = {"while": 0, "conditional": at + 1}.get(of.opcode, inner.parameter_number)
                if wanted == place:
                    found.append(inner.id)
        return found

    def around(self, starts: list[int], distance: int) -> dict[int, int]:
        beside = defaultdict(set)
        for source, target in self.edges:
            beside[source].add(target)
            beside[target].add(source)
        found = dict.fromkeys(starts, 0)
        last = set(starts)
        for away in range(1, distance + 1):
            last = {other for of in last for other in beside[of]} - found.keys()
            found |= dict.fromkeys(last, away)
        return found


@pytest.mark.parametrize("seed", range(150))
def test_as_a_search_over_all_edges(seed: int) -> None:
    rng = random.Random(seed)
    module = random_module(rng)
    graph = ProgramGraph(module)
    assert graph.edges == sum(len(of.operands) for of in module.by_id.values())
    for _ in range(8):
        start = rng.choice(list(module.by_id.values()))
        callers = [of.id for of in module.by_id.values() if of.called]
        opened = {of for of in callers if rng.random() < 0.5}
        distance = rng.randrange(1, 6)
        flat = Flat(module, start, opened)
        near = graph.around(start, distance, opened, 10_000)
        wanted = flat.around(flat.ends(start.id), distance)
        assert {of.instruction.id: of.distance for of in near.nodes} == wanted
        assert set(near.edges) == {(a, b) for a, b in flat.edges if {a, b} <= wanted.keys()}
        assert len(near.edges) == len(set(near.edges))
        assert not near.is_cut
        frames = {of.instruction.id: of.frame for of in near.frames}
        for of in near.nodes:
            assert of.frame == 0 or of.computation.id in module.by_id[of.frame].called
            assert of.frame in {0, *frames}
        assert frames.keys() <= flat.opened


def test_the_nearest_are_kept_under_a_limit() -> None:
    chain = [instruction(1, "p", "parameter", F), *(instruction(k, f"a.{k}", "add", F, k - 1) for k in range(2, 60))]
    graph = ProgramGraph(finish(parse_module(hlo_proto("m", computation(1, "main", *chain, root=59)))))
    near = graph.around(graph.module.by_id[30], 10, frozenset(), 7)
    assert near.is_cut
    assert len(near.nodes) == 7
    assert max(of.distance for of in near.nodes) == 3
