"""The example of docs/client.md: a table of the operations of the slowest step."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import tilescope
from tests.tpu_trace import Instruction, Run, plane, write_trace

DOCS = Path(__file__).resolve().parents[2] / "docs" / "client.md"


def test_the_operations_of_the_slowest_step(tmp_path: Path) -> None:
    (example,) = re.findall(r"```python\n([^`]*slowest =[^`]*)```", DOCS.read_text())
    shared: dict[str, int | str] = {"program_id": 3, "hlo_category": "loop fusion"}
    instructions = [Instruction(f"fusion.{k}", {**shared, "symbol_id": k}) for k in (1, 2)]
    instructions += [Instruction(str(number)) for number in (7, 8)]
    steps = [Run(2, 0, 1000), Run(3, 2000, 3000)]
    runs = [Run(0, 10, 500), Run(0, 2010, 100), Run(1, 2500, 2000), Run(0, 4600, 100)]
    trace = write_trace(
        tmp_path / "t.xplane.pb", [plane("/device:TPU:0", instructions, {"Steps": steps, "XLA Ops": runs})]
    )
    names: dict[str, Any] = {"run": tilescope.connect(tilescope.index(trace, tmp_path / "store")).run()}
    exec(example, names)
    assert names["slowest"] == 8
    rows = names["operations"][["name", "count", "self"]].to_numpy().tolist()
    assert rows == [["fusion.2", 1, 2000], ["fusion.1", 2, 200]]
