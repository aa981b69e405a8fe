"""Nodes of graphs in the text format of protobuf, one at a time; fields that are not known are skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Final

from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.tf_graph.attributes import MAX_ATTRIBUTES
from tilescope.tiler.readers.tf_graph.node_list import GraphNode, NodeInputs, inside
from tilescope.tiler.readers.tf_graph.text_attributes import HEAD_CHARS, AttributeBlock, blocks_text
from tilescope.tiler.readers.tf_graph.text_tokens import TextTokens, TokenKind

_CLOSE: Final = {"{": "}", "<": ">"}
_CHARS: Final = dict(
    zip((b"a", b"b", b"f", b"n", b"r", b"t", b"v"), (b"\a", b"\b", b"\f", b"\n", b"\r", b"\t", b"\v"), strict=True)
)
_ESCAPE: Final = re.compile(
    rb"\\(?:(?P<char>[abfnrtv\\'\"?])|(?P<octal>[0-7]{1,3})|[xX](?P<byte>[0-9A-Fa-f]{1,2})"
    rb"|u(?P<short>[0-9A-Fa-f]{4})|U(?P<long>[0-9A-Fa-f]{8})|)"
)
_SCALARS: Final = frozenset({TokenKind.NAME, TokenKind.NUMBER})


def text_nodes(source: ByteSource) -> Iterator[GraphNode]:
    """Nodes of a GraphDef. Raises GraphDamage, GraphTooLarge."""
    return _Parser(source).nodes()


class _Parser:
    """After a name of a field its value is next, which one of the methods takes."""

    def __init__(self, source: ByteSource) -> None:
        self._tokens = TextTokens(source)

    def nodes(self) -> Iterator[GraphNode]:
        for field in self._fields(None):
            if field == "node":
                yield self._node()
            elif field == "library":
                for part in self._fields(self._opened()):
                    if part == "function":
                        yield from self._function()
                    else:
                        self._skip()
            else:
                self._skip()

    def _function(self) -> Iterator[GraphNode]:
        name = ""
        for field in self._fields(self._opened()):
            if field == "signature":  # stands before the nodes, whoever writes it
                for part in self._fields(self._opened()):
                    if part == "name":
                        name = self._string()
                    else:
                        self._skip()
            elif field == "node_def":
                yield inside(name, self._node())
            else:
                self._skip()

    def _node(self) -> GraphNode:
        texts = {"name": "", "op": "", "device": ""}
        inputs, blocks, count = NodeInputs(), list[AttributeBlock](), 0
        for field in self._fields(self._opened()):
            if field in texts:
                texts[field] = self._string()
            elif field == "input":
                for text in self._strings():
                    inputs.add(text)
            elif field == "attr":
                for block in self._attributes():
                    count += 1
                    if len(blocks) < MAX_ATTRIBUTES:
                        blocks.append(block)
            else:
                self._skip()
        attributes = partial(blocks_text, blocks, count - len(blocks))
        return GraphNode(texts["name"], texts["op"], texts["device"], inputs.names, attributes)

    def _attributes(self) -> Iterator[AttributeBlock]:
        """One attribute, or a list of some."""
        self._tokens.take_mark(":")
        is_list = self._tokens.take_mark("[") is not None
        while not is_list or self._tokens.take_mark("]") is None:
            self._opened()
            yield AttributeBlock(*self._tokens.block_head(HEAD_CHARS))
            if not is_list:
                return

    def _fields(self, close: str | None) -> Iterator[str]:
        """The names of the fields of a message, up to the mark that closes it, or the end of the file."""
        while True:
            token = self._tokens.take()
            if token.kind is TokenKind.END if close is None else token.text == close:
                return
            if token.text == "[":  # an extension, or a message of any type
                self._tokens.skip_block()
            elif token.kind is TokenKind.END:
                raise self._tokens.damage("it ends within a message")
            elif token.kind not in _SCALARS:
                raise self._tokens.damage(f"{token.text[:20]!r} is no name of a field")
            yield token.text

    def _opened(self) -> str:
        """The mark that closes the message that begins here."""
        self._tokens.take_mark(":")
        mark = self._tokens.take_mark(*_CLOSE)
        if mark is None:
            raise self._tokens.damage("a message is expected")
        return _CLOSE[mark]

    def _strings(self) -> Iterator[str]:
        """A text, or a list of some."""
        self._colon()
        if self._tokens.take_mark("[") is None:
            yield self._literal()
            return
        while self._tokens.take_mark("]") is None:
            yield self._literal()

    def _string(self) -> str:
        self._colon()
        return self._literal()

    def _literal(self) -> str:
        """A text: strings side by side are one."""
        parts = []
        while self._tokens.peek().kind is TokenKind.STRING:
            text = self._tokens.take().text[1:-1]
            parts.append(self._unescaped(text) if "\\" in text else text)
        if not parts:
            raise self._tokens.damage("a text is expected")
        return "".join(parts)

    def _unescaped(self, text: str) -> str:
        def unescaped(escape: re.Match[bytes]) -> bytes:
            if escape.lastgroup is None:
                raise self._tokens.damage(f"{text[:20]!r} has an escape that there is not")
            value = escape[escape.lastgroup]
            match escape.lastgroup:
                case "char":
                    return _CHARS.get(value, value)
                case "octal":
                    return bytes([int(value, 8) & 0xFF])
                case "byte":
                    return bytes([int(value, 16)])
            return chr(min(int(value, 16), 0x10FFFF)).encode("utf-8", "replace")

        return _ESCAPE.sub(unescaped, text.encode()).decode("utf-8", "replace")

    def _colon(self) -> None:
        if self._tokens.take_mark(":") is None:
            raise self._tokens.damage("a colon is expected")

    def _skip(self) -> None:
        has_colon = self._tokens.take_mark(":") is not None
        if self._tokens.take_mark("{", "<") or (has_colon and self._tokens.take_mark("[")):
            self._tokens.skip_block()
        elif not has_colon:
            raise self._tokens.damage("a message is expected")
        elif self._tokens.peek().kind is TokenKind.STRING:
            while self._tokens.peek().kind is TokenKind.STRING:
                self._tokens.take()
        else:
            self._tokens.take_mark("-")
            if self._tokens.take().kind not in _SCALARS:
                raise self._tokens.damage("a value is expected")
