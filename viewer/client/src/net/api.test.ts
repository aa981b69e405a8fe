import { describe, expect, test } from "vitest";
import type { EventDetailsJson, EventsJson, ManifestJson, ProgressJson, RunJson, TrackTreeJson } from "../base/schema";
import { encodeShape } from "../testing/page";
import { Api } from "./api";
import { ApiError, NetworkError } from "./error";
import { fetchMarks } from "./marks";

interface Call {
  readonly url: string;
  readonly method: string;
}

/** Whoever asks it again does not wait. */
function server(answers: Readonly<Record<string, () => Response>>, calls: Call[] = []): Api {
  const fetch = async (url: string, init?: RequestInit) => {
    calls.push({ url, method: init?.method ?? "GET" });
    const answer = answers[url.replace("http://host/base/api/v1", "")];
    if (answer === undefined) {
      throw new TypeError("failed to fetch");
    }
    return answer();
  };
  return new Api("http://host/base", fetch, async () => undefined);
}

const json =
  (value: unknown, status = 200) =>
  () =>
    new Response(JSON.stringify(value), { status });

test("runs", async () => {
  const progress: ProgressJson = {
    ...{ phase: "read", fraction: 0.41, events: "1234567", bytes_read: "1", bytes_total: "2", tracks: 3 },
    ...{ blocks_done: 0, blocks: 0, seconds_left: null, revision: 0 },
  };
  const run: RunJson = {
    ...{ id: "r", name: "r", path: "p", state: "indexing" as const, error: null, hosts: ["h"], files: 1 },
    ...{
      size_bytes: "9007199254740993",
      modified_ns: "1769853600000000001",
      events: null,
      duration_ps: null,
      growing: false,
      contents: [],
      steps: null,
    },
    ...{ build: null, progress, notes: [] },
  };
  const runs = await server({ "/runs": json({ runs: [run] }) }).runs();
  expect(runs[0]).toMatchObject({ id: "r", sizeBytes: 9007199254740993n, modifiedNs: 1769853600000000001n });
  expect(runs[0]!.progress).toMatchObject({ phase: "read", fraction: 0.41, events: 1234567n });
});

test("indexing is asked for with POST, and names are escaped", async () => {
  const calls: Call[] = [];
  await server({ "/runs/a%2Fb%20c/index": json({}, 202) }, calls).index("a/b c");
  expect(calls).toEqual([{ url: "http://host/base/api/v1/runs/a%2Fb%20c/index", method: "POST" }]);
});

test("the manifest of docs/api.md", async () => {
  const manifest: ManifestJson = {
    ...{ state: "ready" as const, revision: 0, source_bytes: "9", steps: null },
    limits: {
      ...{ page_keys: 7, body_bytes: 8, watch_blocks: 9, view_tracks: 10, events: 11, question_tracks: 12 },
      end: "2305843009213693952",
    },
    ...{ run: "r", name: "n", build: "b", format: "xspace", tick_ps: 1 as const, origin_ns: "1769853600000000000" },
    ...{ start: "0", end: "982734987234", root_level: 16, empty: false, hosts: ["host0"], files: ["f"] },
    ...{ processes: 12, tracks: 140, blocks: 5, names: { count: 5123, page_size: 1024 } },
    events: {
      total: "7",
      slices: "1",
      instants: "2",
      counter_samples: "3",
      async_slices: "1",
      flow_ends: "0",
      other: "0",
    },
    flows: {
      edges: "9007199254740993",
      ...{
        starts_without_end: "0",
        ends_without_start: "0",
        without_id: "0",
        without_slice: "0",
        derived: "0",
        ambiguous: "0",
        calls_without_work: "0",
        work_without_launch: "0",
      },
    },
    ...{ ignored: { missing_ph: "2" }, warnings: ["w"], store_bytes: "412000", created_ns: "5" },
  };
  const parsed = await server({ "/runs/r/manifest": json(manifest) }).manifest("r");
  expect(parsed.time).toEqual({ tickPs: 1, originNs: 1769853600000000000n });
  expect(parsed.range).toEqual({ startTicks: 0n, endTicks: 982734987234n });
  expect(parsed.events.counterSamples).toBe(3n);
  expect(parsed.flows.edges).toBe(9007199254740993n);
  expect(parsed.overview).toBeNull();
  expect(parsed.limits).toMatchObject({ pageKeys: 7, endTicks: 1n << 61n });
  expect(parsed.ignored).toEqual({ missing_ph: 2n });
  expect(parsed.names).toEqual({ count: 5123, pageSize: 1024 });
});

