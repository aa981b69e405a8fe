"""Every tool that is registered, asked by every way there is: all answers are equal. A new one is asked without a line.

Tools of a package of somebody else, which a real server finds on its path, are among them.
"""

from __future__ import annotations

import asyncio
import csv
import io
import json
import math
import random
import shutil
import subprocess
import sys
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as data_field
from decimal import Decimal
from pathlib import Path
from typing import Any

import grpc
import pyarrow
import pytest
from jsonschema import Draft202012Validator
from pyarrow import parquet

import tilescope
import tilescope.v1.tiles_pb2_grpc as tiles_pb2_grpc
from bench.server_process import ServerProcess, serving
from tests.client.tool_questions import Material, Values, questions
from tests.example import Example, random_events
from tests.run_kinds import build_run_kinds, first_with_answer
from tests.toy_tools import GOOD, install
from tilescope.cli.dispatch import main
from tilescope.client import AsyncClient, AsyncRun, Refused, Run
from tilescope.client.http import HttpSource
from tilescope.client.rpc import GrpcSource
from tilescope.client.source import text_of
from tilescope.tiler.query import QueryReader, finish
from tilescope.tiler.store import open_run_store
from tilescope.tiler.tools import Answer, Scope, answer_json, ask, catalogue, from_values, parameters, tool, tools
from tilescope.tiler.tools.references import BuildRef, references
from tilescope.v1 import tiles_pb2 as pb

pytestmark = pytest.mark.slow

ARROW = "application/vnd.apache.arrow.stream"
TYPESCRIPT = Path(__file__).parents[2] / "viewer" / "client" / "dist" / "tilescope-client.js"
TOOLS = [*tools(), *(name for name in GOOD if name != "absent")]

# Answers of every shape, and questions about other builds. All others are asked by HTTP alone, but for deep tests.
BY_EVERY_WAY = ("stats", "search", "toy", "versus", "compare")
ON_EVERY_RUN = [name if name in BY_EVERY_WAY else pytest.param(name, marks=pytest.mark.deep) for name in TOOLS]


@dataclass(frozen=True)
class Site:
    """A server process, copies of its stores on this machine, and the toys on the path of both processes."""

    server: ServerProcess
    folder: Path
    store: Path
    other: Path
    kinds: Mapping[str, Path]  # stores of runs of other kinds
    packages: Path
    _asked: dict[str, Path] = data_field(default_factory=dict)

    def asked(self, name: str) -> Site:
        """With the store that a tool has an answer for: one about operations of devices needs such a run."""
        if name not in self._asked:
            self._asked[name] = first_with_answer(name, (self.store, *self.kinds.values()))
        return replace(self, store=self._asked[name])

    @property
    def builds(self) -> dict[str, str]:
        """Path of a store on this machine → what names its build to the server."""
        with urllib.request.urlopen(f"{self.server.url}api/v1/runs", timeout=10) as answer:
            runs = {run["name"]: f"{run['id']}/{run['build']}" for run in json.load(answer)["runs"]}
        return {str(path): runs[path.name] for path in {self.store, self.other, *self.kinds.values()}}

    @property
    def base(self) -> str:
        run, build = self.builds[str(self.store)].split("/")
        return f"{self.server.url}api/v1/runs/{run}/builds/{build}"


