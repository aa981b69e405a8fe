"""Ids of flows and async slices: the same where their texts are, whatever they look like; numbers take no memory."""

from __future__ import annotations

import json
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.tiler.readers.trace_event.trace_event_file import read, source_of
from tilescope.tiler import _native
from tilescope.tiler.readers.trace_event import TraceEventReader

DIGITS = st.text("0123456789abcxX-. ", max_size=16)
NUMBERS = st.integers(0, 1 << 50).flatmap(lambda n: st.sampled_from([str(n), hex(n), f"0{n}", f"0x0{n:x}", f"{n}.0"]))
BOUNDS = [form(n) for n in (0, (1 << 47) - 1, 1 << 47, (1 << 48) - 1, 1 << 48, 10**14) for form in (str, hex)]


def keys_of(ids: list[str]) -> list[int]:
    text = ",\n".join(json.dumps({"ph": "s", "cat": "c", "id": each, "ts": 1, "pid": 1}) for each in ids)
    return [row.key for row in read(f"[{text}]").rows]


@given(st.lists(DIGITS | NUMBERS | st.text(max_size=20), min_size=1, max_size=30))
@example(BOUNDS)
@example(["0x", "0", "0x0", "00", "-0", "", " 1", "1", "0X1", "0x1", "0xA", "0xa", "10", "0x10"])
def test_keys_are_the_same_where_the_texts_are(ids: list[str]) -> None:
    keys = keys_of(ids)
    assert min(keys) >= 0
    for (one, of_one), (other, of_other) in combinations(zip(ids, keys, strict=True), 2):
        assert (of_one == of_other) == (one == other)


def test_more_categories_than_fit_into_keys() -> None:
    """Two events of each, in blocks of their own: the second meets the number that the first has in the file."""
    count = 20_000
    events = [{"ph": "s", "cat": f"c{k}", "id": f"{k % 3}", "ts": k, "pid": 1} for k in range(count)] * 2
    data = json.dumps(events).encode()
    assert len(data) > 1 << 20  # several blocks
    found = []
    for workers in (1, 3):
        reader = TraceEventReader(source_of(data), workers)
        found.append([key for chunk in reader.chunks() for key in ([] if chunk.key is None else chunk.key.tolist())])
    assert found[0] == found[1]
    assert found[0][:count] == found[0][count:]
    assert len(set(found[0])) == count


@pytest.mark.parametrize(("form", "texts"), [("{}", 0), ('"0x{:x}"', 0), ('"{}"', 0), ('"id {}"', 1000)])
def test_what_is_kept_of_ids(form: str, texts: int) -> None:
    stream = _native.TraceEventStream()
    event = '{{"ph":"{}","cat":"c","id":{},"ts":1,"pid":1,"name":"a"}}'
    both = ("s", "b")
    stream.feed(f"[{','.join(event.format(ph, form.format(k)) for ph in both for k in range(1000))}]".encode())
    stream.finish()
    assert stream.id_count == len(both) * (1 + texts)  # a category each, and ids that are no numbers
    assert stream.id_bytes < 100 * stream.id_count
