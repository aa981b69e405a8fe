"""Steps of TPU cores, compared with plain Python and with what the generator of the pod run knows."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.tiler.readers import wire_writer
from tests.tpu_trace import Instruction, Run, in_order, parents, plane, write_trace
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.facts.step_times import StepPart, StepTimes, aligned, run_step_times
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import EVERYTHING, QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.windows import Windows, everywhere

CATEGORIES = {
    "all-reduce": StepPart.ALL_REDUCE_COMPUTE,
    "infeed": StepPart.INFEED,
    "convolution fusion": StepPart.HIGH_FLOPS,
    "loop fusion": StepPart.LOW_FLOPS,
    "send-done": StepPart.SEND,
    "recv": StepPart.RECV,
    "outfeed": StepPart.OUTFEED,
    "all-gather": StepPart.COLLECTIVES,
    "all-reduce fusion": StepPart.ALL_REDUCE_COMPUTE,
}
REDUCES = (0, 8)  # instructions, each with ids of its own
STEPS = 4
Core = tuple[list[Run], list[Run]]  # steps and operations


def instructions(lists: Mapping[int, str] | None = None) -> list[Instruction]:
    """`lists`: of devices that reduce together, by instruction."""
    texts = {k: f"%op.{k} = f32[] all-reduce(%x), replica_groups={text}" for k, text in (lists or {}).items()}
    found = [
        Instruction(f"op.{k}", {"program_id": 7, "symbol_id": k + 1, "hlo_category": category}, texts.get(k, ""))
        for k, category in enumerate(CATEGORIES)
    ]
    return [*found, *(Instruction(f"train {10 + step}") for step in range(STEPS))]


@st.composite
def cores(draw: st.DrawFn) -> Core:
    """Steps with gaps between them, and operations that may lie in another, or across borders."""
    at = draw(st.integers(0, 9))
    steps: list[Run] = []
    for step in range(STEPS):
        length = draw(st.integers(0, 40))
        steps.append(Run(len(CATEGORIES) + step, at, length, (at + 1000, draw(st.integers(0, 90)))))
        at += length + draw(st.integers(0, 5))
    runs: list[Run] = []
    begin = 0
    while begin < at and len(runs) < 30:
        length = draw(st.integers(0, 25))
        of = draw(st.integers(0, len(CATEGORIES) - 1))
        ids = st.one_of(st.none(), st.integers(0, 2) if of != REDUCES[1] else st.integers(3, 5))
        runs.append(Run(of, begin, length, (begin + 1000, length), reduce=draw(ids)))
        if length > 3 and draw(st.booleans()):
            inner = draw(st.integers(0, length - 2))
            runs.append(Run(draw(st.integers(1, 7)), begin + 1, inner, (begin + 1001, inner)))
        begin += length + draw(st.integers(0, 4))
    return steps, runs


def until(run: Run, tick: int) -> int:
    """What of a run's time on the device lies before a tick."""
    if not run.duration:
        return run.taken if run.start < tick else 0
    return run.taken * min(max(tick - run.start, 0), run.duration) // run.duration


def within(run: Run, start: int, stop: int) -> int:
    return until(run, stop) - until(run, start) if stop > start else 0


