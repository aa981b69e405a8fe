"""Names of uploads: none becomes a path, and layouts still know them."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilescope.server.errors import BadRequest
from tilescope.server.uploads.plan import make_plan, safe_path
from tilescope.tiler.schema import UploadFile, UploadOrder

names = st.text(st.sampled_from("a.bé/\\~: \0\n-_%$x"), min_size=1, max_size=40)


def order(*names: str) -> UploadOrder:
    return UploadOrder(files=[UploadFile(name=name, size_bytes="1", modified_ms="0") for name in names])


@given(names)
def test_no_name_leads_out_of_its_folder(name: str) -> None:
    try:
        parts = safe_path(name)
    except BadRequest:
        return
    path = Path("/base", *parts)
    assert path.resolve().is_relative_to("/base")
    assert len(path.parts) == 2 + len(parts)
    for part in parts:
        assert part not in ("", ".", "..")
        assert not part.startswith(".")
        assert not set(part) & set('/\\\0\n:$%"')
        assert len(part.encode()) <= 200
    assert safe_path("/".join(parts)) == parts, "what is safe stays as it is"


@pytest.mark.parametrize(
    "name",
    [
        "logs/plugins/profile/2026_01_31_10_00_00/host-0.xplane.pb",
        "PROF_000001_20260131100000000_ABC/mindstudio_profiler_output/msprof_20260131.json",
        "worker 1 (copy).pt.trace.json.gz",
        "Spur größer.json",
    ],
)
def test_names_of_profilers_stay_as_they_are(name: str) -> None:
    assert "/".join(safe_path(name)) == name


@pytest.mark.parametrize("name", ["../a", "a/../../b", "..", "/", ".", "a\\..\\b", "/".join("a" * 20)])
def test_paths_that_lead_elsewhere_are_refused(name: str) -> None:
    with pytest.raises(BadRequest):
        safe_path(name)


def test_long_names_keep_the_end_that_tells_the_format() -> None:
    (name,) = safe_path("ü" * 300 + ".xplane.pb")
    assert name.endswith("ü.xplane.pb")
    assert len(name.encode()) <= 200


@pytest.mark.parametrize("name", ["x." + "a" * 199, "x " + "a" * 199, "x .." + "é" * 99 + "a"])
def test_what_is_left_of_a_long_name_is_not_hidden(name: str) -> None:
    (kept,) = safe_path(name)
    assert kept[0] not in ". "
    assert len(kept.encode()) <= 200
    assert safe_path(kept) == (kept,)


@pytest.mark.parametrize("pair", [("a.json", "a.json"), ("x/A.json", "x/a.json"), ("x/a?", "x/a*"), ("x/a", "x/a/b")])
def test_two_files_of_one_name_are_refused(pair: tuple[str, str]) -> None:
    with pytest.raises(BadRequest, match="one name"):
        make_plan(order(*pair), "", 0)


def test_files_that_are_no_folder_get_one() -> None:
    assert [file.path for file in make_plan(order("a.json"), "", 0).files] == ["a.json"]
    assert [file.path for file in make_plan(order("x/a", "x/y/b"), "", 0).files] == ["x/a", "x/y/b"]
    loose = make_plan(order("a.json", "b.json"), "", 0)
    assert {PurePosixPath(file.path).parts[0] for file in loose.files} == {"2 files"} == {loose.top}


def test_no_file_is_of_the_future() -> None:
    files = [UploadFile(name="a", size_bytes="1", modified_ms="9" * 18)]
    assert make_plan(UploadOrder(files=files), "", 5_000_000).files[0].modified_ms == 5
