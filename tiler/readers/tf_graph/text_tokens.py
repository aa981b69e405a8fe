"""The text format of protobuf as tokens, read piece by piece."""

from __future__ import annotations

import codecs
import re
from enum import Enum, auto
from typing import Final, NamedTuple

from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.tf_graph.damage import GraphDamage, GraphTooLarge

MAX_BYTES: Final = 64 << 20
MAX_TOKENS: Final = 20_000_000  # each takes half a microsecond, and may be one character
MAX_CHARS: Final = 1 << 20  # of one that is not skipped

_PIECE_BYTES: Final = 1 << 20

_STRING: Final = r""""[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"""
_SPACE: Final = r"(?:[ \t\r\n\f\v,;]|\#[^\n]*+)*+"
_TOKEN: Final = re.compile(
    rf"{_SPACE}(?:({_STRING})|([A-Za-z_][A-Za-z0-9_]*+)|([.0-9][A-Za-z0-9_.+-]*+)|([{{}}<>\[\]:/.-]))", re.DOTALL
)
_BODIES: Final = {mark: re.compile(rf"[^{mark}\\\n]*+(?:\\.[^{mark}\\\n]*+)*+", re.DOTALL) for mark in ('"', "'")}
_MARK: Final = re.compile(rf"([{{<\[])|([}}>\]])|(?:{_STRING}|\#[^\n]*+)|([\"'])", re.DOTALL)


class TokenKind(Enum):
    """Kind of a token."""

    STRING = auto()  # with its quotes
    NAME = auto()
    NUMBER = auto()
    MARK = auto()
    END = auto()  # of the file


class Token(NamedTuple):
    """One token."""

    kind: TokenKind
    text: str


_KINDS: Final = (TokenKind.END, TokenKind.STRING, TokenKind.NAME, TokenKind.NUMBER, TokenKind.MARK)


class _Head:
    """The first characters of a block that is being skipped."""

    def __init__(self, start: int, most: int) -> None:
        self.start = start  # in the text, of what was not passed yet
        self.chars = 0
        self.parts: list[str] = []
        self._most = most

    def passed(self, text: str, stop: int) -> None:
        """Takes what lies before `stop`."""
        part = text[self.start : min(stop, self.start + max(0, self._most - self.chars))]
        if part:
            self.parts.append(part)
        self.chars += stop - self.start
        self.start = stop


class TextTokens:
    """Methods raise GraphDamage and GraphTooLarge."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source
        self._decode = codecs.getincrementaldecoder("utf-8-sig")().decode
        self._text = ""
        self._position = 0
        self._bytes = 0
        self._lines = 1  # before `_text`
        self._count = 0
        self._is_whole = False  # nothing follows `_text`
        self._next: Token | None = None
        self._head: _Head | None = None

    def peek(self) -> Token:
        """The next one, which stays."""
        if self._next is None:
            self._next = self._read()
        return self._next

    def take(self) -> Token:
        """The next one."""
        token = self.peek()
        self._next = None
        return token

    def take_mark(self, *marks: str) -> str | None:
        """The next one, if it is one of these."""
        token = self.peek()
        return self.take().text if token.kind is TokenKind.MARK and token.text in marks else None

    def skip_block(self) -> None:
        """All up to the mark that closes the one that was taken last."""
        depth = 1
        while depth:
            self._counted()
            match = _MARK.search(self._text, self._position)
            if match is not None and match[3]:
                self._position = match.end()
                self._skip_string(_BODIES[match[3]])
                continue
            if (match is None or match.end() == len(self._text)) and self._more(self._start(match)):
                continue
            if match is None:
                raise self.damage("it ends within a message")
            self._position = match.end()
            depth += 1 if match[1] else -1 if match[2] else 0

    def block_head(self, most: int) -> tuple[str, int]:
        """Skips a block, too. Returns its first characters, the closing mark among them, and how many it has."""
        self._head = head = _Head(self._position, most)
        self.skip_block()
        head.passed(self._text, self._position)
        self._head = None
        return "".join(head.parts), head.chars

    def damage(self, what: str) -> GraphDamage:
        """The error that says so, and in which line."""
        line = self._lines + self._text.count("\n", 0, self._position)
        return GraphDamage(f"is no text of a GraphDef: line {line:,}: {what}")

    def _skip_string(self, body: re.Pattern[str]) -> None:
        """Goes on behind the end of a string that ends behind the text."""
        while True:
            inner = body.match(self._text, self._position)
            self._position = self._position if inner is None else inner.end()
            mark = self._text[self._position : self._position + 1]
            if mark in ('"', "'"):
                self._position += 1
                return
            if mark == "\n" or not self._more(self._position):
                raise self.damage("it ends within a text")

    def _start(self, match: re.Match[str] | None) -> int:
        return len(self._text) if match is None else match.start()

    def _read(self) -> Token:
        self._counted()
        while True:
            match = _TOKEN.match(self._text, self._position)
            if (match is None or match.end() == len(self._text)) and self._more(self._position):
                continue
            if match is not None:
                self._position = match.end()
                return Token(_KINDS[match.lastindex or 0], match[match.lastindex or 0])
            rest = self._text[self._position :].strip(" \t\r\n\f\v,;")
            if not rest or (rest.startswith("#") and "\n" not in rest):
                return Token(TokenKind.END, "")
            raise self.damage(f"nothing begins with {rest[:20]!r}")

    def _counted(self) -> None:
        self._count += 1
        if self._count > MAX_TOKENS:
            raise GraphTooLarge(f"is a model graph of more than {MAX_TOKENS:,} words")

    def _more(self, start: int) -> bool:
        """Reads on, and forgets what lies before `start`."""
        if self._is_whole:
            return False
        kept = len(self._text) - start
        if kept > MAX_CHARS:
            raise GraphTooLarge(f"has a text, or a comment, of more than {MAX_CHARS:,} characters")
        data = self._source.read(max(_PIECE_BYTES, kept))
        try:
            text = self._decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise GraphDamage(f"is not UTF-8 at byte {self._bytes + error.start:,}") from None
        self._bytes += len(data)
        if self._bytes > MAX_BYTES:
            raise GraphTooLarge(f"is a model graph of more than {MAX_BYTES:,} bytes")
        self._lines += self._text.count("\n", 0, start)
        if self._head is not None:
            self._head.passed(self._text, start)
            self._head.start = 0
        self._text, self._position, self._is_whole = self._text[start:] + text, self._position - start, not data
        return True
