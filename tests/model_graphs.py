"""Graphs of TensorFlow models, in every form that files have."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from google.protobuf import text_format

from tilescope.graph import graph_pb2 as pb

Node = tuple[str, str, str, Sequence[str]]  # name, operation, device, inputs

# A small model: operations that a TPU runs, one that it does not, one that somebody placed on the CPU, and a function.
NODES: Sequence[Node] = (
    ("input", "Placeholder", "", []),
    ("model/dense/weights", "VarHandleOp", "", []),
    ("model/dense/read", "ReadVariableOp", "/job:worker/device:TPU:0", ["model/dense/weights"]),
    ("model/dense/MatMul", "MatMul", "", ["input", "model/dense/read"]),
    ("model/dense/Relu", "Relu", "", ["model/dense/MatMul:0"]),
    ("model/words/lookup", "DecodeJpeg", "", ["input"]),
    ("save/write", "SaveV2", "/device:CPU:0", ["^model/dense/Relu"]),
)
FUNCTION = ("__inference_f_3", (("x", "Tanh", "", ["argument"]), ("y", "Square", "", ["x:y:0"])))


def node(of: Node) -> pb.NodeDef:
    name, op, device, inputs = of
    return pb.NodeDef(name=name, op=op, device=device, input=inputs)


def graph() -> bytes:
    """A GraphDef."""
    name, body = FUNCTION
    function = pb.FunctionDef(
        signature=pb.FunctionDef.Signature(name=name), node_def=[node(of).SerializeToString() for of in body]
    )
    library = pb.GraphDef.Library(function=[function.SerializeToString()])
    of = pb.GraphDef(node=[node(of).SerializeToString() for of in NODES], library=library)
    return bytes(of.SerializeToString())


def saved_model() -> bytes:
    meta = pb.SavedModel.MetaGraph(graph_def=pb.GraphDef.FromString(graph()))
    return bytes(pb.SavedModel(saved_model_schema_version=1, meta_graphs=[meta]).SerializeToString())


def text() -> bytes:
    """The same, with fields that tools do not read."""
    name, body = FUNCTION
    function = pb.TextGraph.Function(signature=pb.FunctionDef.Signature(name=name), node_def=[node(of) for of in body])
    of = pb.TextGraph(node=[node(of) for of in NODES], library=pb.TextGraph.Library(function=[function]))
    more = 'node { name: "c" op: "Const" attr { key: "value" value { tensor { int_val: 3 } } } }\nversions { min: 1 }\n'
    return (text_format.MessageToString(of) + more).encode()


def record(data: bytes) -> bytes:
    return struct.pack("<QI", len(data), 0) + data + bytes(4)


def events() -> bytes:
    """An event file with two graphs and other records."""
    version = b"\x09" + struct.pack("<d", 1.5) + b"\x1a\x0dbrain.Event:2"
    older = pb.Event(graph_def=pb.GraphDef(node=[node(NODES[0]).SerializeToString()]).SerializeToString())
    of = pb.Event(graph_def=graph())
    parts = (version, older.SerializeToString(), b"\x10\x05", of.SerializeToString(), b"\x10\x06")
    return b"".join(map(record, parts))