describe("a build", () => {
  const tracks: TrackTreeJson = {
    groups: [{ id: 0, parent: null, kind: "host", name: "host0", detail: "", rollup: null, missing: undefined }],
    tracks: [
      { id: 0, group: 0, kind: "rollup", name: "p", detail: "", rows: 1, events: "2317", busy: "35", lanes: 7 },
      { id: 1, group: 0, kind: "counter", name: "c", detail: "", rows: 1, events: "12", min: 0, max: 12.5 },
    ],
  };
  const event: EventDetailsJson = {
    ...{
      track: 1,
      ordinal: "17",
      kind: "slice" as const,
      name: "fusion.12",
      category: "",
      start: "8123",
      duration: "92",
      row: 1,
    },
    ...{ flags: ["open"], value: null, args: [{ name: "flops", value: "123456789012" }], stacks: [] },
    flows: {
      in: [{ track: 4, ordinal: "9007199254740993", name: "launch", start: "8001", derived: false }],
      ...{ in_count: "1", out: [], out_count: "0" },
    },
  };
  const events: EventsJson = {
    columns: {
      ...{ track: [1], ordinal: ["17"], name_id: [7], start: ["9007199254740993"], duration: ["92"], row: [1] },
      ...{ open: [false], flags: [0], value: [null] },
    },
    ...{ names: { "7": ["fusion.12", ""] as const }, after: "8123,1,17" },
  };
  const build = server({
    "/runs/r/builds/b/tracks": json(tracks),
    "/runs/r/builds/b/names/2": json([["fusion", "hlo"]]),
    "/runs/r/builds/b/shapes/3": () => new Response(encodeShape(3, [[0, 0, 1, 5, 9]])),
    "/runs/r/builds/b/pages/3/1/9007199254740991/4": () => new Response(new Uint8Array([1, 2])),
    "/runs/r/builds/b/residuals/3/1/9007199254740991/4": () => new Response(new Uint8Array([3])),
    "/runs/r/builds/b/events/1/17": json(event),
    "/runs/r/builds/b/events?tracks=1&limit=1": json(events),
  }).build("r", "b");

  test("tracks", async () => {
    const tree = await build.tracks();
    expect(tree.tracks[0]).toMatchObject({ kind: "rollup", events: 2317n, busyTicks: 35n, lanes: 7, values: null });
    expect(tree.tracks[1]).toMatchObject({ busyTicks: 0n, lanes: 1, values: { min: 0, max: 12.5 } });
  });

  test("names, shapes, pages, residuals, events", async () => {
    expect(await build.names(2)).toEqual([{ name: "fusion", category: "hlo" }]);
    expect((await build.shape(3)).find(1, 0, 0)).toBe(0);
    const key = { block: 3, level: 1, index: Number.MAX_SAFE_INTEGER, slot: 4 };
    expect([...(await build.page(key))]).toEqual([1, 2]);
    expect([...(await build.residual(key))]).toEqual([3]);
    expect(await build.event(1, 17)).toMatchObject({
      ordinal: 17n,
      startTicks: 8123n,
      durationTicks: 92n,
      flags: ["open"],
      flows: { in: [{ track: 4, ordinal: 9007199254740993n, name: "launch", startTicks: 8001n }], inCount: 1n },
    });
  });

  test("the events of a span", async () => {
    const { columns, names, after } = await build.events({ tracks: [1], limit: 1 });
    expect(columns).toMatchObject({ ordinal: [17n], nameId: [7], startTicks: [9007199254740993n], value: [null] });
    expect([names, after]).toEqual([{ "7": ["fusion.12", ""] }, "8123,1,17"]);
  });

  test("the stream's address follows the page's", () => {
    expect(build.streamUrl("http://host/x")).toBe("ws://host/base/api/v1/runs/r/builds/b/stream");
    const own = new Api().build("r", "b");
    expect(own.streamUrl("https://here:8/index.html#v=1")).toBe("wss://here:8/api/v1/runs/r/builds/b/stream");
  });
});

