"""Patterns of a query, as tests of texts. Regular expressions are RE2's: the time they take is linear in the text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tilescope.tiler.errors import UsageError
from tilescope.tiler.search.language import Kind, Pattern

# What a compiled expression may take: more of them are refused at once.
_REGEX_BYTES: Final = 1 << 20


def is_match(pattern: Pattern) -> Callable[[str], bool]:
    """Tells whether a text matches. Raises UsageError for an expression that is none, or too large."""
    if pattern.kind is Kind.EXACT:
        return pattern.text.__eq__
    if pattern.kind is Kind.CONTAINS:
        wanted = pattern.text.casefold()
        return lambda text: wanted in text.casefold()
    return _regex(pattern)


def _regex(pattern: Pattern) -> Callable[[str], bool]:
    import re2  # when it is needed: it costs some milliseconds at the start

    options = re2.Options()
    options.max_mem = _REGEX_BYTES
    options.log_errors = False
    options.case_sensitive = pattern.kind is Kind.REGEX
    try:
        search = re2.compile(pattern.text.encode(), options).search  # of bytes: it need not count characters
    except (re2.error, UnicodeEncodeError) as error:
        what = error.args[0].decode("utf-8", "replace") if isinstance(error, re2.error) else "it is no text"
        raise UsageError(f'the regular expression "{pattern.text[:60]}" cannot be used: {what}') from None

    def is_found(text: str) -> bool:
        return search(text.encode("utf-8", "replace")) is not None

    return is_found