class Plain:
    """Cores, one operation at a time; `lacking`: how many of the first steps each was not recorded for.

    `groups`: of each core, by instruction that reduces; they are all one where it has none.
    """

    def __init__(
        self, cores: Sequence[Core], lacking: Sequence[int], groups: Mapping[int, Sequence[int]] | None = None
    ) -> None:
        self.cores = [(steps, in_order(runs), parents(in_order(runs))) for steps, runs in cores]
        self.lacking = lacking
        self.groups = groups or {}
        self.least: dict[tuple[int, int, int], int] = {}
        for core in range(len(cores)):
            for step in range(lacking[core], STEPS):
                one = self.cores[core][0][step]
                for id_, ps in self.reduces(core, step, one.end).items():
                    key = step, id_, self.group(core, id_)
                    self.least[key] = min(self.least.get(key, ps), ps)

    def group(self, core: int, id_: int) -> int:
        of_cores = self.groups.get(REDUCES[id_ // 3])
        return 0 if of_cores is None else of_cores[core]

    def reduces(self, core: int, step: int, tick: int) -> Counter[int]:
        steps, runs, _ = self.cores[core]
        found: Counter[int] = Counter()
        for run in runs:
            if run.reduce is not None and run.instruction in REDUCES and self.shares(run, steps[step].start, tick):
                found[run.reduce] += within(run, steps[step].start, tick)
        return found

    @staticmethod
    def shares(run: Run, start: int, stop: int) -> bool:
        """Whether it has a tick of a window, or starts in it."""
        return run.start < stop and (run.end > start or run.start >= start) and stop > start

    def parts_until(self, core: int, step: int, tick: int) -> Counter[StepPart]:
        steps, runs, around = self.cores[core]
        start, found = steps[step].start, Counter[StepPart]()
        of = list(CATEGORIES.values())
        for run, parent in zip(runs, around, strict=True):
            ps = within(run, start, tick)
            found[of[run.instruction]] += ps
            if parent is not None:
                found[of[runs[parent].instruction]] -= ps
        whole = self.reduces(core, step, steps[step].end)
        sync = sum(
            min(ps, whole[id_] - self.least[step, id_, self.group(core, id_)])
            for id_, ps in self.reduces(core, step, tick).items()
        )
        sync = min(sync, max(found[StepPart.ALL_REDUCE_COMPUTE], 0))
        if step < max(self.lacking):
            found[StepPart.ALL_REDUCE_UNSPLIT] = found.pop(StepPart.ALL_REDUCE_COMPUTE, 0)
        else:
            found[StepPart.ALL_REDUCE_SYNC] += sync
            found[StepPart.ALL_REDUCE_COMPUTE] -= sync
        found[StepPart.IDLE] = within(steps[step], start, tick) - found.total()
        return found

    def parts(self, core: int, step: int, start: int, stop: int) -> Counter[StepPart]:
        one = self.cores[core][0][step]
        found = self.parts_until(core, step, min(stop, one.end))
        found.subtract(self.parts_until(core, step, max(start, one.start)))
        return found


def asked(reader: QueryReader, windows: Windows) -> list[StepTimes]:
    return finish(run_step_times(reader, reader.steps, reader.tree.leaves(None), everywhere(windows)))


def row(times: StepTimes, at: int) -> dict[StepPart, int]:
    return {part: int(ps[at]) for part, ps in times.parts.items() if ps[at]}


NOTHING_LASTS = [Run(len(CATEGORIES) + step, 0, step // 3, (1000, 0)) for step in range(STEPS)]

# The longer of those that begin at one tick is stored first: its number is no sign that numbers start again.
AT_ONCE = [Run(len(CATEGORIES) + step, 0, 0, (1000, 0)) for step in range(STEPS)]
BEGIN_TOGETHER = [
    *AT_ONCE[: STEPS - 2],
    Run(len(CATEGORIES) + STEPS - 2, 0, 1, (1000, 0)),
    Run(len(CATEGORIES) + STEPS - 1, 1, 1, (1001, 0)),
]


def listed(groups: Sequence[int], devices: Sequence[int]) -> str:
    """The list of groups of cores, by the numbers of their devices."""
    members = [[device for device, own in zip(devices, groups, strict=True) if own == group] for group in set(groups)]
    return "{" + ",".join("{" + ",".join(map(str, ids)) + "}" for ids in members) + "}"


def reducing(*lengths: int) -> Core:
    """Steps of 40 ps, with the same all-reduces of both instructions in each."""
    steps = [Run(len(CATEGORIES) + step, 40 * step, 40, (1000 + 40 * step, 40)) for step in range(STEPS)]
    return steps, [
        Run(instruction, 40 * step + 20 * place, length, (1000 + 40 * step + 20 * place, length), reduce=3 * place)
        for step in range(STEPS)
        for place, (instruction, length) in enumerate(zip(REDUCES, lengths, strict=True))
    ]


@settings(max_examples=examples(60), deadline=None)
@example(
    of=[reducing(2, 12), reducing(7, 3), reducing(9, 5)],
    lacking=[0, 0, 0],
    cut=50,
    groups={REDUCES[0]: [0, 1, 1], REDUCES[1]: [0, 1, 0]},
    devices=[1, 2, 0],
)
@example(of=[(NOTHING_LASTS, [])], lacking=[0, 0, 0], cut=0, groups={}, devices=[0, 1, 2])
@example(
    of=[(AT_ONCE, []), (BEGIN_TOGETHER, [Run(0, 0, 2, (1000, 2))])],
    lacking=[0, 0, 0],
    cut=0,
    groups={},
    devices=[0, 1, 2],
)
@given(
    of=st.lists(cores(), min_size=1, max_size=3),
    lacking=st.lists(st.sampled_from((0, 0, 1, 2)), min_size=3, max_size=3),
    cut=st.integers(0, 150),
    groups=st.dictionaries(st.sampled_from(REDUCES), st.lists(st.integers(0, 1), min_size=3, max_size=3)),
    devices=st.permutations(range(3)),
)
def test_parts_of_steps_in_any_window(
    of: list[Core], lacking: list[int], cut: int, groups: dict[int, list[int]], devices: list[int]
) -> None:
    groups = {instruction: of_cores[: len(of)] for instruction, of_cores in groups.items()}
    devices = [device for device in devices if device < len(of)]
    lists = {instruction: listed(of_cores, devices) for instruction, of_cores in groups.items()}
    lacking = lacking[: len(of)]
    lacking[0] -= min(lacking)  # some core has each step
    with TemporaryDirectory() as folder:
        planes = [
            plane(
                f"/device:TPU:{k}",
                instructions(lists),
                {"Steps": steps[lacking[k] :], "XLA Ops": [Run(1, 0, 1, (1000, 1)), *runs]},
                {"core_details": wire_writer.number(5, k) + wire_writer.number(6, devices[k])},
            )
            for k, (steps, runs) in enumerate(of)
        ]
        build_store([write_trace(Path(folder) / "run.xplane.pb", planes)], Path(folder) / "store")
        store = open_run_store(Path(folder) / "store")
        reader = QueryReader(store)
        plain = Plain([(steps, [Run(1, 0, 1, (1000, 1)), *runs]) for steps, runs in of], lacking, groups)
        origin = min(min(run.start for run in [*steps, *runs, Run(0, 0, 0)]) for steps, runs in of)
        assert origin == 0
        sums = []
        for start, stop in ((0, 1 << 30), (0, cut), (cut, 1 << 30)):
            found = asked(reader, Windows.single(start, stop))
            total: Counter[StepPart] = Counter()
            for times in found:
                core = [core.group for core in tpu_cores(reader)].index(times.group)
                for at, number in enumerate(times.number.tolist()):
                    expected = plain.parts(core, number - 10, start, stop)
                    assert row(times, at) == {part: ps for part, ps in expected.items() if ps}
                    assert sum(row(times, at).values()) == times.duration[at]
                    assert sum(int(ps[at]) for ps in times.classes.values()) == times.duration[at]
                    total.update(row(times, at))
            sums.append(total)
        whole, first, second = sums
        first.update(second)
        assert {part: ps for part, ps in first.items() if ps} == {part: ps for part, ps in whole.items() if ps}
        store.close()


@pytest.fixture(scope="module")
def pod(tmp_path_factory: pytest.TempPathFactory) -> QueryReader:
    path = tmp_path_factory.mktemp("pod") / "store"
    build_store(sorted(corpus_path("pod").rglob("*.xplane.pb")), path)
    return QueryReader(open_run_store(path))


def truth() -> Any:
    return json.loads(gzip.decompress(corpus_path("pod/truth.json.gz").read_bytes()))


def test_a_pod_as_its_generator_knows_it(pod: QueryReader) -> None:
    found = asked(pod, EVERYTHING)
    steps = aligned(found)
    known = truth()["steps"]
    assert steps.number.tolist() == [step["step"] for step in known]
    assert (steps.rows == [[at] * 16 for at in range(6)]).all()
    for at, step in enumerate(known):
        for times, core in zip(found, step["cores"].values(), strict=True):
            of, category = row(times, at), Counter(core["category"])
            assert times.duration[at] == core["duration"]
            assert of[StepPart.IDLE] == core["idle"]
            assert (of[StepPart.ALL_REDUCE_COMPUTE], of[StepPart.ALL_REDUCE_SYNC]) == (
                core["all_reduce"]["compute"],
                core["all_reduce"]["sync"],
            )
            assert of[StepPart.INFEED] == category["infeed"]
            assert of[StepPart.OUTFEED] == category["outfeed"]
            assert of[StepPart.SEND] == category["send"] + category["send-done"]
            assert of[StepPart.RECV] == category["recv"] + category["recv-done"]
            high = category["convolution"] + category["convolution fusion"] + category["output fusion"]
            assert of[StepPart.HIGH_FLOPS] == high
            rest = category.total() - sum(of.values()) + of[StepPart.IDLE] + of[StepPart.LOW_FLOPS]
            assert of[StepPart.LOW_FLOPS] == rest


def test_hosts_that_begin_late_are_told_by_time(tmp_path: Path) -> None:
    names = [*instructions()[:2], Instruction("step")]
    planes = [
        plane(
            f"/device:TPU:{k}",
            names,
            {
                "Steps": [Run(2, 100 * step + k, 90, (100 * step + k, 90)) for step in range(first, 5)],
                "XLA Ops": [Run(0, 100 * step, 10, (100 * step, 10)) for step in range(first, 5)],
            },
        )
        for k, first in enumerate((0, 2, 3))
    ]
    build_store([write_trace(tmp_path / "run.xplane.pb", planes)], tmp_path / "store")
    reader = QueryReader(open_run_store(tmp_path / "store"))
    steps = aligned(asked(reader, EVERYTHING))
    assert steps.shifts == [0, 2, 3]
    assert steps.number.tolist() == [0, 1, 2, 3, 4]
    assert steps.rows.tolist() == [[0, -1, -1], [1, -1, -1], [2, 0, -1], [3, 1, 0], [4, 2, 1]]
