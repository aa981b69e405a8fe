"""Graphs of models and saved pages: much in few bytes, and values of wrong types."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.hostile.case import MIB, Case, Indexed, Maker, Refused, put
from tests.tiler.readers.wire_writer import data

_MEMORY = ("--memory", "128MB")
_LESS = 512 * MIB
_TOO_MUCH = Refused(
    "is a model graph of more than .* of memory|has a node with more than|has more than .* (fields|nodes)"
)


def _packed(name: str, parts: Callable[[], Iterable[bytes]]) -> Maker:
    """Writes them one by one: what they take here counts as the memory of the process that reads them."""

    def make(folder: Path) -> Path:
        with gzip.open(folder / name, "wb", 1) as file:
            for part in parts():
                file.write(part)
        return folder / name

    return make


def _node(name: bytes, *more: bytes) -> bytes:
    return data(1, data(1, name) + data(2, b"Relu") + b"".join(more))


_GRAPHS: dict[str, Maker] = {
    "names": _packed("graph.pb.gz", lambda: (_node(b"%07d" % k + b"a" * 4080) for k in range(100_000))),
    "inputs": _packed("graph.pb.gz", lambda: (_node(b"n%d" % k, data(3, b"n0") * 10) for k in range(900_000))),
    "inputs-of-a-node": _packed("graph.pb.gz", lambda: [_node(b"n", data(3, b"") * 20_000_000)]),
    "fields": _packed("graph.pb.gz", lambda: [_node(b"n"), b"\x10\x00" * 60_000_000]),
    "text-names": _packed(
        "graph.pbtxt.gz", lambda: (b'node { name: "%07d%s" op: "a" }\n' % (k, b"a" * 4080) for k in range(16_000))
    ),
}

_TEXT = b'node { name: "a" op: "b" }\n'
_CONSTANT = b'node { name: "c" op: "Const" attr { value { tensor_content: "%s" } } }'

_PAGES = {
    "objects": lambda: b'{"byCategory":{"children":[' + b"{}," * 9_000_000 + b"{}]}}",
    "lists": lambda: b'{"byCategory":{"children":[' + b"[]," * 9_000_000 + b"[]]}}",
}
_TAKES = Refused("is JSON that takes .* of memory")

CASES = [
    *(
        Case(f"graph/{name}", "takes no more memory than it may", of, (_TOO_MUCH,), _MEMORY, 60, _LESS, apart=True)
        for name, of in _GRAPHS.items()
    ),
    Case(
        "graph/text-of-a-constant",
        "what is not kept takes no memory",
        put("graph.pbtxt", lambda: _TEXT + _CONSTANT % (b"\\000" * 12_000_000)),
        (Indexed(0, None, None),),
        _MEMORY,
        20,
        _LESS,
        apart=True,
    ),
    *(
        Case(f"page/{name}", "takes no more memory than it may", put("page.json", of), (_TAKES,), _MEMORY)
        for name, of in _PAGES.items()
    ),
    Case(
        "page/id-of-a-column",
        "a list is no name of a column",
        put("page.json", b'[{"cols":[{"id":"stepnum"},{"id":["a"]}],"rows":[]}]'),
        (Indexed(0, None, None),),
    ),
]
