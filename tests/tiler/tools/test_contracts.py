"""What tools declare of their figures holds: of whole runs, spans, steps and tracks, real and made."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tests.examples import examples
from tests.tiler.json_traces import busy_events, write_trace
from tests.tiler.tools.contract_checks import Checks
from tests.tpu_trace import random_core, random_gpu
from tests.tpu_trace import write_trace as write_xspace
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Scope, SpanQuestion, ask, from_values, tool, tools, values_of
from tilescope.tiler.tools.contract import NOTHING_PROMISED
from tilescope.tiler.tools.step_range import StepRange

pytestmark = pytest.mark.slow

CORPUS = (
    pytest.param("xplane/tpu_v6e_4core.xplane.pb", marks=pytest.mark.deep),
    pytest.param("xplane/gpu_v100x8_bert.xplane.pb", marks=pytest.mark.deep),
    pytest.param("xplane/h100_jax_train.xplane.pb", marks=pytest.mark.deep),
    pytest.param("pod/plugins/profile/synthetic/tpu-pod-w-1.xplane.pb", marks=pytest.mark.deep),
    pytest.param("kineto/h100_gpt_stack.pt.trace.json.gz", marks=pytest.mark.deep),
    "kineto/mi250_minitoy.json.gz",
    "chrome/instance_counters.json",
)

PARTS = 3  # of a span
SPANS = 2  # of each run, beside the whole


def texts_of(reader: QueryReader) -> dict[str, list[str]]:
    """What is looked for: the two names on which most time goes, and what many names match."""
    answer = finish(ask(tool("stats"), Scope(reader), from_values(tool("stats").question, {"limit": 2})))
    names = [str(name) for name in values_of(answer.table("names").column("name"))]
    return {"query": [*(f'"{name}"' for name in names if '"' not in name and "\\" not in name), "/e/"], "text": names}


def check_all(reader: QueryReader, rng: random.Random) -> Checks:
    """Asks whole, in spans that are cut into parts, in steps, and of some of the tracks."""
    checks = Checks(reader, texts_of(reader))
    end = reader.end + 1
    leaves = reader.tree.leaves(None)
    some = sorted(rng.sample(leaves, (len(leaves) + 1) // 2))
    others = sorted(set(leaves) - set(some))
    group_of = {track: reader.tree.tracks[track].group for track in leaves}
    groups = set(rng.sample(sorted(set(group_of.values())), (len(set(group_of.values())) + 1) // 2))
    of_groups = [track for track in leaves if group_of[track] in groups]
    spans = [(0, end), *(sorted(rng.sample(range(end + 1), 2)) for _ in range(SPANS))]
    for start, stop in spans:
        span = {"start": start, "end": stop}
        cuts = sorted({start, stop, *(rng.randrange(start, stop + 1) for _ in range(PARTS - 1))})
        parts = [{"start": a, "end": b} for a, b in pairwise(cuts)]
        checks.whole(span)
        checks.whole({**span, "tracks": of_groups})
        for tracks in ({}, {"tracks": some}):
            checks.added({**span, **tracks}, [{**part, **tracks} for part in parts])
        checks.added({**span, "tracks": leaves}, [{**span, "tracks": of} for of in (some, others)], by_track=True)
    numbers = reader.steps.numbers.tolist()
    if numbers:
        first, last = sorted((rng.choice(numbers), rng.choice(numbers)))
        steps = {"steps": f"{first}-{last}"}
        each = [{"steps": str(number)} for number in numbers if first <= number <= last]
        checks.whole(steps)
        apart = [track for track in leaves if _ticks(reader, track, [steps]) == _ticks(reader, track, each)]
        checks.added({**steps, "tracks": apart}, [{**step, "tracks": apart} for step in each])
    return checks


def _ticks(reader: QueryReader, track: int, asked: Sequence[Mapping[str, str]]) -> int:
    """How long the windows of all these steps are on a track: those of several overlap where steps do."""
    questions = [SpanQuestion(steps=StepRange.parse(steps["steps"])) for steps in asked]
    return sum(finish(Scope(reader).windows(question)).of(track).ticks for question in questions)


@contextmanager
def opened(trace: Path, store: Path) -> Iterator[QueryReader]:
    """The reader of a run, built."""
    build_store([trace], store)
    run = open_run_store(store)
    try:
        yield QueryReader(run)
    finally:
        run.close()


@pytest.mark.parametrize("name", CORPUS)
def test_figures_of_real_runs_keep_to_the_contracts(tmp_path: Path, name: str) -> None:
    with opened(corpus_path(name), tmp_path / "store") as reader:
        checks = check_all(reader, random.Random(name))
        assert checks.checked["stats", "added"]
        assert checks.checked["search", "lists"]


@settings(max_examples=examples(8), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1))
def test_figures_of_devices_keep_to_the_contracts(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    """Whose clocks are not the timeline's, with instructions that say what they compute and move."""
    folder, rng = tmp_path_factory.mktemp("devices"), random.Random(seed)
    some = range(rng.randrange(1, 4))
    planes = [random_core(rng, number) if rng.random() < 0.8 else random_gpu(rng, number) for number in some]
    if len({plane.find(b"TPU") < 0 for plane in planes}) > 1:
        planes = planes[:1]  # no host has both
    with opened(write_xspace(folder / "devices.xplane.pb", planes), folder / "store") as reader:
        checks = check_all(reader, rng)
        assert checks.checked["hlo_stats", "added"]


@settings(max_examples=examples(6), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**32 - 1))
def test_figures_of_threads_keep_to_the_contracts(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    folder, rng = tmp_path_factory.mktemp("threads"), random.Random(seed)
    events = busy_events(seed, threads=rng.randrange(1, 4), calls=rng.randrange(1, 400))
    with opened(write_trace(folder / "threads.json", events), folder / "store") as reader:
        check_all(reader, rng)


def test_tools_that_are_asked_of_spans_promise_something() -> None:
    """Or else there is no figure in their answers: lists of events, and what is drawn."""
    silent = {
        each.id
        for each in tools().values()
        if issubclass(each.question, SpanQuestion) and each.contract == NOTHING_PROMISED
    }
    assert silent == {"events", "pod"}
