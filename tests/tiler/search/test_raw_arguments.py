"""Words in arguments that are written as nobody should write them, against all events one after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.tiler.search.raw_json import LONG_NUMBER, LOOSE_OBJECTS, STRICT_OBJECTS
from tests.tiler.search.test_occurrences import assert_counted
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import ArgumentReader, QueryReader, finish
from tilescope.tiler.records import own_text_maker
from tilescope.tiler.search import argument_index
from tilescope.tiler.search.argument_test import ArgumentTest
from tilescope.tiler.search.arguments import holds
from tilescope.tiler.search.language import Argument
from tilescope.tiler.store import RunStore, open_run_store
from tilescope.tiler.verify import verify_store

WORDS = ("x", "a", "7", "07", '"0', '"9', '["', "\x01", "\u1234", "infinity", "e+", "-", ", ", "99", '{"a2": "', "1.5")
NAMES = ("a", "a1", "a2", "k 7", "stack")


def assert_held(store: RunStore) -> None:
    """The test of single events says what the arguments of each say."""
    reader = QueryReader(store)
    for track in reader.tree.leaves(None):
        events = np.arange(reader.tree.tracks[track].events)
        decoded = list(ArgumentReader(store).decoded(track, range(len(events))))
        for name in NAMES:
            for word in WORDS:
                wanted = Argument(name, "~", word)
                mask = finish(ArgumentTest(reader, [wanted]).holds(np.full(len(events), track), events))
                plain = [any(key == name and holds(wanted, value) for key, value in pairs) for pairs in decoded]
                assert mask.tolist() == plain, (name, word, decoded)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STRICT_OBJECTS | LOOSE_OBJECTS, min_size=1, max_size=8))
@example(['{"a":[{"a1":"x","a2":"y"}],"k":"\\7"}'])
@example(['{"a":[007]}', '{"a":[7]}'])
@example([f'{{"a":[{LONG_NUMBER}]}}', f'{{"a":{LONG_NUMBER}}}'])
@example(['{"a":"x\x017 a"}', '{"a":"x\x018 a"}', '{"a":"x\x01a"}'])
def test_words_in_raw_arguments(tmp_path_factory: pytest.TempPathFactory, arguments: Sequence[str]) -> None:
    folder = tmp_path_factory.mktemp("raw")
    events = [
        f'{{"ph":"X","pid":1,"tid":1,"name":"op","ts":{10 * k},"dur":5,"args":{args}}}'
        for k, args in enumerate([*arguments, *arguments])
    ]
    (folder / "t.json").write_text('{"traceEvents":[' + ",\n".join(events) + "]}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(own_text_maker, "PART_EVENTS", 5)
        patch.setattr(argument_index, "PART_EVENTS", 5)
        build_store([folder / "t.json"], folder / "store")
        verify_store(folder / "store")
        store = open_run_store(folder / "store")
        assert_counted(store, [*([word] for word in WORDS), ["x", "7"], ["a", '"']], must_have=False)
        assert_held(store)
        store.close()
