"""Graphs of TensorFlow models, in every form that files have."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

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
# Attributes of some of them, and how they read.
ATTRIBUTES: Mapping[str, Mapping[str, pb.AttrValue]] = {
    "model/dense/MatMul": {
        "transpose_a": pb.AttrValue(b=False),
        "T": pb.AttrValue(type=pb.DT_FLOAT),
        "_output_shapes": pb.AttrValue(
            list=pb.AttrValue.List(
                shape=[pb.TensorShape(dim=[pb.TensorShape.Dim(size=-1), pb.TensorShape.Dim(size=64)])]
            )
        ),
    },
    "save/write": {"dtypes": pb.AttrValue(list=pb.AttrValue.List(type=[pb.DT_STRING, pb.DT_INT64]))},
}
ATTRIBUTE_TEXTS = {
    "model/dense/MatMul": "T: float32\n_output_shapes: [[?,64]]\ntranspose_a: false",
    "save/write": "dtypes: [string, int64]",
}
FUNCTION = ("__inference_f_3", (("x", "Tanh", "", ["argument"]), ("y", "Square", "", ["x:y:0"])))


def node(of: Node) -> pb.NodeDef:
    name, op, device, inputs = of
    attributes = [
        pb.AttrEntry(key=key, value=value.SerializeToString()).SerializeToString()
        for key, value in ATTRIBUTES.get(name, {}).items()
    ]
    return pb.NodeDef(name=name, op=op, device=device, input=inputs, attr=attributes)


def node_text(of: Node) -> str:
    plain = node(of)
    plain.ClearField("attr")
    attributes = [pb.TextAttr(key=key, value=value) for key, value in ATTRIBUTES.get(of[0], {}).items()]
    return text_format.MessageToString(plain) + "".join(
        f"attr {{\n{text_format.MessageToString(attribute)}}}\n" for attribute in attributes
    )


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
    library = pb.TextGraph(library=pb.TextGraph.Library(function=[function]))
    nodes = "".join(f"node {{\n{node_text(of)}}}\n" for of in NODES)
    more = 'node { name: "c" op: "Const" attr { key: "value" value { tensor { int_val: 3 } } } }\nversions { min: 1 }\n'
    return (nodes + text_format.MessageToString(library) + more).encode()


def record(data: bytes) -> bytes:
    return struct.pack("<QI", len(data), 0) + data + bytes(4)


def events() -> bytes:
    """An event file with two graphs and other records."""
    version = b"\x09" + struct.pack("<d", 1.5) + b"\x1a\x0dbrain.Event:2"
    older = pb.Event(graph_def=pb.GraphDef(node=[node(NODES[0]).SerializeToString()]).SerializeToString())
    of = pb.Event(graph_def=graph())
    parts = (version, older.SerializeToString(), b"\x10\x05", of.SerializeToString(), b"\x10\x06")
    return b"".join(map(record, parts))
