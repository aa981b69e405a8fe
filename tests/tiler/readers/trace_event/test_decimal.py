"""Exact times from decimal text, against Python's decimals."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Context, Decimal

from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler._native import parse_microseconds

exact = Context(prec=500)


def reference(text: str) -> tuple[int, int] | None:
    number = Decimal(text)
    if number and number.adjusted() > 30:
        return None
    picoseconds = int(exact.multiply(number, Decimal(10**6)).quantize(Decimal(1), ROUND_HALF_UP, exact))
    ns, ps = divmod(picoseconds, 1000)
    return (ns, ps) if abs(picoseconds) < 2**63 * 1000 else None


whole = st.one_of(st.integers(0, 10**6), st.integers(0, 10**17)).map(str)
fraction = st.one_of(st.just(""), st.text("0123456789", min_size=1, max_size=20).map(lambda digits: "." + digits))
exponent = st.one_of(
    st.just(""), st.tuples(st.sampled_from(["e", "E", "e+", "e-"]), st.integers(0, 25)).map(lambda e: f"{e[0]}{e[1]}")
)
sign = st.sampled_from(["", "-"])


@given(sign, whole, fraction, exponent)
def test_agrees_with_decimal(minus: str, digits: str, decimals: str, power: str) -> None:
    text = minus + digits + decimals + power
    assert parse_microseconds(text) == reference(text)


@given(st.text("0123456789.-+eE", max_size=8))
def test_only_json_numbers_are_numbers(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        assert parse_microseconds(text) is None
    else:
        assert parse_microseconds(text) == reference(text)


def test_a_very_long_number() -> None:
    assert parse_microseconds("1." + "0" * 100_000 + "1") == (1000, 0)
    assert parse_microseconds("0." + "0" * 100_000 + "1e100002") == (10000, 0)
