"""The language of searches: what is written is read back, and what cannot be read is said at its place."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.tiler.search.language import (
    MAX_QUERY,
    Argument,
    Duration,
    Kind,
    Pattern,
    Query,
    QueryError,
    parse,
)

_WORD = st.from_regex(r"[A-Za-z_:.é%][A-Za-z0-9_:.é/\"%-]{0,8}", fullmatch=True).filter(
    lambda word: not word.startswith(("dur", "cat:", "track:", "process:", "arg:"))
)
_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=9)
_REGEX = st.from_regex(r"([a-z.*+? /]|\\d){1,8}", fullmatch=True)
_PATTERN = (
    _WORD.map(lambda word: Pattern(Kind.CONTAINS, word))
    | _TEXT.map(lambda text: Pattern(Kind.EXACT, text))
    | _REGEX.map(lambda text: Pattern(Kind.REGEX, text))
    | _REGEX.map(lambda text: Pattern(Kind.REGEX_ANY_CASE, text))
)
_COMPARISON = st.sampled_from(["=", ">", ">=", "<", "<="])
_DURATION = st.builds(
    Duration, _COMPARISON, st.decimals(0, 10**15, places=3, allow_nan=False, allow_infinity=False).map(Fraction)
)
_ARGUMENT = st.builds(Argument, _TEXT, st.just("="), _TEXT) | st.builds(
    Argument, _TEXT, _COMPARISON, st.integers(-(10**20), 10**20).map(str)
)


def _some(terms: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
    return st.lists(terms, max_size=2).map(tuple)


@given(
    st.builds(Query, *map(_some, (_PATTERN, _PATTERN, _PATTERN, _PATTERN, _DURATION, _ARGUMENT))).filter(
        lambda query: query != Query() and len(query.written()) <= MAX_QUERY
    )
)
def test_what_is_written_is_read_back(query: Query) -> None:
    assert parse(query.written()) == query


@given(st.text(st.sampled_from('ab"/\\ i:=><.1µs') | st.characters(), max_size=40))
def test_any_text_is_read_or_refused_at_a_place_in_it(text: str) -> None:
    refused = None
    try:
        found = parse(text)
    except QueryError as error:
        refused = error
    if refused is None:
        assert found != Query()
    else:
        assert 0 <= refused.position <= len(text)
        assert str(refused).startswith(f"query, character {refused.position + 1}: ")


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("fusion", Query(names=(Pattern(Kind.CONTAINS, "fusion"),))),
        (" aten::add  7 ", Query(names=(Pattern(Kind.CONTAINS, "aten::add"), Pattern(Kind.CONTAINS, "7")))),
        (r'"a \"b\" \\"', Query(names=(Pattern(Kind.EXACT, r'a "b" \ '.strip()),))),
        (r"/a\/b c\d/i", Query(names=(Pattern(Kind.REGEX_ANY_CASE, r"a/b c\d"),))),
        ('cat:"x" track:XLA', Query((), (Pattern(Kind.EXACT, "x"),), (Pattern(Kind.CONTAINS, "XLA"),))),
        ("dur>=1.5µs", Query(durations=(Duration(">=", Fraction(1_500_000)),))),
        ("duration", Query(names=(Pattern(Kind.CONTAINS, "duration"),))),
        ("arg:flops>1e9", Query(arguments=(Argument("flops", ">", "1e9"),))),
        ('arg:"a b"="c d"', Query(arguments=(Argument("a b", "=", "c d"),))),
        ("arg:x=", None),
    ],
)
def test_terms(text: str, query: Query | None) -> None:
    if query is None:
        with pytest.raises(QueryError, match="character 7: a value is missing"):
            parse(text)
    else:
        assert parse(text) == query


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  ", "query, character 1: it is empty: say what the name is to contain"),
        ('fusion "a', "query, character 8: this quotation mark is not closed"),
        ("x /a b", "query, character 3: this regular expression has no / at its end"),
        ("//", "query, character 1: this regular expression is empty"),
        ("/a/x", "query, character 4: a space has to follow the regular expression"),
        ("dur>1", "query, character 5: a duration is a number with a unit, as in 1.5ms"),
        ("dur>1parsec", "query, character 5: a duration is a number with a unit"),
        ("cat: x", "query, character 5: cat: a text is missing"),
        ("arg:=1", "query, character 5: the name of an argument is missing"),
        ("arg:key", "query, character 8: a comparison has to follow the argument"),
        ("arg:key>many", "query, character 9: > compares numbers, and 'many' is none"),
        ("a " * 33, "query, character 65: a query has at most 32 terms"),
        ("a" * 513, "query, character 513: a query has at most 512 characters"),
    ],
)
def test_what_cannot_be_read_is_said_at_its_place(text: str, message: str) -> None:
    with pytest.raises(QueryError) as refused:
        parse(text)
    assert str(refused.value).startswith(message)
