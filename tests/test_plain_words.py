"""Names are nouns of the field, and docstrings begin with the thing: the count of others may only fall."""

from __future__ import annotations

import subprocess
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.plain_words import baseline
from tests.plain_words.baseline import changed_lines, explain_fall, explain_rise, fallen, raised, read, record, text
from tests.plain_words.findings import (
    LANGUAGES,
    PACKAGES,
    ROOT,
    Finding,
    Key,
    count,
    module_name,
    package_findings,
    source_files,
)
from tests.plain_words.parsed_code import cpp_words, tsx_words, typescript_words
from tests.plain_words.python_code import python_words
from tests.plain_words.words import EXEMPT

OF = Key("identifiers", "python", "tiler", "of")


@cache
def findings_in(package: str) -> list[Finding]:
    return package_findings(package)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_count_rises(package: str) -> None:
    findings, recorded = findings_in(package), read()
    if keys := raised(count(findings), recorded):
        changed = changed_lines()
        pytest.fail("\n\n".join(explain_rise(key, findings, recorded[key], changed) for key in keys), pytrace=False)


@pytest.mark.parametrize("package", PACKAGES)
def test_the_record_is_as_low_as_the_counts(package: str) -> None:
    counts = count(findings_in(package))
    recorded = Counter({key: number for key, number in read().items() if key.package == package})
    if keys := fallen(counts, recorded):
        lines = [explain_fall(key, counts[key], recorded[key]) for key in keys]
        pytest.fail("\n".join([f"Lower the record: {baseline.COMMAND}", *lines]), pytrace=False)


def test_all_is_read() -> None:
    suffixes = Counter(Path(path).suffix for package in PACKAGES for path in source_files(package))
    assert set(suffixes) == set(LANGUAGES)
    native = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tiler" / "native").glob("*/*.[ch]pp")}
    assert native < set(source_files("tiler"))


def test_what_is_exempt_is_there() -> None:
    for path, word in EXEMPT:
        words = LANGUAGES[Path(path).suffix][1]
        names = [other for kind, other, _ in words((ROOT / path).read_bytes()) if kind == "identifiers"]
        assert word in [*names, module_name(Path(path).name)]


@pytest.mark.parametrize(
    "source",
    [
        "of = 1",
        "of: int = 1",
        "_of, other = 1, 2",
        "def read(of): pass",
        "def read(*, of=1): pass",
        "def read(*of): pass",
        "def of(): pass",
        "class of: pass",
        "class Row:\n    of: int",
        "class Row:\n    def __init__(self): self._of = 1",
        "for of in (): pass",
        "[of for of in ()]",
        "with open('') as of: pass",
        "try: pass\nexcept OSError as of: pass",
        "import os as of",
        "if (of := 1): pass",
        "f = lambda of: 1",
        "match 1:\n    case of: pass",
        "match []:\n    case [*of]: pass",
        "match {}:\n    case {**of}: pass",
    ],
)
def test_names_that_python_binds(source: str) -> None:
    assert [(kind, word) for kind, word, _ in python_words(source.encode())] == [("identifiers", "of")]


@pytest.mark.parametrize(
    "source",
    ["print(of)", "{'of': 1}", "row.of = 1", "read(of=1)", "row.of()", "off = 1", "# of", "'''of'''\nx = 'of'"],
)
def test_names_that_python_only_uses(source: str) -> None:
    assert [word for kind, word, _ in python_words(source.encode()) if kind == "identifiers"] == []


def test_openings_of_docstrings() -> None:
    source = '''\
"""What it is."""
class A:
    """A thing: how."""
    async def b():
        """Which: whether."""

def c():
    pass
'''
    assert list(python_words(source.encode())) == [("openings", "What", 1), ("openings", "Which", 5)]


@pytest.mark.parametrize(
    "source",
    [
        "int of = 1;",
        "int other, of;",
        "void read(const Row& of) {}",
        "void read(Row* of, int other = 2);",
        "void read(Row&& of);",
        "void read(const Row (&of)[3]);",
        "struct Row { int of; };",
        "class Row { int of_ = 1; };",
        "int of();",
        "auto read = [](int of) { return 1; };",
        "auto read = [of = 1] { return 1; };",
        "void read() { for (const auto& of : rows) {} }",
        "void read() { const auto [other, of] = row; }",
        "void read() { if (auto of = row()) {} }",
        "void read() { try {} catch (const Error& of) {} }",
        "enum class Row { of };",
        "struct of {};",
        "using of = int;",
        "namespace of {}",
        "template <typename... T> void read(T&&... of) {}",
        "template <typename of> void read() {}",
    ],
)
def test_names_that_cpp_declares(source: str) -> None:
    assert list(cpp_words(source.encode())) == [("identifiers", "of", 1)]


@pytest.mark.parametrize(
    "source",
    [
        "int x = of;",
        "int x = row.of;",
        "void read() { of(1); }",
        "// A row of it.\nint x;",
        'auto x = "of";',
        "int off;",
        "struct Row { int at(int index); };",
    ],
)
def test_names_that_cpp_only_uses(source: str) -> None:
    assert list(cpp_words(source.encode())) == []


def test_openings_of_cpp_comments() -> None:
    source = """\
// What rows share.
// Which is little.
#pragma once

namespace tilescope {
// Whether it is one.
bool is_one();

struct Row {
    // How long it is.
    int length;  // where it ends
};

// The rows.
inline void read() {
    // Those of the file.
    next();
}
}
"""
    assert list(cpp_words(source.encode())) == [
        ("openings", "What", 1),
        ("openings", "Whether", 6),
        ("openings", "How", 10),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "const of = 1;",
        "function read(of: number) {}",
        "function read(of?: number) {}",
        "function read(...of: number[]) {}",
        "function of() {}",
        "const read = (of: number) => 1;",
        "const read = of => 1;",
        "const { of } = row;",
        "const { of = 1 } = row;",
        "const { other: of } = row;",
        "const [other, of] = row;",
        "for (const of of rows) {}",
        "try {} catch (of) {}",
        "class Row { #of = 1; }",
        "class Row { of() {} }",
        "interface Row { readonly of: number }",
        "type Read = (of: number) => void;",
        "import { read as of } from 'rows';",
        "import * as of from 'rows';",
        "enum Row { of }",
    ],
)
def test_names_that_typescript_declares(source: str) -> None:
    assert list(typescript_words(source.encode())) == [("identifiers", "of", 1)]
    assert list(tsx_words(source.encode())) == [("identifiers", "of", 1)]


@pytest.mark.parametrize(
    "source",
    [
        "for (const row of rows) {}",
        "const x = of;",
        "const x = { of: 1 };",
        "const { of: x } = row;",
        "row.of(1);",
        "import { of } from 'rows';",
        "// of",
        "const x = 'of';",
        "const off = 1;",
        "class Row { at(index: number) {} }",
    ],
)
def test_names_that_typescript_only_uses(source: str) -> None:
    assert list(typescript_words(source.encode())) == []


def test_openings_of_typescript_comments() -> None:
    source = """\
/** What it is. */

