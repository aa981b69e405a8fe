"""What GPUs could reach, by their generation and clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.corpus import corpus_path
from tests.xprof_golden import golden
from tilescope.tiler.facts.operations.rates import Peaks, peaks_of
from tilescope.tiler.indexing import build_store
from tilescope.tiler.query import QueryReader
from tilescope.tiler.store import open_run_store

GIB = 2**30


def peaks(path: Path, name: str) -> Peaks:
    build_store([corpus_path(f"xplane/{name}.xplane.pb")], path)
    reader = QueryReader(open_run_store(path))
    (group, *_) = (of.id for of in reader.tree.groups if "/device:GPU:0" in f"{of.name} {of.detail}")
    return peaks_of(reader, group, 0)


def test_an_mi300x(tmp_path: Path) -> None:
    told = golden("gpu_mi300x8_conv/roofline_model")[0]["p"]
    found = peaks(tmp_path / "store", "gpu_mi300x8_conv")
    assert None not in (found.flops, found.hbm, found.shared)
    assert f"{(found.flops or 0) / 1e9:.6g}" == f"{float(told['peak_flop_rate']):.6g}"
    assert f"{(found.hbm or 0) / GIB:.6g}" == told["peak_hbm_bw"]
    assert f"{(found.shared or 0) / GIB:.6g}" == told["peak_vmem_write_bw"]
    assert found.device == "AMD GPU, gfx94x"


def test_a_v100_whose_trace_names_no_vendor(tmp_path: Path) -> None:
    told = golden("gpu_v100x8_bert/roofline_model")[0]["p"]
    found = peaks(tmp_path / "store", "gpu_v100x8_bert")
    # xprof wants the vendor and says 0; its compute capability is one that only NVIDIA has.
    assert told["peak_flop_rate"] == "0"
    assert found.flops == pytest.approx(80 * 1024 * 1.53e9)
    assert f"{(found.hbm or 0) / GIB:.6g}" == told["peak_hbm_bw"]
    assert found.device == "NVIDIA GPU, compute capability 7.0"
    assert "80 × 1,024 FLOP a clock" in found.flops_by
