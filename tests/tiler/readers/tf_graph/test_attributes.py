"""Attributes of nodes read the same in protobuf and in text, whatever their size, and say where they are cut."""

from __future__ import annotations

import io
import json
import tracemalloc
from contextlib import closing
from pathlib import Path

import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from tests.tiler.readers.wire_writer import data
from tilescope.graph import graph_pb2 as pb
from tilescope.tiler.readers.recognise import open_trace
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.tf_graph import node_list, text_tokens
from tilescope.tiler.readers.tf_graph.attributes import (
    MAX_ATTRIBUTES,
    MAX_ITEMS,
    MAX_KEY,
    MAX_TEXT,
    encoded_text,
    entries_text,
    entry_head,
    value_text,
)
from tilescope.tiler.readers.tf_graph.text import text_nodes
from tilescope.tiler.readers.tf_graph.text_attributes import HEAD_CHARS, AttributeBlock, blocks_text

List = pb.AttrValue.List


def shape(*sizes: int) -> pb.TensorShape:
    return pb.TensorShape(dim=[pb.TensorShape.Dim(size=size) for size in sizes])


TEXTS = {
    "shape": (pb.AttrValue(shape=shape(-1, 224, 224, 3)), "[?,224,224,3]"),
    "unknown shape": (pb.AttrValue(shape=pb.TensorShape(unknown_rank=True)), "[not known]"),
    "dtype": (pb.AttrValue(type=pb.DT_BFLOAT16), "bfloat16"),
    "reference": (pb.AttrValue(type=pb.DT_FLOAT_REF), "float32 reference"),
    "type that there is not": (pb.AttrValue.FromString(b"\x30\x4d"), "type 77"),
    "string": (pb.AttrValue(s=b"SAME"), '"SAME"'),
    "lines": (pb.AttrValue(s=b"a\nb: c"), '"a·b: c"'),
    "bytes": (pb.AttrValue(s=b"\xff\x00"), "2 bytes that are no text"),
    "int": (pb.AttrValue(i=-(1 << 63)), "-9223372036854775808"),
    "float": (pb.AttrValue(f=1e-3), "0.001"),
    "flag": (pb.AttrValue(b=True), "true"),
    "function": (pb.AttrValue(func=pb.FunctionName(name="__inference_f_3")), "function __inference_f_3"),
    "placeholder": (pb.AttrValue(placeholder="T"), "placeholder T"),
    "nothing": (pb.AttrValue(), "empty"),
    "ints": (pb.AttrValue(list=List(i=[1, 2, 2, 1])), "[1, 2, 2, 1]"),
    "empty list": (pb.AttrValue(list=List()), "[]"),
    "strings": (pb.AttrValue(list=List(s=[b"a", b"b"])), '["a", "b"]'),
    "flags": (pb.AttrValue(list=List(b=[True, False])), "[true, false]"),
    "shapes": (pb.AttrValue(list=List(shape=[shape(2, 3), shape()])), "[[2,3], []]"),
    "many": (pb.AttrValue(list=List(f=[0.5] * 300)), f"[{'0.5, ' * MAX_ITEMS}… 300 in all]"),
    "tensor": (
        pb.AttrValue(tensor=pb.Tensor(dtype=pb.DT_FLOAT, tensor_shape=shape(3, 3, 64))),
        "float32[3,3,64], 2,304 bytes",
    ),
    "scalar": (pb.AttrValue(tensor=pb.Tensor(dtype=pb.DT_INT64)), "int64[], 8 bytes"),
    "half bytes": (pb.AttrValue(tensor=pb.Tensor(dtype=pb.DT_INT4, tensor_shape=shape(3))), "int4[3], 2 bytes"),
    "texts": (pb.AttrValue(tensor=pb.Tensor(dtype=pb.DT_STRING, tensor_shape=shape(3))), "string[3]"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_values_read_as_they_are(name: str) -> None:
    value, text = TEXTS[name]
    assert value_text(value) == text
    encoded = value.SerializeToString()
    assert encoded_text(encoded, len(encoded)) == text


@given(st.lists(st.sampled_from(sorted(TEXTS)), min_size=1, max_size=4, unique=True), st.integers(1, 60))
def test_text_has_the_same_attributes(names: list[str], piece_bytes: int) -> None:
    """Wherever the pieces end in which a file is read."""
    blocks = "".join(
        f"attr {{ {text_format.MessageToString(pb.TextAttr(key=name, value=TEXTS[name][0]))} }}\n" for name in names
    )
    content = f'node {{ name: "a" {blocks} op: "Relu" }} # {{\n'.encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_tokens, "_PIECE_BYTES", piece_bytes)
        (node,) = text_nodes(ByteSource(Path("t"), io.BytesIO(content), len(content)))
    assert (node.name, node.op) == ("a", "Relu")
    assert node.attributes() == "\n".join(sorted(f"{name}: {TEXTS[name][1]}" for name in names))


def attributes_of(content: bytes, folder: Path) -> list[str | None]:
    path = folder / "graph"
    path.write_bytes(content)
    with closing(open_trace(path)) as reader:
        list(reader.chunks())
        (attachment,) = reader.summary().attachments
        return [row[4] for row in json.loads(b"".join(attachment.pieces()))["nodes"]]


def graph(*nodes: list[tuple[str, bytes]]) -> bytes:
    """Constants with such attributes, whose values are encoded."""
    rows = [
        pb.NodeDef(
            name=f"c{number}",
            op="Const",
            attr=[pb.AttrEntry(key=key, value=value).SerializeToString() for key, value in attributes],
        ).SerializeToString()
        for number, attributes in enumerate(nodes)
    ]
    return bytes(pb.GraphDef(node=rows).SerializeToString())


def graph_text(head: str, values: str) -> bytes:
    return f'node {{ name: "c" op: "Const" attr {{ key: "value" value {{ {head}{values} }} }} }}\n'.encode()


MANY = 10_000_000


def test_ten_megabytes_are_cut_and_say_so(tmp_path: Path) -> None:
    long = pb.AttrValue(s=b"x" * MANY).SerializeToString()
    tensor = pb.Tensor(dtype=pb.DT_FLOAT, tensor_shape=shape(MANY // 4)).SerializeToString() + data(4, bytes(MANY))
    content = graph(
        [("text", long), ("value", data(8, tensor)), ("list", data(1, data(2, b"y" * MANY))), ("i", b"\x18\x07")]
    )
    cut = f'"{"x" * MAX_TEXT}…" (cut, 10,000,000 bytes)'
    wanted = f"i: 7\nlist: a list of 10,000,005 bytes\ntext: {cut}\nvalue: float32[2500000], 10,000,000 bytes"
    tracemalloc.start()
    try:
        assert attributes_of(content, tmp_path) == [wanted]
        assert tracemalloc.get_traced_memory()[1] < MANY
    finally:
        tracemalloc.stop()


def test_ten_megabytes_of_text_are_cut_and_say_so(tmp_path: Path) -> None:
    (text,) = attributes_of(graph_text('s: "', "x" * MANY + '"'), tmp_path)
    assert text is not None
    assert text.startswith(f'value: "{"x" * MAX_TEXT}…" (cut, at most 10,000,0')
    assert text.endswith(" characters)")
    tensor = "tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2500000 } } "
    values = 'tensor_content: "' + "\\000" * (MANY // 4) + '" }'
    assert attributes_of(graph_text(tensor, values), tmp_path) == ["value: float32[2500000], 10,000,000 bytes"]
    (listed,) = attributes_of(graph_text("list { ", 's: "x" ' * 100_000 + "}"), tmp_path)
    assert listed is not None
    assert listed.startswith("value: a value of 700,0")


def test_a_node_has_at_most_so_many_attributes(tmp_path: Path) -> None:
    content = graph([(f"key{number:03}{'k' * MAX_KEY}", b"\x18\x01") for number in range(MAX_ATTRIBUTES + 5)])
    (text,) = attributes_of(content, tmp_path)
    assert text is not None
    lines = text.split("\n")
    assert len(lines) == MAX_ATTRIBUTES + 1
    assert lines[0] == f"key000{'k' * (MAX_KEY - 6)}…: 1"
    assert lines[-1] == "5 more attributes are left out"


def test_a_graph_is_kept_with_so_many_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_list, "MAX_ATTRIBUTE_BYTES", 30)
    nodes = [[("key", b"\x18\x01")], [("key", b"\x18\x02")], [("key", b"\x18\x03")], [("key", b"\x18\x04")]]
    assert attributes_of(graph(*nodes), tmp_path) == ["key: 1", "key: 2", "key: 3", None]


@given(st.binary(max_size=60), st.integers(0, 1 << 40))
def test_no_bytes_are_too_strange(head: bytes, more: int) -> None:
    whole = encoded_text(head, len(head)), entries_text([head])
    for text in (*whole, encoded_text(head, len(head) + more), entry_head(head, len(head) + more)[1]):
        assert "\n" not in text
        assert len(text) <= MAX_TEXT * 3


OPENED = 'key: "T" value { '
PIECES = [*"{}<>:,'\"# \\\n", "s", "tensor", "value", "key", "aaa", "float_val", "dtype", "dim", "size", "1", "\\n"]


@pytest.mark.parametrize("value", ['s: # c\n"', "s aaaa", "s: '", "s { ", "tensor { # ", "tensor aaaa"])
def test_a_long_value_needs_no_quotes(value: str) -> None:
    (text,) = blocks_text([long_block(f'key: "T" value {{ {value}{"a" * 5000}'.ljust(HEAD_CHARS, "a"))], 0).split("\n")
    assert text.startswith("T: ")


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.booleans(), st.booleans())
def test_no_text_is_too_strange(tail: str, has_key: bool, is_long: bool) -> None:
    head = f"{OPENED if has_key else ''}{tail}"
    text = blocks_text([long_block(head) if is_long else AttributeBlock(f"{head}}}", len(head) + 1)], 0)
    assert "\n" not in text
    assert len(text) <= MAX_TEXT * 3


def long_block(text: str) -> AttributeBlock:
    return AttributeBlock(text[:HEAD_CHARS], len(text) + 5000)


@pytest.mark.parametrize("values", ["float_val: 1 ", "float_val: [1, nan, -inf] ", 'tensor_content: "\\000}" '])
def test_fields_of_a_tensor_are_in_any_order(values: str) -> None:
    sized = "tensor_shape { dim { size: 3 } } "
    for fields in (f"dtype: DT_FLOAT {values}{sized}", f"{values}{sized}dtype: DT_FLOAT "):
        text = f'key: "T" value {{ tensor {{ {fields}}} }} }}'
        assert blocks_text([AttributeBlock(text, len(text))], 0) == "T: float32[3], 12 bytes"
        many = text.replace(values, values * 1000)
        assert blocks_text([AttributeBlock(many[:HEAD_CHARS], len(many))], 0) == (
            f"T: a value of {len(many):,} characters"
        )


@pytest.mark.parametrize("escape", ["\\n", "\\012", "\\x0a", "\\u000a", "\\t", "\\001"])
def test_a_long_text_reads_as_in_protobuf(escape: str) -> None:
    """Wherever the head ends, within an escape, too."""
    for more in range(12):
        text = f'key: "T" value {{s:"{"a" * more}b{escape * 5000}"}}}}'
        block = AttributeBlock(text[:HEAD_CHARS], len(text))
        shown = f"{'a' * more}b{'·' * MAX_TEXT}"[:MAX_TEXT]
        assert blocks_text([block], 0) == f'T: "{shown}…" (cut, at most {more + 1 + 5000 * len(escape):,} characters)'
    exact = f'key: "T" value {{s:"{"a" * 5000}"}}}}'
    (text,) = blocks_text([AttributeBlock(exact[:HEAD_CHARS], len(exact))], 0).split("\n")
    assert text.endswith("(cut, at most 5,000 characters)")
