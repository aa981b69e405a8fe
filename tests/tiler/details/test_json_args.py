"""Arguments of trace-event JSON: order, repetitions, and everything that is not quite JSON."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.details import UNREADABLE
from tilescope.tiler.details.json_args import decode
from tilescope.tiler.details.tolerant_json import Pairs, parse

WORDS = ["ncclFloat32", "0xdeadbeef", "0x41", "+inf"]


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", []),
        (b"{}", []),
        (b'{"args":{}}', []),
        (b'{"args":null,"tts":5}', [("tts", 5)]),
        (b'{"args":"text"}', [("args", "text")]),
        (b'{"cat":"c","args":{"b":1,"a":2},"id":"0x1"}', [("b", 1), ("a", 2), ("cat", "c"), ("id", "0x1")]),
        (b'{"args":{"a":1,"a":2}}', [("a", 1), ("a", 2)]),
        (b'{"args":{"a":{"b":[1,{"c":null}]}}}', [("a", {"b": [1, {"c": None}]})]),
        (b'{"args":{"a":{"b":1,"b":2}}}', [("a", {"b": 2})]),
        (
            b'{"args":{"a":NaN,"b":-Infinity,"c":Infinity,"d":nan}}',
            [("a", "NaN"), ("b", "-Infinity"), ("c", "Infinity"), ("d", "nan")],
        ),
        (b'{"args":{"a":1e999}}', [("a", "1e999")]),
        (b'{"args":{"a":ncclFloat32,"b":0xdeadbeef,"c":0x41,"d":+inf}}', [*zip("abcd", WORDS, strict=True)]),
        (b'{"args":{"a":[True,None,{"b":False}]},"c":None}', [("a", [True, None, {"b": False}]), ("c", None)]),
        (
            b'{"args":{"a":.5,"b":-.5e1,"c":5.,"d":+5,"e":1_000}}',
            [*zip("abcde", [0.5, -5.0, 5.0, "+5", "1_000"], strict=True)],
        ),
        (b'{"args":{"a":true,"b":false}}', [("a", True), ("b", False)]),
        (b'{"args":{"a":9007199254740993,"b":18446744073709551616}}', [("a", 2**53 + 1), ("b", 2**64)]),
        (b'{"args":{"a":0.1,"b":1.5e3}}', [("a", 0.1), ("b", 1500.0)]),
        (b'{"args":{"a":1704161511420306.491}}', [("a", "1704161511420306.491")]),
        (b'{"args":{"a":+100,"b":050}}', [("a", "+100"), ("b", "050")]),
        (b'{"args":{"a":"torch\\cuda"}}', [("a", "torch\\cuda")]),
        (b'{"args":{"a":"\\u12"}}', [("a", "\\u12")]),
        (b'{"args":{"a":"\\ud83d\\ude00 \\ud83d"}}', [("a", "😀 \ufffd")]),
        (b'{"args":{"a":"\\uD83D\\n"}}', [("a", "\ufffd\n")]),
        (b'{"args":{"a":"x\xff"}}', [("a", "x\ufffd")]),
        (b'{"args":{"a":"tab\there\nand\x01"}}', [("a", "tab\there\nand\x01")]),
        (b'{"args":{"a":[1,,2,],}}', [("a", [1, 2])]),
        (b'{"args" : { "a" : 1 } , }', [("a", 1)]),
        (b'{"args":{"a":1},"cat":"c"}{"args":{"b":2},"cat":"c"}', [("a", 1), ("b", 2), ("cat", "c")]),
        (
            b'{"args":{"a":1,"a":1}}{"args":{"a":1,"b":{"c":1}},"sf":7}',
            [("a", 1), ("a", 1), ("b", {"c": 1}), ("sf", 7)],
        ),
        (b'{"sf":1}{"sf":7}', [("sf", 1), ("sf", 7)]),
        (b'{"args":{"a":"\\c"}}{"args":{"b":"\\ud83d"}}', [("a", "\\c"), ("b", "\ufffd")]),
        (b'{"a":1}x', [("a", 1), (UNREADABLE, "x")]),
    ],
)
def test_decodes(raw: bytes, expected: list[tuple[str, object]]) -> None:
    assert decode(raw) == expected


@pytest.mark.parametrize("raw", [b"[1]", b"5", b'{"a":', b'{"a":1', b'{"a" 1}', b'{"a":1]', b"%", b'{"a":"x}'])
def test_what_is_no_object_comes_as_text(raw: bytes) -> None:
    assert decode(raw) == [(UNREADABLE, raw.decode())]


def test_depth_is_no_danger() -> None:
    depth = 20_000
    ((name, value),) = decode(b'{"a":' + b"[" * depth + b"]" * depth + b"}")
    assert name == "a"
    levels = 0
    while isinstance(value, list) and value:
        (value,) = value
        levels += 1
    assert levels == depth - 1


def test_very_long_numbers_stay_text() -> None:
    digits = "9" * 10_000
    assert decode(f'{{"a":{digits}}}'.encode()) == [("a", digits)]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=6,
)


def plain(value: object) -> object:
    if isinstance(value, Pairs):
        return {name: plain(one) for name, one in value}
    return [plain(one) for one in value] if isinstance(value, list) else value


@given(json_values, st.booleans(), st.sampled_from([None, 1]))
def test_the_tolerant_parser_reads_strict_json(value: object, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert plain(parse(text)) == json.loads(text)


@given(st.dictionaries(st.text(), json_values))
def test_members_come_back(members: dict[str, object]) -> None:
    raw = json.dumps({"args": members}).encode()
    assert decode(raw) == list(members.items())


@given(st.text('{}[]",:\\u0aZn \n-', max_size=30))
def test_never_raises(text: str) -> None:
    decode(text.encode())
    decode(f'{{"args":{{{text}}}}}'.encode())
