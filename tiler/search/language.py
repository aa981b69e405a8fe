r"""The language of searches: what a text asks for, as terms. Pure: it knows no store. docs/search.md explains it.

fusion              the name contains it, upper and lower case alike
"all-reduce.1"      the name is exactly this; \" and \\ stand for a quotation mark and a backslash
/^fusion\.[0-9]+$/  the name matches (RE2); \/ stands for a slash; /…/i: upper and lower case alike
cat:x               the category, in the same three ways; so do track: and process:, for what these are called
dur>1ms             the duration: > >= < <= =, and a unit
arg:key=value       an argument's value as it is shown; arg:key>number compares numbers: > >= < <=
arg:key~text        an argument that is a text, and contains it, upper and lower case alike
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from enum import StrEnum
from fractions import Fraction
from typing import Final, Literal

from tilescope.tiler.errors import UsageError
from tilescope.tiler.ticks import MICRO, UNITS_PS

MAX_QUERY: Final = 512  # characters: in a URL, each may take twelve bytes
MAX_TERMS: Final = 32

_AMOUNT: Final = re.compile(r"([0-9]{1,20}(?:\.[0-9]{1,20})?)([a-zµμ]+)")
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,3})?")
_COMPARED: Final = re.compile(r">=|<=|>|<|=|~")
_BOUND: Final = re.compile(r">=|<=|>|<|=")
_FIELDS: Final = ("cat", "track", "process")

Comparison = Literal["=", ">", ">=", "<", "<="]
ArgumentComparison = Literal["=", ">", ">=", "<", "<=", "~"]


class Kind(StrEnum):
    """Comparison of a text."""

    CONTAINS = "contains"
    EXACT = "exact"
    REGEX = "regex"
    REGEX_ANY_CASE = "regex_any_case"


@dataclass(frozen=True, slots=True)
class Pattern:
    """A text and its kind of comparison."""

    kind: Kind
    text: str

    def written(self) -> str:
        """As it stands in a query."""
        if self.kind is Kind.CONTAINS:
            return self.text
        if self.kind is Kind.EXACT:
            return _quoted(self.text)
        return "/" + _SLASH.sub(r"\\/", self.text) + ("/i" if self.kind is Kind.REGEX_ANY_CASE else "/")


@dataclass(frozen=True, slots=True)
class Duration:
    """A bound of the duration, in picoseconds."""

    comparison: Comparison
    ps: Fraction

    def written(self) -> str:
        """As it stands in a query."""
        return f"dur{self.comparison}{_decimal(self.ps)}ps"


@dataclass(frozen=True, slots=True)
class Argument:
    """A bound of an argument. `number` is the value, where it is one."""

    key: str
    comparison: ArgumentComparison
    value: str

    @property
    def number(self) -> Fraction | None:
        """The value as a number, exactly; None where it is none."""
        return Fraction(self.value) if _NUMBER.fullmatch(self.value) else None

    def written(self) -> str:
        """As it stands in a query."""
        return f"arg:{_quoted(self.key)}{self.comparison}{_quoted(self.value)}"


@dataclass(frozen=True, slots=True)
class Query:
    """Terms of a query: it looks for events for which every term holds."""

    names: tuple[Pattern, ...] = ()
    categories: tuple[Pattern, ...] = ()
    tracks: tuple[Pattern, ...] = ()
    processes: tuple[Pattern, ...] = ()
    durations: tuple[Duration, ...] = ()
    arguments: tuple[Argument, ...] = ()

    def written(self) -> str:
        """A text that `parse` reads as this."""
        prefixes = {"categories": "cat:", "tracks": "track:", "processes": "process:"}
        terms = []
        for field in fields(self):
            terms += [prefixes.get(field.name, "") + term.written() for term in getattr(self, field.name)]
        return " ".join(terms)


class QueryError(UsageError):
    """A search that cannot be read: what is wrong, and at which character."""

    def __init__(self, position: int, what: str) -> None:
        super().__init__(f"query, character {position + 1}: {what}")
        self.position, self.what = position, what

    def __reduce__(self) -> tuple[type[QueryError], tuple[int, str]]:
        """It is raised in another process than the one that tells it."""
        return QueryError, (self.position, self.what)


def parse(text: str) -> Query:
    """Query that a text stands for. Raises QueryError."""
    if len(text) > MAX_QUERY:
        raise QueryError(MAX_QUERY, f"a query has at most {MAX_QUERY} characters")
    return _Parser(text).query()


_SLASH: Final = re.compile(r"(?<!\\)/")


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._terms: dict[str, list[Pattern | Duration | Argument]] = {field.name: [] for field in fields(Query)}

    def query(self) -> Query:
        count = 0
        while self._skip_spaces():
            if count == MAX_TERMS:
                raise QueryError(self._position, f"a query has at most {MAX_TERMS} terms")
            self._term()
            count += 1
        if not count:
            raise QueryError(0, "it is empty: say what the name is to contain")
        return Query(**{name: tuple(terms) for name, terms in self._terms.items()})  # type: ignore[arg-type]

    def _skip_spaces(self) -> bool:
        while self._position < len(self._text) and self._text[self._position].isspace():
            self._position += 1
        return self._position < len(self._text)

    def _term(self) -> None:
        rest = self._text[self._position :]
        if rest.startswith("arg:"):
            self._position += len("arg:")
            return self._terms["arguments"].append(self._argument())
        if compared := _BOUND.match(rest, 3) if rest.startswith("dur") else None:
            self._position += compared.end()
            return self._terms["durations"].append(self._duration(compared[0]))
        for field, member in zip(_FIELDS, ("categories", "tracks", "processes"), strict=True):
            if rest.startswith(field + ":"):
                self._position += len(field) + 1
                return self._terms[member].append(self._pattern(f"{field}: "))
        self._terms["names"].append(self._pattern(""))
        return None

    def _pattern(self, field: str) -> Pattern:
        begin = self._position
        first = self._text[begin : begin + 1]
        if first == '"':
            return Pattern(Kind.EXACT, self._quoted())
        if first == "/":
            return self._regex()
        word = self._word()
        if not word:
            raise QueryError(begin, f"{field}a text is missing")
        return Pattern(Kind.CONTAINS, word)

    def _word(self, stop: re.Pattern[str] | None = None) -> str:
        begin = self._position
        while self._position < len(self._text) and not self._text[self._position].isspace():
            if stop is not None and stop.match(self._text, self._position):
                break
            self._position += 1
        return self._text[begin : self._position]

    def _quoted(self) -> str:
        begin, out = self._position, []
        position = begin + 1
        while position < len(self._text) and self._text[position] != '"':
            if self._text[position] == "\\":
                position += 1
                if self._text[position : position + 1] not in ('"', "\\"):
                    raise QueryError(position - 1, 'in quotation marks, a backslash is written \\\\, and a mark \\"')
            out.append(self._text[position])
            position += 1
        if position == len(self._text):
            raise QueryError(begin, "this quotation mark is not closed")
        self._position = position + 1
        return "".join(out)

    def _regex(self) -> Pattern:
        begin = position = self._position
        position += 1
        while position < len(self._text) and self._text[position] != "/":
            position += 2 if self._text[position] == "\\" else 1
        if position >= len(self._text):
            raise QueryError(
                begin, "this regular expression has no / at its end (a text with a / in it: in quotation marks)"
            )
        pattern = self._text[begin + 1 : position].replace("\\/", "/")
        if not pattern:
            raise QueryError(begin, "this regular expression is empty")
        self._position = position + 1
        any_case = self._text[self._position : self._position + 1] == "i"
        self._position += any_case
        self._end_of_term("the regular expression")
        return Pattern(Kind.REGEX_ANY_CASE if any_case else Kind.REGEX, pattern)

    def _end_of_term(self, what: str) -> None:
        if self._position < len(self._text) and not self._text[self._position].isspace():
            raise QueryError(self._position, f"a space has to follow {what}")

    def _duration(self, comparison: str) -> Duration:
        begin = self._position
        word = self._word()
        amount = _AMOUNT.fullmatch(word)
        if amount is None or amount[2].translate(MICRO) not in UNITS_PS:
            raise QueryError(begin, f"a duration is a number with a unit, as in 1.5ms: {', '.join(UNITS_PS)}")
        ps = Fraction(amount[1]) * UNITS_PS[amount[2].translate(MICRO)]
        return Duration(comparison, ps)  # type: ignore[arg-type]

    def _argument(self) -> Argument:
        position = self._position
        key = self._quoted() if self._text[position : position + 1] == '"' else self._word(_COMPARED)
        if not key:
            raise QueryError(position, "the name of an argument is missing, as in arg:key=value")
        compared = _COMPARED.match(self._text, self._position)
        if compared is None:
            raise QueryError(self._position, "a comparison has to follow the argument: = > >= < <= or ~")
        self._position = position = compared.end()
        quoted = self._text[position : position + 1] == '"'
        value = self._quoted() if quoted else self._word()
        if not value and (not quoted or compared[0] == "~"):
            raise QueryError(position, "a value is missing")
        argument = Argument(key, compared[0], value)  # type: ignore[arg-type]
        if argument.comparison not in ("=", "~") and argument.number is None:
            raise QueryError(position, f"{argument.comparison} compares numbers, and {value[:40]!r} is none")
        self._end_of_term("the value")
        return argument


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _decimal(value: Fraction) -> str:
    """Decimal text of a value that a query has: it has finitely many digits."""
    whole, rest = divmod(value, 1)
    digits = []
    while rest:
        digit, rest = divmod(rest * 10, 1)
        digits.append(str(digit))
    return f"{whole}" + ("." + "".join(digits) if digits else "")
