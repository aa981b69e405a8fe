import { Api } from "@tilescope/client";
import { expect, test } from "vitest";
import { afterFirstAnswers } from "./first-answers";

function setUp(text: string | null) {
  const urls: string[] = [];
  const fetcher = async (input: string, init?: RequestInit) => {
    urls.push(`${init?.method ?? "GET"} ${input}`);
    return Response.json("asked");
  };
  const element = text === null ? null : ({ textContent: text } as Element);
  return { fetch: afterFirstAnswers(fetcher, element), urls };
}

test("what the page has brought is not asked for, but once more when it is wanted again", async () => {
  const { fetch, urls } = setUp(JSON.stringify({ "/runs": { runs: [] } }));
  const first = await fetch("/base/api/v1/runs");
  expect([first.ok, await first.json()]).toEqual([true, { runs: [] }]);
  expect(urls).toEqual([]);
  expect(await (await fetch("/base/api/v1/runs")).json()).toBe("asked");
  await fetch("/base/api/v1/runs/a/manifest");
  expect(urls).toEqual(["GET /base/api/v1/runs", "GET /base/api/v1/runs/a/manifest"]);
});

test("bytes are texts; browsers that cannot read these ask for them", async () => {
  const bytes = Uint8Array.of(0, 1, 250, 255);
  const text = JSON.stringify({ "/runs/a/builds/b/shapes/0": Buffer.from(bytes).toString("base64") });
  const { fetch, urls } = setUp(text);
  const answer = await fetch("/api/v1/runs/a/builds/b/shapes/0");
  if ("fromBase64" in Uint8Array) {
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(bytes);
    const again = await fetch("/api/v1/runs/a/builds/b/shapes/0");
    expect(new Uint8Array(await again.arrayBuffer())).toEqual(bytes);
    expect(urls).toEqual([]);
  } else {
    expect(urls.length).toBe(1);
  }
});

test("only questions are answered so, and nothing where the page has brought nothing", async () => {
  const { fetch, urls } = setUp(JSON.stringify({ "/runs/a/index": {} }));
  await fetch("/api/v1/runs/a/index", { method: "POST" });
  const bare = setUp(null);
  await bare.fetch("/api/v1/runs");
  expect([urls, bare.urls]).toEqual([["POST /api/v1/runs/a/index"], ["GET /api/v1/runs"]]);
});

test("the client reads what the page has brought", async () => {
  const { fetch, urls } = setUp(JSON.stringify({ "/runs": { runs: [] } }));
  expect(await new Api("", fetch).runs()).toEqual([]);
  expect(urls).toEqual([]);
});
