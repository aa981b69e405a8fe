"""Words in arguments of an XSpace, of which texts are stored by track: against all arguments, event by event."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from tests.corpus import corpus_path
from tests.tiler.readers.wire_writer import data, double, event_metadata, message, number, stat_metadata
from tests.tiler.search.test_occurrences import assert_counted, words_of
from tests.tiler.verify.altered_store import AlteredStore
from tilescope.tiler.errors import DamagedStore
from tilescope.tiler.indexing import build_store
from tilescope.tiler.pages import compress, decompress
from tilescope.tiler.query import EVERYTHING, ArgumentReader, QueryReader, finish
from tilescope.tiler.records import own_text_maker
from tilescope.tiler.records.own_texts import OWN_TEXTS, OwnTexts
from tilescope.tiler.search import argument_index, folded_texts
from tilescope.tiler.search.alike_events import may_contain
from tilescope.tiler.search.occurrences import occurrences
from tilescope.tiler.search.shared_texts import file_texts
from tilescope.tiler.store import open_run_store
from tilescope.tiler.verify import verify_store
from tilescope.tiler.windows import everywhere

# Too long to be listed: three of them are more than what a track of few arguments has room for.
LONG = "fusion of " + 120_000 * "z"

TEXTS = [
    "fusion.7",
    "FUSION",
    "copy",
    "7",
    " -1e3 ",
    "",
    "e",
    "Stra\u00dfe",
    "na\u00efve",
    "long_name",
    LONG,
    LONG + "1",
    LONG + "2",
]
STAT_NAMES = ["tf_op", "kind", "long_name", "fusion", "", "7"]  # the last two ids have no name

values = st.one_of(
    st.sampled_from(TEXTS).map(lambda text: data(5, text)),
    st.integers(1, len(STAT_NAMES) + 2).map(lambda stat: number(7, stat)),
    st.integers(-2, 9).map(lambda value: number(4, value)),
    st.just(double(2, float("nan"))),
    st.just(data(5, b"\xff fusion \xfe")),
    st.just(data(6, "bytes of fusion")),
    st.just(data(5, "copy") + number(4, 1)),  # the last value counts
    st.just(number(5, 3)),  # of a wire type that is not the field's
)
stats = st.builds(lambda stat, value: number(1, stat) + value, st.integers(1, len(STAT_NAMES) + 2), values)
damaged = st.sampled_from([b"\x0a", b"\x08\x01\x2a\x7f", b"\x0b"])
own_stats = st.lists(stats | stats | stats | stats | stats | damaged, max_size=3)
shared_stats = st.lists(stats, max_size=3)
metadata = st.tuples(st.sampled_from(["op", "op", "other"]), st.sampled_from(["", "op", "named"]), shared_stats)
planes = st.tuples(
    st.lists(metadata, min_size=1, max_size=4),
    st.lists(st.lists(st.tuples(st.integers(0, 3), own_stats), max_size=9), min_size=1, max_size=2),
)
WORDS = st.sampled_from(["fusion", "FUSION", "e", "copy", "strasse", "ss", "op", "7", "[", "na", "nowhere", "\ufffd"])


def plane(
    name: str, kinds: Sequence[tuple[str, str, list[bytes]]], lines: Sequence[list[tuple[int, list[bytes]]]]
) -> bytes:
    parts = [data(2, name)]
    for place, events in enumerate(lines):
        written = [
            message(
                4,
                number(1, kind % len(kinds) + 1),
                number(2, 10_000 * k),
                number(3, 5_000),
                *(message(4, own) for own in own_stats_of_event),
            )
            for k, (kind, own_stats_of_event) in enumerate(events)
        ]
        parts.append(message(3, number(1, place + 1), data(2, f"line {place}"), *written))
    for place, (text, shown, shared) in enumerate(kinds):
        parts.append(event_metadata(place + 1, text, shown, *(message(5, stat) for stat in shared)))
    parts += [stat_metadata(place + 1, text) for place, text in enumerate(STAT_NAMES)]
    return message(1, *parts)


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    made=st.lists(planes, min_size=1, max_size=3),
    questions=st.lists(st.lists(WORDS, min_size=1, max_size=2), min_size=1, max_size=5),
    is_short=st.booleans(),
)
def test_hostile_stats(
    tmp_path_factory: pytest.TempPathFactory,
    made: list[tuple[list[tuple[str, str, list[bytes]]], list[list[tuple[int, list[bytes]]]]]],
    questions: list[list[str]],
    is_short: bool,
) -> None:
    """Names that several metadata have, stats that events override, damage, texts too long to be listed."""
    folder = tmp_path_factory.mktemp("hostile")
    names = ["/device:TPU:0", "/host:CPU", "/device:TPU:1"]
    (folder / "t.xplane.pb").write_bytes(
        b"".join(plane(name, kinds, lines) for name, (kinds, lines) in zip(names, made, strict=False))
    )
    with pytest.MonkeyPatch.context() as patch:
        if is_short:
            patch.setattr(own_text_maker, "PART_EVENTS", 3)
            patch.setattr(argument_index, "PART_EVENTS", 3)
            patch.setattr(argument_index, "_MOST_BYTES", 50)
            patch.setattr(own_text_maker, "_MOST_NUMBERS", 1)
            patch.setattr(folded_texts, "_PIECE_TEXTS", 2)
        build_store([folder / "t.xplane.pb"], folder / "store")
        verify_store(folder / "store")
        store = open_run_store(folder / "store")
        assert_counted(store, questions, must_have=False)
        store.close()


def test_as_many_arguments_as_metadata_take_no_table_of_both(tmp_path: Path) -> None:
    """A byte for each pair of 4,000 stats and 4,000 metadata would be 16 MB for a file of 300 kB."""
    count = 4_000
    kinds = [
        event_metadata(k, f"op {k}", "", message(5, number(1, k) + data(5, f"fusion {k}"))) for k in range(1, count + 1)
    ]
    events = [message(4, number(1, k), number(2, 10_000 * k), number(3, 5_000)) for k in range(1, count + 1)]
    names = [stat_metadata(k, f"stat {k}") for k in range(1, count + 1)]
    line = message(3, number(1, 1), data(2, "line"), *events)
    (tmp_path / "t.xplane.pb").write_bytes(message(1, data(2, "/device:TPU:0"), line, *kinds, *names))
    build_store([tmp_path / "t.xplane.pb"], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    reader = QueryReader(store)
    tables = reader.event_metadata(0)
    assert tables is not None
    texts = finish(file_texts(reader, 0, tables))
    tracemalloc.start()
    having = finish(texts.with_words(["fusion"]))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [entries.tolist() for entries in having.values()] == [[k] for k in range(count)]
    assert peak < count * count // 4
    counted = finish(occurrences(reader, ["fusion"], reader.tree.leaves(None), everywhere(EVERYTHING)))
    assert counted == {f"stat {k}": 1 for k in range(1, count + 1)}
    store.close()


@pytest.mark.parametrize(
    "path",
    [
        "xplane/h100_jax_train.xplane.pb",
        "xplane/tpu_v6e_4core.xplane.pb",
        "xplane/jax_cpu_10steps.xplane.pb",
        "xplane/gpu_mi300x8_conv.xplane.pb",
    ],
)
def test_words_of_a_whole_run_are_counted_without_reading_events(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_store([corpus_path(path)], tmp_path / "store")
    store = open_run_store(tmp_path / "store")
    reader = QueryReader(store)
    words = [*words_of(store), ["e"], ["fusion"]]
    monkeypatch.setattr(ArgumentReader, "values", None)
    monkeypatch.setattr(ArgumentReader, "decoded", None)
    met = [finish(occurrences(reader, word, reader.tree.leaves(None), everywhere(EVERYTHING))) for word in words]
    assert any(met)
    store.close()


def test_other_letters_are_all_that_fold_to_ascii() -> None:
    folding = [chr(code) for code in range(0x80, 0x110000) if any(map(str.isascii, chr(code).casefold()))]
    pattern = may_contain("fusion")
    assert pattern is not None
    assert [char for char in folding if not pattern.search(char.encode())] == []
    assert not pattern.search("Stra\u00dcen\u00e9".encode())
    assert may_contain("7.") is None


@pytest.fixture(scope="module")
def altered(tmp_path_factory: pytest.TempPathFactory) -> AlteredStore:
    folder = tmp_path_factory.mktemp("run")
    kinds = [("op", "", [number(1, 1) + data(5, "fusion")]), ("op", "", [number(1, 1) + data(5, "copy")])]
    lines = [[(k % 2, [number(1, 2) + data(5, f"kind {k % 3}")]) for k in range(12)]]
    (folder / "t.xplane.pb").write_bytes(plane("/device:TPU:0", kinds, lines))
    build_store([folder / "t.xplane.pb"], folder / "store")
    return AlteredStore(folder / "store")


def test_what_is_stored(altered: AlteredStore) -> None:
    ((_, value),) = altered.records(OWN_TEXTS.letter).items()
    own = OwnTexts.decode(decompress(value))
    assert own.is_readable
    assert (own.ids.tolist(), own.sizes.tolist(), own.counts.tolist()) == ([2], [3], [4, 4, 4])
    assert (own.numbers.tolist(), own.events.tolist()) == ([0, 1], [6, 6])
    assert verify_store(altered.path).own_texts == 1


@pytest.mark.parametrize("change", ["counts", "texts", "numbers", "missing", "another"])
def test_other_texts_than_arguments_say_are_noticed(altered: AlteredStore, change: str) -> None:
    ((key, value),) = altered.records(OWN_TEXTS.letter).items()
    own = OwnTexts.decode(decompress(value))
    changed = {
        "counts": structs.replace(own, counts=np.array([5, 4, 3])),
        "texts": structs.replace(own, texts=own.texts[::-1]),
        "numbers": structs.replace(own, events=own.events + 1),
    }.get(change, own)
    records = {key: None if change == "missing" else compress(changed.encode())}
    if change == "another":
        records[OWN_TEXTS.key(7)] = value
    with altered.replaced(records), pytest.raises(DamagedStore, match=r"track|should not be there"):
        verify_store(altered.path)


@pytest.mark.parametrize("change", ["sizes", "places", "counts", "parts"])
def test_texts_that_make_no_sense_are_damage(altered: AlteredStore, change: str) -> None:
    ((key, value),) = altered.records(OWN_TEXTS.letter).items()
    own = OwnTexts.decode(decompress(value))
    changed = {
        "sizes": structs.replace(own, sizes=own.sizes + 1),
        "places": structs.replace(own, places=own.places + 1),
        "counts": structs.replace(own, counts=own.counts[:-1]),
        "parts": structs.replace(
            own, sizes=own.sizes.repeat(2), places=own.places[[0, 1, 2] * 2], counts=own.counts[[0, 1, 2] * 2]
        ),
    }[change]
    with altered.replaced({key: compress(changed.encode())}):
        store = open_run_store(altered.path)
        reader = QueryReader(store)
        with pytest.raises(DamagedStore):
            finish(occurrences(reader, ["e"], reader.tree.leaves(None), everywhere(EVERYTHING)))
        store.close()
