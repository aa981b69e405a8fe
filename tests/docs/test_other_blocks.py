"""Blocks that are neither Python nor shell: data can be read, the TypeScript of the client's README runs."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Final

import pytest

from tests.cli.test_server_commands import started
from tests.demo import DEMO_TRACE
from tests.docs.code_blocks import INDENTED, PAGES, ROOT, CodeBlock, blocks_of
from tilescope.tiler.work_rules import read_work_rules

BLOCKS: Final = [block for page in PAGES for block in blocks_of(page)]
CLIENT: Final = ROOT / "viewer" / "client" / "dist" / "tilescope-client.js"

# Languages of which no block is tried here, and why.
ELSEWHERE: Final = {
    INDENTED: "tests/docs/test_shell_blocks.py",
    "sh": "tests/docs/test_shell_blocks.py",
    "text": "tests/docs/test_shell_blocks.py: the examples; tests/cli/test_docs.py: the rest",
    "python": "tests/docs/test_python_blocks.py",
    "yaml": "tests/cli/test_compare.py runs the shell of its jobs",
    "sql": "tests/docs/test_sql_recipes.py",
    "nginx": "tests/server/test_proxy.py runs these in nginx",
}
HERE: Final = ("json", "toml", "ts")


def of_language(language: str) -> list[CodeBlock]:
    return [block for block in BLOCKS if block.language == language]


def test_blocks_of_every_language_are_tried() -> None:
    assert {block.language for block in BLOCKS} <= {*ELSEWHERE, *HERE}


@pytest.mark.parametrize("block", of_language("json"), ids=str)
def test_json_can_be_read(block: CodeBlock) -> None:
    for line in [block.text] if block.text.startswith("{\n") else block.text.split("\n\n"):
        json.loads(line)


@pytest.mark.parametrize("block", of_language("toml"), ids=str)
def test_rules_are_rules(block: CodeBlock, tmp_path: Path) -> None:
    (tmp_path / "rules.toml").write_text(block.text)
    assert len(tomllib.loads(block.text)["rule"]) == len(read_work_rules(tmp_path / "rules.toml").rules)


@pytest.mark.skipif(shutil.which("node") is None or not CLIENT.exists(), reason="needs Node, and `make viewer`")
@pytest.mark.parametrize("block", of_language("ts"), ids=str)
def test_typescript_draws(block: CodeBlock, tmp_path: Path) -> None:
    shutil.copy(DEMO_TRACE, tmp_path / "host0.xplane.pb")
    tail = """
    for (let tries = 0; tries < 500 && !client.coverage(request, view).complete; tries++) {
      await new Promise((done) => setTimeout(done, 20));
    }
    console.log(client.coverage(request, view).complete, drawn > 0);
    client.close();
    """
    with started(tmp_path, "view", "host0.xplane.pb", "--no-browser") as (_, url):
        base = url.partition("?")[0].rstrip("/")
        text = block.text.replace("@tilescope/client", CLIENT.as_uri()).replace("http://127.0.0.1:8808", base)
        # What a page has and Node has not, and a trace that is indexed already.
        given = (
            f"globalThis.location = new URL('{base}/'); let drawn = 0; const draw = (draws) => (drawn += draws.length);"
        )
        wait = "while ((await api.runs())[0].state !== 'ready') await new Promise((done) => setTimeout(done, 50));"
        at = text.index("const [run]")
        (tmp_path / "page.mjs").write_text("\n".join([given, text[:at], wait, text[at:], tail]))
        node = ["node", "--experimental-websocket", str(tmp_path / "page.mjs")]
        run = subprocess.run(node, capture_output=True, text=True, timeout=60)
    assert run.stdout == "true true\n", run.stderr
