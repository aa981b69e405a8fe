"""Graphs of TensorFlow models in all forms have the same nodes; other files are no graphs; damage is one clear line."""

from __future__ import annotations

import gzip
import json
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import model_graphs
from tests.corpus import corpus_manifest, corpus_root
from tests.demo import DEMO_TRACE
from tilescope.tiler.errors import DamagedTrace
from tilescope.tiler.readers.recognise import open_trace
from tilescope.tiler.readers.tf_graph import parsing
from tilescope.tiler.readers.tf_graph.signature import Form, form_of

FORMS = {
    Form.GRAPH: model_graphs.graph,
    Form.SAVED_MODEL: model_graphs.saved_model,
    Form.TEXT: model_graphs.text,
    Form.EVENTS: model_graphs.events,
}
WANTED = [
    *([name, op, device, list(inputs)] for name, op, device, inputs in model_graphs.NODES),
    ["__inference_f_3/x", "Tanh", "", ["__inference_f_3/argument"]],
    ["__inference_f_3/y", "Square", "", ["__inference_f_3/x:y:0"]],
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
        wanted.insert(len(model_graphs.NODES), ["c", "Const", "", []])
    assert nodes(path) == wanted


def test_traces_are_none() -> None:
    """Whatever a real trace begins with."""
    heads = [DEMO_TRACE.read_bytes()[: 64 << 10]]
    for name in corpus_manifest():
        path = corpus_root() / name
        if path.is_file():
            with path.open("rb") as file:
                heads.append(file.read(64 << 10))
    for head in heads:
        assert form_of(head) is None
        if head.startswith(b"\x1f\x8b"):
            continue
        assert form_of(head[:4096]) is None
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
    monkeypatch.setattr(parsing, "MAX_NODES", 3)
    with pytest.raises(DamagedTrace, match="more than 3 nodes"):
        nodes(path)
    monkeypatch.setattr(parsing, "MAX_GRAPH_BYTES", 10)
    with pytest.raises(DamagedTrace, match="more than 10 bytes"):
        nodes(path)


def test_nobody_else_pays_for_protobuf() -> None:
    """Its time and memory are none that `tilescope index` needs."""
    script = "import sys, tilescope.tiler.indexing; sys.exit('google.protobuf' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
