import { expect, test } from "vitest";
import { ticks } from "../base/time";
import { Api } from "./api";
import { fetchMarks, putMarks } from "./marks";

const MARK = { id: "a", kind: "region", start: "100", end: "250", name: "warm-up", tracks: [0], colour: 3 } as const;

/** A build whose server answers with these marks and this tag, and notes what it is asked. */
function build(etag: string, requests: RequestInit[] = []) {
  const api = new Api("http://host", async (url, init = {}) => {
    expect(url).toBe("http://host/api/v1/runs/r/builds/b/marks");
    requests.push(init);
    return new Response(JSON.stringify({ marks: [MARK], writable: true }), { headers: { ETag: etag } });
  });
  return api.build("r", "b");
}

test("marks come with their tag, also where a proxy has made it a weak one", async () => {
  for (const tag of ['"x1"', 'W/"x1"']) {
    const { marks, writable, etag } = await fetchMarks(build(tag));
    expect(marks[0]).toMatchObject({ id: "a", startTicks: 100n, endTicks: 250n, tracks: [0], colour: 3 });
    expect([writable, etag]).toEqual([true, "x1"]);
  }
});

test("marks are put in place of those with the tag, as docs/api.md has it", async () => {
  const requests: RequestInit[] = [];
  const note = { id: "b", kind: "note", startTicks: ticks(-7), endTicks: null, name: "x" } as const;
  await putMarks(build('"x2"', requests), [{ ...note, tracks: undefined, colour: undefined }], "x1");
  const [{ method, headers, body }] = requests as [RequestInit];
  expect([method, new Headers(headers).get("If-Match")]).toEqual(["PUT", '"x1"']);
  const plain = { id: "b", kind: "note", start: "-7", end: null, name: "x", tracks: [], colour: 0 };
  expect(JSON.parse(String(body))).toEqual({ marks: [plain] });
});