@pytest.fixture(scope="module")
def site(example: Example, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("tools")
    packages = tmp_path_factory.mktemp("packages")
    install(packages)
    (folder / "other").mkdir()
    (folder / "served").mkdir()
    second = Example(folder / "other", random_events(random.Random(6))[5000:])
    second.store.close()
    other = second.path.rename(folder / "other" / "second.store")
    kinds = build_run_kinds(folder)
    paths = (example.path, other, *kinds.values())
    served = [shutil.copytree(path, folder / "served" / path.name) for path in paths]
    sys.path.insert(0, str(packages))
    catalogue.installed_tools.cache_clear()
    with serving(*served, packages=packages) as server:
        yield Site(server, folder, example.path, other, kinds, packages)
    sys.path.remove(str(packages))
    sys.modules.pop("toy_tools", None)
    catalogue.installed_tools.cache_clear()


@pytest.fixture(scope="module")
def readers(site: Site) -> Iterator[dict[str, QueryReader]]:
    stores = {str(path): open_run_store(path) for path in (site.store, site.other, *site.kinds.values())}
    yield {path: QueryReader(store) for path, store in stores.items()}
    for store in stores.values():
        store.close()


# -- ways to ask, as functions of (site, tool, values); builds are paths of stores ------------------------------------


Ask = Callable[[Site, str, Values], Answer]


def for_server(site: Site, name: str, values: Values) -> Values:
    """With builds as servers have them."""
    builds = site.builds
    types = types_of(name)
    return {
        field: ",".join(builds[part] for part in value.split(",")) if "build" in types[field] else value
        for field, value in values.items()
    }


def types_of(name: str) -> dict[str, str]:
    """The types of the fields of a tool's question."""
    return {field.name: field.type for field in parameters(tool(name).question)}


def of_http(site: Site, name: str, values: Values, accept: str = "", table: str = "") -> bytes:
    query = {field: text_of(value) for field, value in for_server(site, name, values).items()}
    query |= {"table": table} if table else {}
    url = f"{site.base}/tools/{name}?{urllib.parse.urlencode(query)}"
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": accept}), timeout=60) as answer:
        assert answer.headers["Content-Type"] == (accept or "application/json")
        return bytes(answer.read())


def of_grpc(site: Site, name: str, values: Values, form: str = "", table: str = "") -> bytes:
    run, build = site.builds[str(site.store)].split("/")
    question = json.dumps(for_server(site, name, values)).encode()
    request = pb.AskRequest(run=run, build=build, tool=name, question=question, format=form, table=table)
    with grpc.insecure_channel(site.server.grpc_address) as channel:
        return b"".join(part.data for part in tiles_pb2_grpc.TilesStub(channel).Ask(request, timeout=60))


def of_client(site: Site, name: str, values: Values, url: str) -> Answer:
    """The client for programs, with runs in place of builds."""
    with tilescope.connect(url) as client:
        return client.run(site.store.name).ask(name, **with_runs(client.run, name, values)).answer


def of_async_client(site: Site, name: str, values: Values, url: str) -> Answer:
    async def asked() -> Answer:
        async with tilescope.connect_async(url) as client:
            types = types_of(name)
            runs: dict[str, AsyncRun | list[AsyncRun]] = {}
            for field, value in values.items():
                if types[field] == "build":
                    runs[field] = await client.run(Path(value).name)
                elif types[field] == "builds":
                    runs[field] = [await client.run(Path(path).name) for path in value.split(",")]
            run: AsyncRun = await client.run(site.store.name)
            return (await run.ask(name, **{**values, **runs})).answer

    return asyncio.run(asked())


def of_local(site: Site, name: str, values: Values) -> Answer:
    """Without a server: other builds by their paths."""
    with tilescope.connect(site.store) as client:
        return client.run().ask(name, **values).answer


def of_local_runs(site: Site, name: str, values: Values) -> Answer:
    """Without a server: other builds by the runs that are open."""
    with tilescope.connect(site.store) as client, tilescope.connect(site.other) as other:
        opened = {str(site.store): client.run, str(site.other): other.run}
        return client.run().ask(name, **with_runs(lambda run: opened_run(opened, run), name, values)).answer


def opened_run(opened: Mapping[str, Callable[[], Run]], name: str) -> Run:
    return next(run() for path, run in opened.items() if Path(path).name == name)


def with_runs(run: Callable[[str], Run], name: str, values: Values) -> Values:
    types = types_of(name)
    runs: dict[str, Run | list[Run]] = {}
    for field, value in values.items():
        if types[field] == "build":
            runs[field] = run(Path(value).name)
        elif types[field] == "builds":
            runs[field] = [run(Path(path).name) for path in value.split(",")]
    return {**values, **runs}


WAYS: dict[str, Ask] = {
    "HTTP": lambda site, name, values: answer_json.decode(of_http(site, name, values)),
    "gRPC": lambda site, name, values: answer_json.decode(of_grpc(site, name, values)),
    "client over HTTP": lambda site, name, values: of_client(site, name, values, site.server.url),
    "client over gRPC": lambda site, name, values: of_client(site, name, values, f"grpc://{site.server.grpc_address}"),
    "asynchronous client over HTTP": lambda site, name, values: of_async_client(site, name, values, site.server.url),
    "local client": of_local,
    "local client with runs": of_local_runs,
}


def command(name: str, values: Values) -> list[str]:
    """The options of the command line."""
    options = []
    for field in parameters(tool(name).question):
        if field.name in values:
            value = values[field.name]
            if field.type == "flag":
                options.append(field.option if value else field.option.replace("--", "--no-", 1))
            else:
                options.append(f"{field.option}={text_of(value)}")
    return options


# -- the tests ---------------------------------------------------------------------------------------------------------


def expected(readers: Mapping[str, QueryReader], site: Site, name: str, values: Values) -> Answer:
    """What the tool computes here."""
    asked = tool(name)
    question = from_values(asked.question, values)
    others = {ref: readers[ref] for ref in references(question, BuildRef).values()}
    return finish(ask(asked, Scope(readers[str(site.store)], others), question))


def asked_questions(
    readers: Mapping[str, QueryReader], site: Site, name: str, *, few: bool = False
) -> list[tuple[Values, Answer]]:
    """Questions and answers; and for lists that go on, what follows. A few: the shortest and the longest."""
    made = list(questions(tool(name), Material(readers[str(site.store)], [str(site.other), str(site.store)])))
    if few:
        made = [made[0], *made[-2:]]
    found = [(values, expected(readers, site, name, values)) for values in made]
    for values, answer in list(found):
        for table in answer.tables:
            if table.more is not None:
                values = {**values, "after": table.more}
                found.append((values, expected(readers, site, name, values)))
    return found


@pytest.mark.parametrize(
    ("way", "name"),
    [
        pytest.param(way, name, marks=() if way == "HTTP" or name in BY_EVERY_WAY else pytest.mark.deep)
        for way in WAYS
        for name in TOOLS
    ],
)
def test_every_way_gives_the_same_answer(site: Site, readers: dict[str, QueryReader], name: str, way: str) -> None:
    site = site.asked(name)
    asked = asked_questions(readers, site, name)
    assert len(asked) > 3
    for values, answer in asked:
        got = WAYS[way](site, name, values)
        assert json.loads(answer_json.encode(got)) == json.loads(answer_json.encode(answer)), values


@pytest.mark.parametrize("name", ON_EVERY_RUN)
def test_every_table_as_arrow(site: Site, readers: dict[str, QueryReader], name: str) -> None:
    site = site.asked(name)
    for values, answer in asked_questions(readers, site, name, few=True):
        for table in answer.tables:
            wanted = table.to_arrow()
            for data in (
                of_http(site, name, values, ARROW, table.id),
                of_grpc(site, name, values, "arrow", table.id),
            ):
                same_tables(pyarrow.ipc.open_stream(data).read_all(), wanted)


@pytest.mark.parametrize("name", ON_EVERY_RUN)
def test_the_command_line_in_every_form(
    site: Site, readers: dict[str, QueryReader], name: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    site = site.asked(name)
    for values, answer in asked_questions(readers, site, name, few=True):
        asked = ["ask", str(site.store), name, *command(name, values)]
        assert main([*asked, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out) == json.loads(answer_json.encode(answer)), asked
        assert main(asked) == 0
        shown = capsys.readouterr().out
        assert all(fact.label in shown for fact in answer.facts)
        for table in answer.tables:
            assert main([*asked, "--format", "csv", "--table", table.id]) == 0
            rows = list(csv.reader(io.StringIO(capsys.readouterr().out)))
            columns = [column.id for column in table.columns]
            texts = [["" if value is None else str(value) for value in column] for column in plain(table.to_arrow())]
            assert rows == [columns, *map(list, zip(*texts, strict=True))], asked
            file = tmp_path / "table.parquet"
            assert main([*asked, "--format", "parquet", "--table", table.id, "-o", str(file)]) == 0
            same_tables(parquet.read_table(file), table.to_arrow())


def plain(table: pyarrow.Table) -> list[list[Any]]:
    """Columns as Python has them; decimals are integers, and NaN is what was not recorded."""
    return [list(map(plain_value, column.to_pylist())) for column in table.columns]


def plain_value(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    return int(value) if isinstance(value, Decimal) else value


def same_tables(found: pyarrow.Table, wanted: pyarrow.Table) -> None:
    assert found.schema.equals(wanted.schema, check_metadata=False)
    assert [field.metadata for field in found.schema] == [field.metadata for field in wanted.schema]
    assert found.equals(wanted) or plain(found) == plain(wanted)  # NaN equals nothing


@pytest.mark.parametrize("name", ON_EVERY_RUN)
def test_the_typescript_client(site: Site, readers: dict[str, QueryReader], name: str) -> None:
    """In node, as it is built for any page: through its untyped `ask`."""
    if shutil.which("node") is None or not TYPESCRIPT.exists():
        pytest.skip("there is no node, or the client is not built: make viewer")
    site = site.asked(name)
    asked = asked_questions(readers, site, name)
    script = f"""
        import {{ Api }} from {json.dumps(TYPESCRIPT.as_uri())};
        const [url, run, build, name, ...asked] = process.argv.slice(1);
        const api = new Api(url).build(run, build);
        const answers = [];
        for (const question of asked) {{
            answers.push(await api.ask(name, JSON.parse(question)));
        }}
        const tools = await api.tools();
        // As JSON has them: the places of notes are ticks here.
        const asJson = (key, value) => {{
            if (typeof value === "bigint") return String(value);
            const note = ({{ startTicks: start, endTicks: end, ...rest }}) => ({{ ...rest, start, end }});
            if (key === "headline") return value && note(value);
            return key === "notes" ? value.map(note) : value;
        }};
        console.log(JSON.stringify({{ answers, tools }}, asJson));
    """
    run, build = site.builds[str(site.store)].split("/")
    given = [json.dumps(for_server(site, name, values)) for values, _ in asked]
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script, "--", site.server.url.rstrip("/"), run, build, name, *given],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    # JavaScript writes large doubles without an exponent; integers that large are text.
    said = json.loads(done.stdout, parse_int=lambda digits: int(digits) if len(digits) < 17 else float(digits))
    assert said["answers"] == [json.loads(answer_json.encode(answer)) for _, answer in asked]
    assert [one["id"] for one in said["tools"]] == list(tools())


async def test_the_list_of_tools_and_those_without_an_answer(site: Site) -> None:
    with urllib.request.urlopen(f"{site.base}/tools", timeout=10) as answer:
        listed = {one["id"]: one for one in json.load(answer)["tools"]}
    assert list(listed) == list(tools())
    reason = "no HLO protos in this trace: record with XLA_FLAGS=--xla_dump_to=DIR"
    assert (listed["absent"]["available"], listed["absent"]["reason"]) == (False, reason)
    for source in (HttpSource(site.server.url), GrpcSource(f"grpc://{site.server.grpc_address}")):
        async with AsyncClient(source) as client:
            with pytest.raises(Refused, match=f"^absent has no answer for this run: {reason}$") as refused:
                await (await client.run("t.store")).ask("absent")
            assert refused.value.code == "not_available"


def test_the_description_has_every_tool_and_answers_fit_it(site: Site, readers: dict[str, QueryReader]) -> None:
    with urllib.request.urlopen(f"{site.server.url}api/v1/openapi.json", timeout=10) as answer:
        document = json.load(answer)
    for name in tools():
        (path,) = (path for path in document["paths"] if path.endswith(f"/tools/{name}"))
        operation = document["paths"][path]["get"]
        described = {one["name"] for one in operation["parameters"] if one["in"] == "query"}
        assert described == {*tool(name).question.field_names(), "table"}
    schema = document["components"]["schemas"]["ToolAnswer"]
    validator = Draft202012Validator({**schema, "components": document["components"]})
    for name in TOOLS:
        of = site.asked(name)
        values, _ = asked_questions(readers, of, name, few=True)[0]
        validator.validate(json.loads(of_http(of, name, values)))


def test_the_command_line_of_another_process_knows_them(site: Site) -> None:
    def said(*arguments: str) -> str:
        environment = {"PYTHONPATH": str(site.packages), "PATH": "/usr/bin:/bin", "HOME": str(site.folder)}
        ran = [sys.executable, "-m", "tilescope", *arguments]
        return subprocess.run(ran, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout

    help_text = " ".join(said("ask", "x.store", "toy", "--help").split())
    for words in (
        "Toy: what tracks there are, in every shape of an answer.",
        "--order {busy,tree} how tracks are ordered; default: tree",
        "--with-empty, --no-with-empty whether tracks without events are listed",
        "--scale N what counts are multiplied with, 1 to 9; default: 1",
        "--host HOST the host that is looked at; all unless given",
    ):
        assert words in help_text
    assert "--against STORE the build to compare with" in " ".join(said("ask", "x.store", "versus", "--help").split())
    page = said("tools", "--markdown")
    assert "## toy\n\nToy: what tracks there are, in every shape of an answer.\n" in page
    assert "| `against` | a build: RUN/BUILD, or the path of a store | required | The build to compare with. |" in page
    assert [line.split()[0] for line in said("tools").splitlines()] == list(tools())


def test_other_builds_that_are_not_there(site: Site) -> None:
    known = site.builds[str(site.store)]
    run, _ = known.split("/")
    for against, status, code in (
        (f"{run}/b0", 404, "unknown_build"),
        ("nobody/b0", 404, "not_found"),
        ("nobody", 400, "bad_request"),
        (f"{known}/more", 400, "bad_request"),
        (str(site.store), 400, "bad_request"),
    ):
        url = f"{site.base}/tools/versus?against={urllib.parse.quote(against)}"
        for headers in ({}, {"If-None-Match": "*"}):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10)
            assert (refused.value.code, json.load(refused.value)["error"]["code"]) == (status, code)