describe("errors", () => {
  test("of the server carry status and code", async () => {
    const api = server({
      "/runs/r/manifest": json({ error: { code: "not_indexed", message: "not indexed yet" } }, 409),
      "/runs": () => new Response("<html>bad gateway</html>", { status: 502 }),
    });
    const error = await api.manifest("r").catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 409, code: "not_indexed", message: "not indexed yet" });
    await expect(api.runs()).rejects.toMatchObject({ status: 502, code: "unknown" });
  });

  test("an answer that is no JSON is no lost connection: it is asked for once, and says what it may be", async () => {
    const calls: Call[] = [];
    const html = () => new Response("<html>Please sign in</html>", { headers: { "Content-Type": "text/html" } });
    const api = server({ "/runs": html, "/runs/r/builds/b/marks": html }, calls);
    for (const ask of [() => api.runs(), () => fetchMarks(api.build("r", "b"))]) {
      const error = await ask().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status: 200, code: "unreadable", message: expect.stringContaining("not JSON") });
    }
    expect(calls).toHaveLength(2);
  });

  test("no answer is a NetworkError, an abort stays an abort", async () => {
    await expect(server({}).runs()).rejects.toBeInstanceOf(NetworkError);
    const controller = new AbortController();
    controller.abort();
    await expect(server({}).runs(controller.signal)).rejects.toBeInstanceOf(TypeError);
  });
});

test("rollups know what they sum: all tracks below, also where two groups share one", async () => {
  const group = (id: number, parent: number | null, kind: string, rollup: number | null) => ({
    ...{ id, parent, kind, name: `${id}`, detail: "", rollup },
  });
  const track = (id: number, parent: number, kind: string, events = "5") => ({
    ...{ id, group: parent, kind, name: "", detail: "", rows: 1, events },
  });
  const groups = [
    group(0, null, "run", 7),
    group(1, 0, "host", 6),
    group(2, 1, "process", 6),
    group(3, 0, "host", null),
  ];
  const tracks = [
    ...[track(0, 2, "slice"), track(1, 2, "counter"), track(2, 2, "async"), track(3, 2, "slice", "0")],
    ...[track(4, 3, "instant"), track(5, 3, "counter"), track(6, 2, "rollup"), track(7, 0, "rollup")],
  ];
  const api = server({ "/runs/r/builds/b/tracks": json({ groups, tracks }) });
  const tree = await api.build("r", "b").tracks();
  expect(tree.tracks.map(({ children }) => children)).toEqual([[], [], [], [], [], [], [0, 2], [0, 2, 4]]);
});

test("attachments and their content", async () => {
  const build = "/runs/r/builds/b/attachments";
  const attachment = {
    ...{ id: 3, host: "h", file: 0, name: "hlo/7", label: "f(7)", media_type: "application/x-protobuf" },
    ...{ size_bytes: "9007199254740993", crc32: "0f3a2c91" },
  };
  const api = server({
    [build]: json({ attachments: [attachment] }),
    [`${build}/3`]: () => new Response(new Uint8Array([1, 0, 255])),
  }).build("r", "b");
  const [first] = await api.attachments();
  expect(first).toMatchObject({ id: 3, name: "hlo/7", mediaType: attachment.media_type, sizeBytes: 9007199254740993n });
  expect([...(await api.attachment(first!.id))]).toEqual([1, 0, 255]);
});
