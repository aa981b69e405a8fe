"""Arguments of events as profilers might write them: JSON, strictly written and not."""

from __future__ import annotations

from hypothesis import strategies as st

STRINGS = st.sampled_from(
    [
        '"x"',
        '"12"',
        '"007"',
        '"-1.5"',
        '"1e9"',
        '"1."',
        '"a 7"',
        '"a 07"',
        '"b 123456789012345678901"',
        '"\\u0031"',
        '"\\u1234"',
        '"\\u12345"',
        '"\\\\u12"',
        '"\\"7"',
        '"\u00e9 5"',
        '""',
    ]
)
BAD_STRINGS = st.sampled_from(['"\\u12"', '"\\u123"', '"\\7"', '"\x01"', '"\t5"', '"\\ud834"', '"x\x005"'])
NUMBERS = st.sampled_from(
    ["0", "7", "18", "-0", "-5", "1.5", "0.25e-3", "1E5", "1e999", "12345678901234567890123", "3.14159265358979312345"]
)
BAD_NUMBERS = st.sampled_from(["007", "00", "-01", "01.5", "1.", ".5", "+5", "0x7f", "NaN", "-Infinity", "1_0"])
LONG_NUMBER = "9" * 5000  # more digits than Python converts
NAMES = st.sampled_from(['"a"', '"a1"', '"a2"', '"k 007"', '"k 7"', '"stack"', '"\\u0061"'])
SPACES = st.sampled_from(["", "", " ", "\n\t"])


def objects(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Objects with such values; names may repeat."""
    member = st.tuples(NAMES, SPACES, values).map(lambda parts: f"{parts[0]}:{parts[1]}{parts[2]}")
    return st.tuples(SPACES, st.lists(member, max_size=3)).map(lambda parts: "{" + parts[0] + ",".join(parts[1]) + "}")


def lists(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Lists of such values."""
    return st.lists(values, max_size=3).map(lambda items: "[" + ", ".join(items) + "]")


_PLAIN = STRINGS | NUMBERS | st.sampled_from(["true", "null"])
STRICT_OBJECTS = objects(st.recursive(_PLAIN, lambda inner: lists(inner) | objects(inner), max_leaves=5))
LOOSE_OBJECTS = objects(
    st.recursive(
        _PLAIN | BAD_STRINGS | BAD_NUMBERS | st.just(LONG_NUMBER),
        lambda inner: lists(inner) | objects(inner),
        max_leaves=5,
    )
)
