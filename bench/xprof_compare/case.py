"""A trace that both are asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from bench.pod_run import PodShape, write_pod
from tilescope.tiler.facts.launches import launched_steps
from tilescope.tiler.facts.operations import tpu_cores
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, ask, from_values, tool
from tilescope.tiler.tools.answer import values_of

# Of the corpus (TILESCOPE_CORPUS): files, or a folder with those of all hosts.
CORPUS: Final = {
    "pod": "pod",
    "tpu_v6e_4core": "xplane/tpu_v6e_4core.xplane.pb",
    "gpu_mi300x8_conv": "xplane/gpu_mi300x8_conv.xplane.pb",
    "gpu_v100x8_bert": "xplane/gpu_v100x8_bert.xplane.pb",
    "h100_jax_train": "xplane/h100_jax_train.xplane.pb",
    "jax_cpu_10steps": "xplane/jax_cpu_10steps.xplane.pb",
}


@dataclass(slots=True)
class Case:
    """A run; `truth`: what made it says is in it; `theirs`: answers of xprof by tool."""

    name: str
    files: list[Path]
    truth: Mapping[str, Any] = field(default_factory=dict)
    theirs: Mapping[str, Any] = field(default_factory=dict)
    reader: QueryReader | None = None

    def index(self, folder: Path) -> None:
        """Makes the store that our tools ask."""
        build_store(self.files, folder / f"{self.name}.store")
        self.reader = QueryReader(open_run_store(folder / f"{self.name}.store"))

    @property
    def tick_ps(self) -> int:
        """Length of a tick of the store."""
        assert self.reader is not None
        return int(self.reader.store.manifest()["tick_ps"])

    def ps(self, ticks: Any) -> int | None:
        """Ticks of the store in ps; None for an unknown time."""
        return None if ticks is None else int(ticks) * self.tick_ps

    @property
    def is_gpu(self) -> bool:
        """True if it is of GPUs."""
        assert self.reader is not None
        return not tpu_cores(self.reader)

    @property
    def runs_graphs(self) -> bool:
        """True if CUDA graphs run some of its instructions."""
        return any("CUDA graphs" in note.text for note in self.ask("hlo_stats").notes)

    @property
    def follows_launches(self) -> bool:
        """True if its steps are those of launches."""
        assert self.reader is not None
        return bool(finish(launched_steps(self.reader, self.reader.steps)).times)

    @property
    def begins_late(self) -> bool:
        """True if a host of it is known to begin a step later than others."""
        return any(host["late"] for host in self.truth.get("hosts", ()))

    def why_not(self, which: str) -> str:
        """Reason why a tool has no answer of ours about it."""
        assert self.reader is not None
        return tool(which).availability(Scope(self.reader))

    def ask(self, which: str, **question: object) -> Answer:
        """Answer of a tool of ours."""
        assert self.reader is not None
        return finish(ask(tool(which), Scope(self.reader), from_values(tool(which).question, question)))

    def rows(self, which: str, table: str, **question: object) -> list[dict[str, Any]]:
        """The rows of a table of such an answer."""
        columns = {column.id: values_of(column) for column in self.ask(which, **question).table(table).columns}
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def cases(folder: Path, corpus: Path | None) -> list[Case]:
    """A synthetic run, which is written into the folder, and the files of the corpus that are there."""
    pod = write_pod(folder / "synthetic", PodShape())
    all_cases = [Case("synthetic", pod.files, pod.truth)]
    for name, path in CORPUS.items():
        whole = None if corpus is None else corpus / path
        if whole is not None and whole.exists():
            all_cases.append(Case(name, sorted(whole.rglob("*.xplane.pb")) or [whole]))
    return all_cases
