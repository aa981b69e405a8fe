"""Editors see the project: pyright resolves each import of ours, and finds definitions in the sources."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).resolve().parent.parent
BIN: Final = ROOT / ".venv" / "bin"
OURS: Final = ("tilescope", "tests", "bench", "release")
TIMEOUT_S: Final = 300

# A use of a name each, and the file that the definition is in.
DEFINITIONS: Final = {
    "from tilescope.tiler.ticks import UNITS_PS": "tiler/ticks.py",
    "from tilescope.server.settings import Settings": "server/settings.py",
    "from tilescope.client.sync import Client": "tilescope/client/sync.py",
    "from tilescope.tiler._native import TreeReader": "tiler/_native.pyi",
}


@pytest.fixture(scope="module", autouse=True)
def _pyright() -> None:
    """Skips where pyright is absent, or the links that `make dev` makes."""
    if not (BIN / "pyright").exists() or shutil.which("node") is None:
        pytest.skip("imports in editors are not tested: no pyright in .venv, or no node; `make dev` installs pyright")
    if not (ROOT / "tilescope" / "tiler").is_symlink():
        pytest.skip("imports in editors are not tested: no links in tilescope/; `make dev` makes them")
    # A wrapper that fetches pyright from npm when it first runs.
    first = subprocess.run([BIN / "pyright", "--version"], capture_output=True, text=True, check=False)
    if first.returncode != 0:
        pytest.skip(f"imports in editors are not tested: pyright cannot be fetched: {first.stderr.strip()[-200:]}")


def imported_modules() -> set[str]:
    """The modules of ours that any file imports, by their names."""
    listed = subprocess.run(["git", "ls-files", "*.py", "*.pyi"], cwd=ROOT, capture_output=True, text=True, check=False)
    names: set[str] = set()
    for path in listed.stdout.splitlines():
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module)
    return {name for name in names if name.split(".")[0] in OURS}


def test_every_import_of_ours_is_resolved(tmp_path: Path) -> None:
    modules = imported_modules()
    if not modules:
        pytest.skip("imports in editors are not tested: git does not list the files of this folder")
    assert {"tilescope.tiler._native", "tilescope.v1", "tilescope.server.app"} <= modules
    program = tmp_path / "imports.py"
    program.write_text("".join(f"import {name}\n" for name in sorted(modules)) + "import tilescope.nothing\n")
    command = [str(BIN / "pyright"), "--project", str(ROOT / "pyproject.toml"), "--outputjson", str(program)]
    answer = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    unresolved = [
        problem["message"]
        for problem in json.loads(answer.stdout)["generalDiagnostics"]
        if problem.get("rule") in ("reportMissingImports", "reportMissingModuleSource", "reportAttributeAccessIssue")
    ]
    assert unresolved == ['Import "tilescope.nothing" could not be resolved']


class LanguageServer:
    """pyright as editors talk to it: JSON-RPC over standard input and output."""

    def __init__(self) -> None:
        command = [str(BIN / "pyright-langserver"), "--stdio"]
        self._process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        folder = {"uri": ROOT.as_uri(), "name": "tilescope"}
        self.request("initialize", {"processId": None, "capabilities": {}, "workspaceFolders": [folder]})
        self._send({"method": "initialized", "params": {}})

    def open(self, path: Path, text: str) -> None:
        """Shows the server a file that need not be there."""
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": text}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """The result; what the server says or asks meanwhile is passed over."""
        self._send({"id": 1, "method": method, "params": params})
        while True:
            message = self._receive()
            if message.get("id") == 1 and "method" not in message:
                return message["result"]
            if "id" in message:
                self._send({"id": message["id"], "result": None})

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        self._process.stdin.flush()

    def _receive(self) -> Any:
        assert self._process.stdout is not None
        size_bytes = 0
        while header := self._process.stdout.readline().strip():
            name, _, value = header.partition(b":")
            if name.lower() == b"content-length":
                size_bytes = int(value)
        assert size_bytes, "the language server has ended"
        return json.loads(self._process.stdout.read(size_bytes))


@pytest.fixture(scope="module")
def language_server() -> Iterator[LanguageServer]:
    server = LanguageServer()
    yield server
    server.close()


@pytest.mark.parametrize("statement", DEFINITIONS)
def test_a_definition_is_found_in_the_sources(language_server: LanguageServer, statement: str) -> None:
    path = ROOT / "tests" / f"unsaved_{Path(DEFINITIONS[statement]).stem}.py"
    language_server.open(path, f"{statement}\n")
    position = {"line": 0, "character": len(statement) - 1}
    params = {"textDocument": {"uri": path.as_uri()}, "position": position}
    (found,) = language_server.request("textDocument/definition", params)
    definition = Path(found["uri"].removeprefix("file://"))
    assert "build" not in definition.relative_to(ROOT).parts
    assert definition.resolve().relative_to(ROOT).as_posix() == DEFINITIONS[statement]
