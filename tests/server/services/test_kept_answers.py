"""What is kept of answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tilescope.server.services.kept_answers import KeptAnswers


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4000))))
def test_the_size_is_that_of_what_is_kept_and_never_too_much(asked: list[tuple[int, int]]) -> None:
    kept = KeptAnswers(10_000)
    newest: dict[int, bytes] = {}
    for question, size in asked:
        kept.keep(question, b"x" * size)
        newest[question] = b"x" * size
        assert kept.size_bytes <= 10_000
        assert kept.get(question) == newest[question]
    there = {question: kept.get(question) for question in newest}
    assert all(answer in (None, newest[question]) for question, answer in there.items())
    assert kept.size_bytes == sum(len(answer) + 1000 for answer in there.values() if answer is not None)


def test_what_was_asked_for_last_stays() -> None:
    kept = KeptAnswers(3000)
    kept.keep("a", b"1")
    kept.keep("b", b"2")
    assert kept.get("a") == b"1"
    kept.keep("c", b"3")
    assert (kept.get("a"), kept.get("b"), kept.get("c")) == (b"1", None, b"3")
    kept.keep("d", b"x" * 5000)
    assert (kept.get("a"), kept.get("c"), kept.get("d")) == (b"1", b"3", None)
