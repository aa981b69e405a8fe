"""Attributes in the text format of protobuf: each is a block, of which a long one is known by its first characters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from google.protobuf import text_format

from tilescope.graph import graph_pb2 as pb
from tilescope.tiler.readers.tf_graph.attributes import Attributes, cut_text, value_text

HEAD_CHARS: Final = 1 << 12

_SHORT_CHARS: Final = 256
_KEPT: Final = 4096

_BEGIN: Final = re.compile(
    r"""\s*key\s*:\s*(?:"([^"\\]*)"|'([^'\\]*)')[\s,;]*value(?:\s*:)?\s*([{<])\s*(\w+)\s*(?::\s*)?([{<"']?)"""
)
# The values of a tensor stand behind its type and shape.
_TENSOR_VALUES: Final = re.compile(r"\b(?:tensor_content|\w+_val|version_number)\b")
_CLOSE: Final = {"{": "}", "<": ">"}
# Of a text up to the end of the head, where an escape may be cut.
_BODIES: Final = {
    mark: re.compile(
        rf"((?:[^{mark}\\\n]|\\(?:[0-7]{{3}}|x[0-9a-fA-F]{{2}}|u[0-9a-fA-F]{{4}}|U[0-9a-fA-F]{{8}}|[^0-7xuU\n]))*+)"
        r"(?:\\[0-7xuU]?[0-9a-fA-F]{0,7})?\Z"
    )
    for mark in ('"', "'")
}


class AttributeBlock(NamedTuple):
    """A block without the mark that opens it: its first characters, and how many it has."""

    head: str
    chars: int


def blocks_text(blocks: Iterable[AttributeBlock], more: int) -> str:
    """The attributes of a node; `more`: those beside."""
    attributes = Attributes(more)
    for block in blocks:
        attributes.add(*(_same_key_and_value if block.chars <= _SHORT_CHARS else _key_and_value)(block))
    return attributes.text()


def _key_and_value(block: AttributeBlock) -> tuple[str, str]:
    begin, is_cut = _BEGIN.match(block.head), len(block.head) < block.chars
    key = "?" if begin is None else begin[1] or begin[2] or ""
    text = _parsed_part(block.head, begin) if is_cut else block.head[:-1]
    if text is None:
        return key, f"a value of {block.chars:,} characters"
    try:
        entry = text_format.Parse(text, pb.TextAttr(), allow_unknown_field=True)
    except (text_format.ParseError, RecursionError, ValueError):
        return key, "makes no sense"
    if is_cut and begin is not None and entry.value.WhichOneof("value") == "s":
        # Behind the text are its quote and two marks at least.
        most = block.chars - begin.end() - 3
        return entry.key, cut_text(entry.value.s.decode("utf-8", "ignore"), f"at most {most:,} characters")
    return entry.key, value_text(entry.value)


# Nodes of an operation have the same short attributes again and again, and parsing one takes 50 us or more.
_same_key_and_value = lru_cache(_KEPT)(_key_and_value)


def _parsed_part(head: str, begin: re.Match[str] | None) -> str | None:
    """The part of a long attribute that says enough: a tensor without its values, or a text's first characters."""
    if begin is None:
        return None
    opened, kind, mark = begin.groups()[2:]
    if kind == "tensor" and mark in _CLOSE:
        values = _TENSOR_VALUES.search(head, begin.end())
        # Fields are in any order: type and shape may stand behind the values.
        if values is None or not all(
            field in head[begin.end() : values.start()] for field in ("dtype", "tensor_shape")
        ):
            return None
        return f"{head[: values.start()]}{_CLOSE[mark]}{_CLOSE[opened]}"
    if kind == "s" and mark in _BODIES:
        body = _BODIES[mark].match(head, begin.end())
        if body is not None and body.end() == len(head):
            return f"{head[: body.end(1)]}{mark}{_CLOSE[opened]}"
    return None
