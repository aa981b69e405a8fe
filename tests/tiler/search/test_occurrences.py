"""Counts of events that have words in their arguments, against all arguments one event after the other."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.corpus import corpus_path
from tilescope.tiler.details import chunk
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import decompress
from tilescope.tiler.query import EVERYTHING, ArgumentReader, QueryReader, finish
from tilescope.tiler.records import own_text_maker
from tilescope.tiler.records.own_texts import OWN_TEXTS, OwnTexts
from tilescope.tiler.search import argument_index
from tilescope.tiler.search.alike_events import StatTexts, Texts
from tilescope.tiler.search.arguments import holds
from tilescope.tiler.search.language import Argument
from tilescope.tiler.search.occurrences import occurrences
from tilescope.tiler.store import RunStore, open_run_store
from tilescope.tiler.synth import write_synthetic_trace
from tilescope.tiler.verify import verify_store
from tilescope.tiler.windows import Windows, everywhere

Event = tuple[int, list[tuple[str, object]]]


def events_of(reader: QueryReader) -> list[Event]:
    """Start and arguments of each event."""
    events: list[Event] = []
    for track in reader.tree.leaves(None):
        plan = reader.plan(track, EVERYTHING)
        starts = [
            start for run in plan.leaf_runs for start in plan.events(run, reader.decoded_page(run.page)).start.tolist()
        ]
        arguments = ArgumentReader(reader.store).decoded(track, range(len(starts)))
        events += zip(starts, arguments, strict=True)
    return events


def plainly(events: Sequence[Event], words: Sequence[str], windows: Windows) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for start, arguments in events:
        if any(first <= start < stop for first, stop in zip(windows.starts, windows.stops, strict=True)):
            counts.update(
                name
                for name in {name for name, _ in arguments}
                if all(
                    any(key == name and holds(Argument(name, "~", word), value) for key, value in arguments)
                    for word in words
                )
            )
    return dict(counts)


def assert_counted(store: RunStore, questions: Sequence[Sequence[str]], *, must_have: bool = True) -> None:
    reader = QueryReader(store)
    events = events_of(reader)
    end = reader.end
    spans = (
        EVERYTHING,
        Windows.single(end // 3, end // 2 + 1),
        Windows.from_spans([0, end // 2], [end // 5 + 1, end + 1]),
    )
    met = 0
    for words in questions:
        for windows in spans:
            counted = finish(occurrences(reader, words, reader.tree.leaves(None), everywhere(windows)))
            assert counted == plainly(events, words, windows), words
            met += bool(counted)
    assert met or not must_have


def words_of(store: RunStore) -> list[list[str]]:
    """Words of some of the texts in a store: whole, parts, in upper case, with digits and without."""
    words: dict[str, None] = {}
    for k, (_, arguments) in enumerate(events_of(QueryReader(store))):
        for _, value in arguments if k % 211 == 0 else ():
            if isinstance(value, str) and value.strip():
                words.setdefault(value[:40])
                words.setdefault(value[len(value) // 3 :][:7].upper())
    return [[word] for word in list(words)[:: max(1, len(words) // 12)]]


@pytest.mark.parametrize(
    "path",
    [
        "kineto/backward_thread.json",
        "kineto/h100_gpt_stack.pt.trace.json.gz",
        "chrome/devtools_116.json",
        "ascend/msprof_0_2_10.json",
        "xplane/h100_jax_train.xplane.pb",
        "xplane/tpu_v6e_4core.xplane.pb",
        "xplane/jax_cpu_10steps.xplane.pb",
        "xplane/gpu_mi300x8_conv.xplane.pb",
    ],
)
def test_corpus(path: str, tmp_path: Path) -> None:
    build_store([corpus_path(path)], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    assert_counted(store, [*words_of(store), ["e"], ["a", "e"], ["1"], ["nothing has this"]])
    store.close()


@pytest.mark.parametrize(("word", "count"), [("ResNet.py", 6786), ("resnet.py(239", 2412), ("resnet.py(9", None)])
def test_stacks_of_a_real_run_are_counted_without_reading_them(
    word: str, count: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_store([corpus_path("kineto/resnet50_workers4.pt.trace.json.gz")], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    reader = QueryReader(store)
    plain = plainly(events_of(reader), [word], EVERYTHING)
    monkeypatch.setattr(ArgumentReader, "values", None)
    monkeypatch.setattr(ArgumentReader, "decoded", None)
    counted = finish(occurrences(reader, [word], reader.tree.leaves(None), everywhere(EVERYTHING)))
    assert counted == plain
    assert counted.get("Call stack") == count
    store.close()


def test_texts_with_very_many_numbers_are_listed_without_them(tmp_path: Path) -> None:
    """Each event has a number of its own in a word: some are listed, then one text for all of them."""
    events = [
        {"ph": "X", "pid": 1, "tid": 1, "ts": k, "dur": 1, "name": "op", "args": {"what": f"request {k}", "id": k}}
        for k in range(3000)
    ]
    (tmp_path / "t.json").write_text(json.dumps({"traceEvents": events}))
    build_store([tmp_path / "t.json"], tmp_path / "store")
    verify_store(tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    record = store.get(OWN_TEXTS, QueryReader(store).tree.leaves(None)[0])
    assert record is not None
    texts = OwnTexts.decode(decompress(record)).texts
    assert texts[0] == b'{"args": {"what": "request 0", "id": \0}}'
    assert texts[-1] == b'{"args": {"what": "request \1", "id": \1}}'
    assert len(texts) < 100
    assert_counted(store, [["request"], ["request 7"], ["quest 299"], ["12"]])
    store.close()


def test_synthetic_xspace(tmp_path: Path) -> None:
    write_synthetic_trace(tmp_path / "t.xplane.pb", format="xspace", events=3000, tracks=8, seed=3)
    build_store([tmp_path / "t.xplane.pb"], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    assert_counted(store, [*words_of(store), ["fusion"], ["nothing has this"]])
    store.close()


TEXTS = [
    "resnet.py(12): forward",
    "resnet50.py",
    "7",
    "-1.5e3",
    "a\u2028b",
    "a\x00b",
    'say "x"\\',
    "Stra\u00dfe",
    "[1, 2",
    "NaN",
    "e",
]
VALUES = st.recursive(
    st.sampled_from(TEXTS) | st.integers(-3, 10**20) | st.floats() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "x1"]), inner, max_size=2),
    max_leaves=4,
)
ARGUMENTS = st.dictionaries(st.sampled_from(["Call stack", "key 7", "key 8", "k"]), VALUES, max_size=3)
WORDS = st.sampled_from(
    ["resnet", "RESNET5", "t50", "e", ".", "-", "1", "12", "x", '"', "\\", "strasse", ", ", "[", "b"]
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    arguments=st.lists(ARGUMENTS, min_size=1, max_size=12),
    questions=st.lists(st.lists(WORDS, min_size=1, max_size=2), min_size=1, max_size=6),
    is_short=st.booleans(),
)
def test_hostile_arguments(
    tmp_path_factory: pytest.TempPathFactory,
    arguments: list[dict[str, object]],
    questions: list[list[str]],
    is_short: bool,
) -> None:
    """Escapes, numbers in every place, begins and ends with arguments; chunks of three events; too many shapes."""
    folder = tmp_path_factory.mktemp("hostile")
    events: list[dict[str, object]] = []
    for k, args in enumerate(arguments * 2):
        where = {"pid": 1, "tid": k % 2, "name": "op"}
        if k % 3:
            events.append({"ph": "X", "ts": 10 * k, "dur": 5, "args": args, **where})
        else:
            events.append({"ph": "B", "ts": 10 * k, "args": args, **where})
            events.append({"ph": "E", "ts": 10 * k + 5, "args": arguments[k % len(arguments)], **where})
    (folder / "t.json").write_text(json.dumps({"traceEvents": events}, ensure_ascii=is_short))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chunk, "CHUNK_EVENTS", 3)
        patch.setattr(own_text_maker, "PART_EVENTS", 5)
        patch.setattr(argument_index, "PART_EVENTS", 5)
        if is_short:
            patch.setattr(argument_index, "_MOST_BYTES", 400)
        build_store([folder / "t.json"], folder / "store")
        verify_store(folder / "store")
        store = open_run_store(folder / "store")
        assert_counted(store, questions, must_have=False)
        store.close()


def test_each_shape_is_looked_at_once_and_few_between_two_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_store([corpus_path("xplane/gpu_mi300x8_conv.xplane.pb")], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    reader = QueryReader(store)
    finish(occurrences(reader, ["e"], reader.tree.leaves(None), everywhere(EVERYTHING)))  # parts are read
    n_shapes = len(argument_index.argument_index(reader).shapes)
    calls: list[StatTexts] = []
    texts = StatTexts.texts

    def counted_texts(self: StatTexts, words: Iterable[bytes]) -> Texts:
        calls.append(self)
        return texts(self, words)

    monkeypatch.setattr(StatTexts, "texts", counted_texts)
    monkeypatch.setattr("tilescope.tiler.search.event_counter._AT_ONCE", 2)
    most = before = 0
    for _ in occurrences(reader, ["e"], reader.tree.leaves(None), everywhere(EVERYTHING)):
        most, before = max(most, len(calls) - before), len(calls)
    assert n_shapes > 10
    assert len(calls) <= n_shapes
    assert 0 < most <= 2
    store.close()
