"""Attributes in the text format of protobuf: each is a block, of which a long one is known by its first characters."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from google.protobuf import text_format

from tilescope.graph import graph_pb2 as pb
from tilescope.tiler.readers.tf_graph.attributes import Attributes, cut_text, value_text

HEAD_CHARS: Final = 1 << 12

_BEGIN: Final = re.compile(
    r"""\s*key\s*:\s*(?:"([^"\\]*)"|'([^'\\]*)')[\s,;]*value(?:\s*:)?\s*([{<])\s*(\w+)\s*(?::\s*)?([{<"']?)"""
)
# The values of a tensor stand behind its type and shape.
_TENSOR_VALUES: Final = re.compile(r"\b(?:tensor_content|\w+_val|version_number)\b")
_CLOSE: Final = {"{": "}", "<": ">"}
_QUOTES: Final = frozenset({'"', "'"})


class AttributeBlock(NamedTuple):
    """A block without the mark that opens it: its first characters, and how many it has."""

    head: str
    chars: int


def blocks_text(blocks: Iterable[AttributeBlock], more: int) -> str:
    """The attributes of a node; `more`: those beside."""
    attributes = Attributes(more)
    for block in blocks:
        attributes.add(*_key_and_value(block))
    return attributes.text()


def _key_and_value(block: AttributeBlock) -> tuple[str, str]:
    head, begin = block.head, _BEGIN.match(block.head)
    key, opened, kind, mark = ("?", "", "", "") if begin is None else (begin[1] or begin[2] or "", *begin.groups()[2:])
    text = head[:-1]
    if begin is not None and kind == "tensor" and mark in _CLOSE:
        values = _TENSOR_VALUES.search(head, begin.end())
        if values is not None:
            text = f"{head[: values.start()]}{_CLOSE[mark]}{_CLOSE[opened]}"
    elif begin is not None and len(head) < block.chars and kind == "s" and mark in _QUOTES:
        return key, cut_text(head[begin.end() :].partition(mark)[0], f"{block.chars - begin.end():,} characters")
    if len(head) < block.chars and text == head[:-1]:
        return key, f"a value of {block.chars:,} characters"
    try:
        entry = text_format.Parse(text, pb.TextAttr(), allow_unknown_field=True)
    except (text_format.ParseError, RecursionError, ValueError):
        return key, "makes no sense"
    return entry.key, value_text(entry.value)