/**
 * Whether it is.
 */
function a() {
  // Those of it.
}

/** A row. How long it is. */
let b;
"""
    assert list(typescript_words(source.encode())) == [("openings", "What", 1), ("openings", "Whether", 3)]
    assert list(tsx_words(b"const a = <p>{/* What */}</p>;")) == []


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("told.py", "told"),
        ("test_told.py", "told"),
        ("track-deeds.test.ts", "track_deeds"),
        ("first_look.hpp", "first_look"),
    ],
)
def test_name_of_a_module(file: str, name: str) -> None:
    assert module_name(file) == name


def test_modules_and_folders_count_once(tmp_path: Path) -> None:
    for path in ("tiler/asking/told.py", "tiler/asking/rows.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    modules = [(finding.key.kind, finding.key.word, finding.path) for finding in package_findings("tiler", tmp_path)]
    assert modules == [("modules", "asking", "tiler/asking/"), ("modules", "told", "tiler/asking/told.py")]


def test_an_exempt_name_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiler").mkdir()
    for name in ("rows.py", "tables.py"):
        (tmp_path / "tiler" / name).write_text("of = one = 1\n")
    monkeypatch.setitem(EXEMPT, ("tiler/rows.py", "of"), "a name of the API")
    places = [(finding.path, finding.key.word) for finding in package_findings("tiler", tmp_path)]
    assert places == [("tiler/tables.py", "of"), ("tiler/rows.py", "one"), ("tiler/tables.py", "one")]


def test_an_exempt_module_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tiler").mkdir()
    for name in ("told.py", "turn.py"):
        (tmp_path / "tiler" / name).touch()
    monkeypatch.setitem(EXEMPT, ("tiler/told.py", "told"), "a module of the API")
    assert [finding.path for finding in package_findings("tiler", tmp_path)] == ["tiler/turn.py"]


def test_the_record_falls_and_never_rises(tmp_path: Path) -> None:
    file = tmp_path / "baseline.toml"
    other = OF._replace(word="one")
    assert record({OF: 3, other: 1}, file) == []
    assert record({OF: 2}, file) == []
    assert read(file) == {OF: 2}
    assert record({OF: 1, other: 1}, file) == [other]
    assert read(file) == {OF: 2}


def test_the_record_is_written_in_order() -> None:
    assert baseline.FILE.read_text(encoding="utf-8") == text(read())


def test_a_rise_names_what_is_new() -> None:
    findings = [Finding(OF, "tiler/a.py", 3), Finding(OF, "tiler/a.py", 9), Finding(OF, "tiler/b.py", 1)]
    message = explain_rise(OF, findings, 2, {"tiler/a.py": {9, 10}})
    assert message.splitlines() == [
        "tiler, python: the name `of` is bound 3 times, more than the 2 on record.",
        "New or moved:",
        "  tiler/a.py:9: of",
        "Name what it holds, by a noun of the field.",
    ]
    assert "tiler/b.py:1: of" in explain_rise(OF, findings, 2, None)


def test_a_fall_says_what_to_record() -> None:
    assert explain_fall(OF, 1, 4) == "tiler, python: the name `of` is bound once, not 4"
    assert fallen({OF: 1}, {OF: 4}) == [OF]
    assert raised({OF: 4}, {OF: 4}) == []


def test_lines_that_changed_since_the_record(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        author = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *author, *arguments], cwd=tmp_path, check=True, capture_output=True)

    file = tmp_path / baseline.FILE.relative_to(ROOT)
    rows = tmp_path / "tiler" / "rows.py"
    for path, content in ((file, ""), (rows, "a = 1\nb = 2\n")):
        path.parent.mkdir(parents=True)
        path.write_text(content)
    git("init", "--quiet")
    assert changed_lines(tmp_path) is None
    git("add", ".")
    git("commit", "--quiet", "-m", "Record")
    rows.write_text("a = 1\nc = 3\nb = 2\nd = 4\n")
    (tmp_path / "tiler" / "new.py").write_text("e = 5\n")
    assert changed_lines(tmp_path) == {"tiler/rows.py": {2, 4}, "tiler/new.py": {1, 2}}
