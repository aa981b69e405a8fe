"""Graphs of TensorFlow models in all forms have the same nodes; other files are no graphs; damage is one clear line."""

from __future__ import annotations

import gzip
import io
import json
import struct
import subprocess
import sys
import time
import tracemalloc
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from tests import model_graphs
from tests.corpus import corpus_manifest, corpus_path
from tests.demo import DEMO_TRACE
from tests.tiler.readers.wire_writer import data
from tilescope.graph import graph_pb2 as pb
from tilescope.tiler.errors import DamagedTrace, TooLarge
from tilescope.tiler.readers.memory_budget import Room
from tilescope.tiler.readers.recognise import open_trace, reader_of
from tilescope.tiler.readers.source import ByteSource
from tilescope.tiler.readers.sources import open_source
from tilescope.tiler.readers.tf_graph import node_list, text_tokens, wire_stream
from tilescope.tiler.readers.tf_graph.damage import GraphDamage, GraphTooLarge
from tilescope.tiler.readers.tf_graph.signature import Form, form_of
from tilescope.tiler.readers.tf_graph.text import text_nodes

pytestmark = pytest.mark.slow

FORMS = {
    Form.GRAPH: model_graphs.graph,
    Form.SAVED_MODEL: model_graphs.saved_model,
    Form.TEXT: model_graphs.text,
    Form.EVENTS: model_graphs.events,
}
WANTED = [
    *(
        [name, op, device, list(inputs), model_graphs.ATTRIBUTE_TEXTS.get(name, "")]
        for name, op, device, inputs in model_graphs.NODES
    ),
    ["__inference_f_3/x", "Tanh", "", ["__inference_f_3/argument"], ""],
    ["__inference_f_3/y", "Square", "", ["__inference_f_3/x:y:0"], ""],
]


def nodes(path: Path) -> list[Any]:
    reader = open_trace(path)
    try:
        assert list(reader.chunks()) == []
        (attachment,) = reader.summary().attachments
        assert attachment.name == "graph/nodes"
        found: list[Any] = json.loads(b"".join(attachment.pieces()))["nodes"]
        return found
    finally:
        reader.close()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("is_packed", [False, True])
def test_every_form_has_the_same_nodes(form: Form, is_packed: bool, tmp_path: Path) -> None:
    content = FORMS[form]()
    assert form_of(content[: 64 << 10]) is form
    path = tmp_path / "graph"
    path.write_bytes(gzip.compress(content) if is_packed else content)
    wanted = list(WANTED)
    if form is Form.TEXT:
        wanted.append(["c", "Const", "", [], "value: invalid[]"])  # stands behind the functions in the file
    assert nodes(path) == wanted


@pytest.mark.parametrize("name", [DEMO_TRACE, *(corpus_manifest() or ["MANIFEST.json"])], ids=str)
def test_traces_are_none(name: Path | str) -> None:
    """Whatever a real trace begins with."""
    with (corpus_path(name) if isinstance(name, str) else name).open("rb") as file:
        head = file.read(64 << 10)
    assert form_of(head) is None
    assert head.startswith(b"\x1f\x8b") or form_of(head[:4096]) is None


def test_what_begins_like_a_graph_is_none() -> None:
    for head in (
        b"",
        b"{}",
        b"[]",
        b"node",
        b"node of a list",
        b"\x0a",
        b"\x0a\x00",
        b"\x08\x01",
        b"\x0a\x04\x0a\x02ab",
    ):
        assert form_of(head) is None


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (model_graphs.graph()[:-9], "cut short, or no GraphDef"),
        (model_graphs.saved_model()[:-9], "cut short, or no SavedModel"),
        (model_graphs.text()[:-30], "is no text of a GraphDef"),
        (b'node { name: "\xff" }', "is no"),
        (model_graphs.events()[:60], "without a graph"),
        (
            model_graphs.events()[:40] + struct.pack("<QI", 1 << 60, 0),
            "a record of 1,152,921,504,606,846,976 bytes",
        ),
        (model_graphs.record(b"\x09" + bytes(8) + b"\x1a\x0dbrain.Event:2") + model_graphs.record(b"\xff"), "no event"),
    ],
)
def test_damage_is_one_clear_line(content: bytes, why: str, tmp_path: Path) -> None:
    path = tmp_path / "graph"
    path.write_bytes(content)
    with pytest.raises(DamagedTrace) as caught:
        nodes(path)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "graph"
    path.write_bytes(model_graphs.graph())
    monkeypatch.setattr(node_list, "MAX_NODES", 3)
    with pytest.raises(TooLarge, match="more than 3 nodes"):
        nodes(path)
    monkeypatch.setattr(wire_stream, "MAX_BYTES", 10)
    with pytest.raises(TooLarge, match="more than 10 bytes"):
        nodes(path)


