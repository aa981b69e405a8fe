from __future__ import annotations

import json

import pytest

from tilescope.server.errors import BadMessage
from tilescope.server.watch.messages import MAX_BLOCKS, parse_want


def test_a_want_is_a_list_of_blocks() -> None:
    assert parse_want('{"type": "want", "blocks": [3, 0, 4294967295]}') == (3, 0, 2**32 - 1)
    assert parse_want('{"type": "want", "blocks": [], "more": 1}') == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "[]",
        "7",
        "{}",
        "[" * 100_000,
        '{"type": "other", "blocks": []}',
        '{"type": "want"}',
        '{"type": "want", "blocks": {}}',
        '{"type": "want", "blocks": [-1]}',
        '{"type": "want", "blocks": [4294967296]}',
        '{"type": "want", "blocks": [true]}',
        '{"type": "want", "blocks": [1.0]}',
        '{"type": "want", "blocks": ["1"]}',
        json.dumps({"type": "want", "blocks": [0] * (MAX_BLOCKS + 1)}),
    ],
)
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadMessage):
        parse_want(text)
