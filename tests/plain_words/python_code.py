"""Words of Python sources: names that are bound, and first words of docstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from tests.plain_words.words import NAMES, OPENINGS

_DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def python_words(source: bytes) -> Iterator[tuple[Literal["identifiers", "openings"], str, int]]:
    """Kind, word and line of each name and each opening that `words.py` lists."""
    for node in _nodes(ast.parse(source)):
        for name, line in _bound(node):
            if (word := name.strip("_")) in NAMES:
                yield "identifiers", word, line
        if isinstance(node, _DOCUMENTED) and (opening := _opening(node)) in OPENINGS:
            yield "openings", opening, node.body[0].lineno


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but constants and contexts, which bind nothing: twice as fast as `ast.walk`."""
    nodes = [node]
    while nodes:
        node = nodes.pop()
        yield node
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                nodes.extend(item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST) and not isinstance(value, ast.expr_context | ast.Constant):
                nodes.append(value)


def _bound(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Names that a node itself binds, with their lines."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            yield name, node.lineno
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
            yield name, node.lineno
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield node.name, node.lineno
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name, node.lineno
        case ast.MatchMapping(rest=str(name)):
            yield name, node.lineno
        case ast.alias(asname=str(name)):
            yield name, node.lineno


def _opening(node: _DOCUMENTED) -> str:
    """First word of a docstring; empty without one."""
    words = (ast.get_docstring(node, clean=False) or "").split(maxsplit=1)
    return words[0].rstrip(",:;.").capitalize() if words else ""
