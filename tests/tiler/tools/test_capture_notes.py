"""Notes on what a capture of MindSpore's first profiler has, and with which option the rest is recorded."""

from __future__ import annotations

from pathlib import Path

from bench.ascend_run import AscendShape, Training, write_profiler
from tests.corpus import corpus_path
from tests.reports.traces import answer
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store


def notes_of(files: list[Path], folder: Path) -> str:
    build_store(files, folder / "run.store")
    reader = QueryReader(open_run_store(folder / "run.store"))
    texts = [note.text for note in answer(reader, "overview").notes]
    reader.store.close()
    return "\n".join(texts)


def test_what_a_run_of_one_device_lacks(tmp_path: Path) -> None:
    text = notes_of(sorted(corpus_path("ascend/run_1").iterdir()), tmp_path)
    assert "Recorded beside the timeline: operators (see operators), data preparation (see input_pipeline)." in text
    lacking = next(line for line in text.splitlines() if line.startswith("Not in this capture"))
    assert "memory (profile_memory=True)" in lacking
    assert "communication" not in lacking, "of a single device there is none"


def test_a_complete_capture_of_several_ranks_lacks_what_msprof_exports(tmp_path: Path) -> None:
    shape = AscendShape(ranks=2, stages=1, steps=2)
    text = notes_of(write_profiler(tmp_path / "training", Training(shape)), tmp_path)
    for words in ("operators (see operators)", "communication (see collectives)", "memory (see memory_viewer)"):
        assert words in text
    lacking = next(line for line in text.splitlines() if line.startswith("Not in this capture"))
    assert lacking.endswith(
        "records it: counters of AI Cores (aicore_metrics=1, then msprof --export=on), "
        "L2 cache (l2_cache=True, then msprof --export=on)."
    )


def test_counters_and_caches_of_msprof_beside_a_training(tmp_path: Path) -> None:
    training = write_profiler(tmp_path / "training", Training(AscendShape(ranks=1, stages=1, steps=2)))
    summary = tmp_path / "op_summary_0.csv"
    row = "add,Add,AI_CORE,1736413971558972.912,12.5,0.25\n"
    for counter, has_counters in (("aic_mac_ratio", True), ("Block Dim", False)):
        header = f"Op Name,OP Type,Task Type,Task Start Time(us),Task Duration(us),{counter}\n"
        summary.write_text(header + row)
        (tmp_path / "l2_cache_0.csv").write_text("Stream Id,Task Id,Hit Rate\n1,2,0.5\n")
        folder = tmp_path / str(has_counters)
        folder.mkdir()
        text = notes_of([*training, summary, tmp_path / "l2_cache_0.csv"], folder)
        assert ("counters of AI Cores (see operators)" in text) == has_counters
        assert ("aicore_metrics=1" in text) != has_counters
        assert "L2 cache (see tables)" in text


def test_other_profilers_have_other_options(tmp_path: Path) -> None:
    text = notes_of([corpus_path("ascend/msprof_0_2_10.json")], tmp_path)
    assert "capture" not in text
