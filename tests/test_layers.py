"""The rooms of the house keep their order: imports go down the road of docs/architecture.md, and never up it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).resolve().parent.parent
FOLDERS: Final = {
    "tilescope": ROOT / "tilescope",
    "tilescope.tiler": ROOT / "tiler",
    "tilescope.server": ROOT / "server",
}

# From the ground up. A module belongs to the longest name that it starts with, and imports from its own layer and from
# those before it. Modules that lie at the root of a package are named where its rooms stand on them.
LAYERS: Final = (
    "tilescope tilescope.v1 tilescope.hlo tilescope.graph tilescope.profiler",
    "tilescope.tiler.schema",
    "tilescope.tiler",
    "tilescope.tiler.blobs",
    "tilescope.tiler.columns",
    "tilescope.tiler.pages",
    "tilescope.tiler.details",
    "tilescope.tiler.records",
    "tilescope.tiler.resolver",
    "tilescope.tiler.readers",
    "tilescope.tiler.synth",
    "tilescope.tiler.store",
    "tilescope.tiler.lookup",
    "tilescope.tiler.verify",
    "tilescope.tiler.query",
    "tilescope.tiler.facts",
    "tilescope.tiler.search",
    "tilescope.tiler.tables",
    "tilescope.tiler.tools",
    "tilescope.tiler.export",
    "tilescope.tiler.indexing.progress tilescope.tiler.indexing.meter tilescope.tiler.indexing.scratch",
    "tilescope.tiler.indexing.reading",
    "tilescope.tiler.indexing.tracks",
    "tilescope.tiler.indexing.device",
    "tilescope.tiler.indexing.flows",
    "tilescope.tiler.indexing.output",
    "tilescope.tiler.indexing",
    "tilescope.tiler.shards",
    "tilescope.tiler.mount",
    "tilescope.tiler.sql",
    "tilescope.remote",
    "tilescope.executors",
    "tilescope.client",
    "tilescope.mcp",
    "tilescope.profiling",
    "tilescope.capture",
    "tilescope.server.errors tilescope.server.redaction tilescope.server.json_text tilescope.server.page_keys "
    "tilescope.server.paths tilescope.server.access_log tilescope.server.metrics",
    "tilescope.server.runs",
    "tilescope.server.guard tilescope.server.settings",
    "tilescope.server.services",
    "tilescope.server.captures",
    "tilescope.server.uploads",
    "tilescope.server.http",
    "tilescope.server.stream tilescope.server.watch",
    "tilescope.server.keys",
    "tilescope.server.agents",
    "tilescope.server.openapi",
    "tilescope.server.rpc tilescope.server.routes",
    "tilescope.server",
    "tilescope.cli tilescope.__main__",
)

# Messages of protos.
GENERATED: Final = frozenset({"tilescope.v1", "tilescope.hlo", "tilescope.graph", "tilescope.profiler"})

# Neither of them knows the other, whichever comes first.
APART: Final = (
    ("tilescope.tiler.verify", "tilescope.tiler.indexing", "the proof shares nothing with what it proves"),
    ("tilescope.tiler.tools", "tilescope.tiler.readers", "what a tool needs is in the store"),
    ("tilescope.tiler.tools", "tilescope.tiler.indexing", "what a tool needs is in the store"),
    ("tilescope.tiler.facts", "tilescope.tiler.readers", "facts are read from the store"),
    ("tilescope.tiler.query", "tilescope.tiler.readers", "questions are answered from the store"),
    ("tilescope.tiler.query", "tilescope.tiler.indexing", "questions are answered from the store"),
    ("tilescope.client", "tilescope.server", "a client speaks with a server over the network"),
    ("tilescope.server.rpc", "tilescope.server.routes", "transports share services, not each other"),
)

# What agents are given is written over the client, whatever that reads: the runs of this very process, too.
BRIDGES: Final = ("tilescope.server.agents",)

# What `tiler` does without: it knows nothing of the network, and is synchronous.
NOT_IN_TILER: Final = frozenset({"aiohttp", "asyncio", "grpc", "http", "obstore", "socket", "ssl", "urllib", "urllib3"})


def modules() -> Iterator[tuple[str, Path]]:
    for package, folder in FOLDERS.items():
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder).with_suffix("").parts
            yield ".".join([package, *(part for part in parts if part != "__init__")]), path


MODULES: Final = dict(modules())


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """Whatever a file imports, at its top or within a function, but not for the type checker alone."""
    tree = ast.parse(path.read_text())
    typing_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in typing_only:
            continue
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                full = f"{node.module}.{name.name}"
                yield node.lineno, full if full in MODULES else node.module


def is_within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def layer(module: str) -> int:
    """The number of a module's layer."""
    matches = [
        (len(name), number) for number, names in enumerate(LAYERS) for name in names.split() if is_within(module, name)
    ]
    return max(matches)[1]


def test_every_layer_is_there() -> None:
    for names in LAYERS:
        for name in names.split():
            assert name in MODULES or name in GENERATED, f"{name} is gone: take it out of LAYERS"


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_go_down(module: str) -> None:
    path = MODULES[module]
    for line, imported in imports(path):
        where = f"{path.relative_to(ROOT)}:{line}"
        if is_within(imported, "tilescope"):
            assert layer(imported) <= layer(module), f"{where}: {module} lies below {imported}, and must not import it"
            for one, other, reason in APART:
                pair = (module, imported) if is_within(module, one) else (imported, module)
                apart = is_within(pair[0], one) and is_within(pair[1], other)
                apart = apart and not any(is_within(module, bridge) for bridge in BRIDGES)
                assert not apart, f"{where}: {module} must not import {imported}: {reason}"
        elif is_within(module, "tilescope.tiler"):
            assert imported.partition(".")[0] not in NOT_IN_TILER, f"{where}: tiler must not import {imported}"