def test_nobody_else_pays_for_protobuf() -> None:
    """Its time and memory are none that `tilescope index` needs."""
    script = "import sys, tilescope.tiler.indexing; sys.exit('google.protobuf' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def peak_bytes(path: Path, room: Room) -> int:
    """The memory that reading a graph takes at its peak, whether it is refused or not."""
    tracemalloc.start()
    try:
        reader = reader_of(open_source(path), room=room)
        with suppress(TooLarge), closing(reader):
            list(reader.chunks())
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


HUGE = {
    "names": [data(1, data(1, b"%07d" % k + b"a" * 4080) + data(2, b"Relu")) for k in range(20_000)],
    "inputs": [data(1, data(1, b"n%d" % k) + data(2, b"Relu") + data(3, b"n0") * 1000) for k in range(3000)],
    "a node of inputs": [data(1, data(1, b"n") + data(2, b"Relu") + data(3, b"") * 300_000)],
    "constants": [data(1, data(1, b"n%d" % k) + data(2, b"Const") + data(5, bytes(30 << 20))) for k in range(3)],
}


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=pytest.mark.deep if "input" in what else ()) for what in HUGE]
)
def test_it_takes_no_more_memory_than_it_may(what: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.pb.gz"
    path.write_bytes(gzip.compress(b"".join(HUGE[what]), 1))
    assert peak_bytes(path, Room(64 << 20)) < 64 << 20


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (HUGE["names"], "more than 5,4.. nodes with 0 inputs, more than there is room for in 67 MB .*--memory"),
        (HUGE["a node of inputs"], "has a node with more than 200,000 inputs, or 8,000,000 characters"),
        ([data(1, data(1, b"n") + data(2, b"Relu")), b"\x10\x00" * 5001], "more than 5,000 fields"),
    ],
)
def test_what_is_too_much_is_said(
    content: list[bytes], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "fields" in words:
        monkeypatch.setattr(wire_stream, "MAX_FIELDS", 5000)
    path = tmp_path / "graph.pb.gz"
    path.write_bytes(gzip.compress(b"".join(content), 1))
    with pytest.raises(TooLarge, match=words), closing(reader_of(open_source(path), room=Room(64 << 20))) as reader:
        list(reader.chunks())


def test_more_than_a_question_may_take_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node_list, "MAX_ASKED_BYTES", 3000)
    path = tmp_path / "graph"
    path.write_bytes(model_graphs.graph())
    with pytest.raises(TooLarge, match="more than 4 nodes with 4 inputs: a question about it would take"):
        nodes(path)


@given(st.text(max_size=40), st.lists(st.text(max_size=10), max_size=3), st.integers(1, 40), st.booleans())
def test_text_is_read_as_protobuf_reads_it(name: str, inputs: list[str], piece_bytes: int, as_utf8: bool) -> None:
    node = pb.NodeDef(name=name, op="Relu", input=inputs)
    graph = pb.TextGraph(node=[node, node], library=pb.TextGraph.Library(function=[{"node_def": [node]}]))
    content = text_format.MessageToString(graph, as_utf8=as_utf8)
    content += "versions { a: -1.5e3 b: [1, 2] c < d: 'x}' \"{\" > [e.f/g] { } } # {\n"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text_tokens, "_PIECE_BYTES", piece_bytes)
        source = ByteSource(Path("t"), io.BytesIO(content.encode()), len(content))
        assert [list(of[:4]) for of in text_nodes(source)] == [
            *[[name, "Relu", "", inputs]] * 2,
            [f"/{name}", "Relu", "", [f"^/{of[1:]}" if of.startswith("^") else f"/{of}" for of in inputs]],
        ]


@pytest.mark.parametrize(
    "content",
    [
        'node { name: "a" op: "b"',
        'node { name: "a" op: "b" attr { "',
        'node { name: 5 op: "b" }',
        'node { name "a" }',
        'node { name: "a" } }',
        "node { name: \"a\" op: '\n' }",
        'node { name: "\\q" }',
        "node { name: $ }",
        "node : 5",
        "node { 5 }",
        "node { x }",
        "node { x: }",
        "[",
    ],
)
def test_text_that_is_none_is_refused(content: str) -> None:
    source = ByteSource(Path("t"), io.BytesIO(content.encode()), len(content))
    with pytest.raises(GraphDamage, match="no text of a GraphDef: line 1: "):
        list(text_nodes(source))


def test_long_texts_are_no_matter() -> None:
    content = b'node { name: "a" op: "b" attr { value { tensor_content: "' + b"\\000" * 10_000_000 + b'" } } }'
    source = ByteSource(Path("t"), io.BytesIO(content), len(content))
    begin = time.process_time()
    (node,) = text_nodes(source)
    assert node[:4] == ("a", "b", "", [])
    around = len(b'node { name: "a" op: "b" attr {') + len(b" }")
    assert node.attributes() == f"?: a value of {len(content) - around:,} characters"
    assert time.process_time() - begin < 5  # of a piece at a time it would be minutes
    content = b'node { name: "' + b"a" * 3_000_000 + b'" }'
    with pytest.raises(GraphTooLarge, match="1,048,576 characters"):
        list(text_nodes(ByteSource(Path("t"), io.BytesIO(content), len(content))))
