import { expect, test } from "vitest";
import { questionQuery } from "./answer";
import { Api } from "./api";

test("a question is the query of a URL", () => {
  const question = { text: "a&b =", start: 9007199254740993n, tracks: [3, 1], limit: 5, after: undefined };
  expect(questionQuery(question)).toBe("text=a%26b+%3D&start=9007199254740993&tracks=3%2C1&limit=5");
  expect(questionQuery({ steps: [5, 9] })).toBe("steps=5-9");
  expect(questionQuery({ steps: "5..9" })).toBe("steps=5..9");
  expect(questionQuery({})).toBe("");
});

test("a tool is asked by its name, with its question", async () => {
  const urls: string[] = [];
  const api = new Api("http://h", (url) => {
    urls.push(url);
    const notes = [{ severity: "info", text: "here", start: "9007199254740993", end: null, track: null }];
    return Promise.resolve(Response.json({ complete: true, facts: [], tables: [], series: [], notes, tools: [] }));
  });
  const build = api.build("r 1", "b1");
  const answer = await build.ask("stats", { limit: 3 });
  expect(answer.complete).toBe(true);
  expect(answer.notes[0]).toMatchObject({ startTicks: 9007199254740993n, endTicks: null });
  await build.ask("my tool");
  expect(await build.tools()).toEqual([]);
  const base = "http://h/api/v1/runs/r%201/builds/b1/tools";
  expect(urls).toEqual([`${base}/stats?limit=3`, `${base}/my%20tool`, base]);
});
