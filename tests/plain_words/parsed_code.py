"""Words of C++ and TypeScript sources, by tree-sitter: names that are declared, and first words of doc comments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, Literal

import tree_sitter_cpp
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser, Query, QueryCursor

from tests.plain_words.words import NAMES, OPENINGS

Word = tuple[Literal["identifiers", "openings"], str, int]

_CPP: Final = Language(tree_sitter_cpp.language())
_TYPESCRIPT: Final = Language(tree_sitter_typescript.language_typescript())
_TSX: Final = Language(tree_sitter_typescript.language_tsx())

# Whole tokens alone: the tree says what each is, and most are words of comments.
_TOKEN: Final = re.compile(rf"(?<![\w$])_*(?:{'|'.join(sorted(NAMES))})_*(?![\w$])".encode())
_OPENING: Final = re.compile(rb"[/*\s]*([A-Za-z]+)")

# Declarations by their type: the field of the tree that holds the name, or the declarator around it.
_CPP_DECLARATIONS: Final[dict[str, str | None]] = {
    "declaration": "declarator",
    "field_declaration": "declarator",
    "function_definition": "declarator",
    "parameter_declaration": "declarator",
    "optional_parameter_declaration": "declarator",
    "variadic_parameter_declaration": "declarator",
    "for_range_loop": "declarator",
    "lambda_capture_initializer": "left",
    "enumerator": "name",
    "alias_declaration": "name",
    "type_definition": "declarator",
    "class_specifier": "name",
    "struct_specifier": "name",
    "union_specifier": "name",
    "enum_specifier": "name",
    "namespace_definition": "name",
    "type_parameter_declaration": None,
    "variadic_type_parameter_declaration": None,
    "optional_type_parameter_declaration": "name",
    "preproc_def": "name",
    "preproc_function_def": "name",
}
# What stands around a name in a declaration; the field that holds it, where there are other parts.
_CPP_DECLARATORS: Final[dict[str, str | None]] = {
    "init_declarator": "declarator",
    "pointer_declarator": "declarator",
    "array_declarator": "declarator",
    "function_declarator": "declarator",
    "bitfield_clause": None,
    "attributed_declarator": None,
    "parenthesized_declarator": None,
    "reference_declarator": None,
    "variadic_declarator": None,
    "structured_binding_declarator": None,
}

_TYPESCRIPT_DECLARATIONS: Final[dict[str, str | None]] = {
    "required_parameter": "pattern",
    "optional_parameter": "pattern",
    "arrow_function": "parameter",
    "variable_declarator": "name",
    "function_declaration": "name",
    "generator_function_declaration": "name",
    "function_expression": "name",
    "function_signature": "name",
    "method_definition": "name",
    "method_signature": "name",
    "abstract_method_signature": "name",
    "public_field_definition": "name",
    "property_signature": "name",
    "class_declaration": "name",
    "abstract_class_declaration": "name",
    "class": "name",
    "interface_declaration": "name",
    "type_alias_declaration": "name",
    "enum_declaration": "name",
    "enum_assignment": "name",
    "enum_body": "name",
    "index_signature": "name",
    "type_parameter": "name",
    "for_in_statement": "left",
    "catch_clause": "parameter",
    "import_specifier": "alias",
    "namespace_import": None,
    "import_clause": None,
}
_TYPESCRIPT_DECLARATORS: Final[dict[str, str | None]] = {
    "assignment_pattern": "left",
    "object_assignment_pattern": "left",
    "pair_pattern": "value",
    "array_pattern": None,
    "object_pattern": None,
    "rest_pattern": None,
}


# Element access has this name in the standard libraries of both languages, and so it may in ours.
_ELEMENT_ACCESS: Final = b"at"


def cpp_words(source: bytes) -> Iterator[Word]:
    """Kind, word and line of each name and each opening that `words.py` lists."""
    root = Parser(_CPP).parse(source).root_node
    for node, word in _tokens(source, root):
        if _declares(node, _CPP_DECLARATIONS, _CPP_DECLARATORS):
            yield "identifiers", word, node.start_point.row + 1
    previous_row = -2
    for comment in _comments(_CPP, root):
        row = comment.start_point.row
        if row != previous_row + 1 and _is_cpp_doc(comment):
            yield from _opening(comment)
        previous_row = comment.end_point.row


def typescript_words(source: bytes) -> Iterator[Word]:
    """Kind, word and line of each name and each opening that `words.py` lists."""
    return _script_words(source, _TYPESCRIPT)


def tsx_words(source: bytes) -> Iterator[Word]:
    """`typescript_words` of a module with JSX."""
    return _script_words(source, _TSX)


def _script_words(source: bytes, language: Language) -> Iterator[Word]:
    root = Parser(language).parse(source).root_node
    for node, word in _tokens(source, root):
        if _declares(node, _TYPESCRIPT_DECLARATIONS, _TYPESCRIPT_DECLARATORS):
            yield "identifiers", word, node.start_point.row + 1
    for comment in _comments(language, root):
        if (comment.text or b"").startswith(b"/**"):
            yield from _opening(comment)


def _tokens(source: bytes, root: Node) -> Iterator[tuple[Node, str]]:
    """Nodes that are one of the names, and the name without underscores and `#`."""
    for match in _TOKEN.finditer(source):
        node = root.descendant_for_byte_range(match.start(), match.end())
        if node is not None and node.is_named and (node.text or b"").lstrip(b"#") == match[0]:
            yield node, match[0].decode().strip("_")


def _declares(node: Node, declarations: dict[str, str | None], declarators: dict[str, str | None]) -> bool:
    """True if a name is that of a declaration, and not merely used."""
    name, parent = node, node.parent
    while parent is not None and parent.type in declarators and _is_part(node, parent, declarators[parent.type]):
        node, parent = parent, parent.parent
    is_declared = (
        parent is not None and parent.type in declarations and _is_part(node, parent, declarations[parent.type])
    )
    return is_declared and not _is_element_access(name)


def _is_element_access(name: Node) -> bool:
    """True for the name of a method `at(index)`."""
    if name.text != _ELEMENT_ACCESS or name.parent is None:
        return False
    parameters = name.parent.child_by_field_name("parameters")
    return parameters is not None and parameters.named_child_count > 0


def _is_part(node: Node, parent: Node, field: str | None) -> bool:
    return field is None or node in parent.children_by_field_name(field)


@cache  # compiling it takes longer than most files do
def _comment_query(language: Language) -> Query:
    return Query(language, "(comment) @comment")


def _comments(language: Language, root: Node) -> list[Node]:
    """All comments in the order of the source."""
    captures = QueryCursor(_comment_query(language)).captures(root)
    return sorted(captures.get("comment", []), key=lambda comment: comment.start_byte)


def _is_cpp_doc(comment: Node) -> bool:
    """True if a comment stands before a declaration, outside of bodies, and not at the end of a line of code."""
    parent, previous = comment.parent, comment.prev_sibling
    is_outside = parent is not None and parent.type not in ("compound_statement", "argument_list", "initializer_list")
    return is_outside and (previous is None or previous.end_point.row != comment.start_point.row)


def _opening(comment: Node) -> Iterator[Word]:
    match = _OPENING.match(comment.text or b"")
    if match and (word := match[1].decode().capitalize()) in OPENINGS:
        yield "openings", word, comment.start_point.row + 1
