"""One table of columns for all who read or write them: Python, C++, TypeScript and the page about the format."""

from __future__ import annotations

import re
from pathlib import Path

from tests.tiler.pages.write_columns import MODULES, PAGE, ROOT, page_text, typescript_text
from tilescope.tiler.pages.columns import Col, Where

NATIVE = ROOT / "tiler" / "native"
PYTHON = [*(ROOT / "tiler" / "pages").glob("*.py"), *(ROOT / "tiler" / "records").rglob("*.py")]
CLIENT = ROOT / "viewer" / "client" / "src" / "pages"


def native_ids() -> dict[str, int]:
    """The columns of the native encoder: a name without a number has that of the name before, plus one."""
    body = re.search(
        r"enum class ColumnId : uint8_t \{(.*?)\};", (NATIVE / "pages" / "container.hpp").read_text(), re.DOTALL
    )
    assert body is not None
    ids: dict[str, int] = {}
    last = -1
    for name, number in re.findall(r"(\w+)(?: = (\d+))?,", body[1]):
        last = ids[name] = int(number) if number else last + 1
    return ids


def test_the_native_encoder_has_the_columns_of_the_table() -> None:
    ids = native_ids()
    assert {name: Col[name.upper()].value for name in ids} == ids
    pages = {Where.TILES, Where.SLICES, Where.BINS, Where.RESIDUAL, Where.COUNTER_BINS, Where.SAMPLES}
    pages |= {Where.HISTOGRAM, Where.SPREAD}  # which it reads
    assert ids.keys() == {column.name.lower() for column in Col if column.where in pages}


def test_the_native_encoder_writes_the_types_of_the_table() -> None:
    written = re.findall(r"out\.(\w+)\(ColumnId::(\w+),", (NATIVE / "pyramid" / "tiles.cpp").read_text())
    read = {column.name.lower() for column in Col if column.where in (Where.HISTOGRAM, Where.SPREAD)}
    assert {name for _, name in written} == native_ids().keys() - read
    types = {"float64": "float64", "delta": "int64", "plain": "int64"}
    assert [(name, types[how]) for how, name in written] == [(name, Col[name.upper()].type) for _, name in written]


def test_typescript_has_the_columns_of_the_table() -> None:
    for module, places in MODULES.items():
        assert module.read_text() == typescript_text(places), "written by hand, or out of date: make types"


def test_typescript_decodes_columns_as_what_they_are_and_by_no_number() -> None:
    for path in CLIENT.glob("*.ts"):
        if path.name.endswith(".test.ts") or path.name == "container.ts":
            continue
        text = path.read_text()
        asked = re.findall(r"\bcontainer\.(ints|floats|has)\((\w+)", text)
        assert all(of in ("INTS", "FLOATS", "id") for _, of in asked), path
        assert not [one for one in asked if one in (("ints", "FLOATS"), ("floats", "INTS"))], path


def test_the_page_about_the_format_has_the_columns_of_the_table() -> None:
    text = PAGE.read_text()
    assert text == page_text(text), "written by hand, or out of date: make types"
    assert set(re.findall(r"<!-- columns: (\w+) -->", text)) == {where.name for where in Where}


def test_python_decodes_columns_as_what_they_are() -> None:
    asked = [
        (how, name)
        for path in PYTHON
        for how, name in re.findall(r"\b_?(ints|floats)\((?:\w+, )?Col\.(\w+)", Path(path).read_text())
    ]
    assert len(asked) > 5
    assert [(name, {"ints": "int64", "floats": "float64"}[how]) for how, name in asked] == [
        (name, Col[name].type) for _, name in asked
    ]


def test_ids_are_those_of_bytes_and_each_stands_once() -> None:
    assert len({column.value for column in Col}) == len(Col.__members__)
    assert all(0 <= column.value < 256 and column.meaning and column.since == 1 for column in Col)
