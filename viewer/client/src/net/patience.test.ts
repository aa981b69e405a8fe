import { expect, test } from "vitest";
import { Api } from "./api";
import { ApiError } from "./error";
import { pauseFor, retryPauseMs, waitBeforeMs } from "./patience";

const busy = (): Response =>
  new Response(JSON.stringify({ error: { code: "too_many", message: "wait" } }), {
    status: 429,
    headers: { "Retry-After": "2" },
  });

function api(answers: (() => Response)[], waits: number[]): Api {
  return new Api(
    "",
    async () => answers.shift()!(),
    async (ms) => {
      waits.push(ms);
    },
  );
}

test("a client waits as long as it was told, and asks again", async () => {
  const waits: number[] = [];
  const runs = () => new Response(JSON.stringify({ runs: [] }));
  expect(await api([busy, busy, runs], waits).runs()).toEqual([]);
  expect(waits).toEqual([2000, 2000]);
});

test("a refusal that stays is told", async () => {
  const waits: number[] = [];
  const refused = api(Array(6).fill(busy), waits).runs();
  await expect(refused).rejects.toThrow(ApiError);
  expect(waits).toHaveLength(5);
});

test.each([
  [1, null, 1000],
  [1, "0", 0],
  [5, "3", 3000],
  [1, "86400", 10_000],
  [1, "Wed, 21 Oct 2026 07:28:00 GMT", 1000],
  [6, "1", null],
])("after %i tries and Retry-After %s", (tries, told, expected) => {
  expect(waitBeforeMs(tries, told)).toBe(expected);
});

test("nobody waits for what was aborted", async () => {
  const controller = new AbortController();
  const pause = pauseFor(60_000, controller.signal);
  controller.abort(new Error("gone"));
  await expect(pause).rejects.toThrow("gone");
  await expect(pauseFor(60_000, controller.signal)).rejects.toThrow("gone");
});

test("what has lost its server waits longer each time, up to a bound, and not all for the same time", () => {
  const pauses = [0, 1, 2, 3, 9, 60].map((failures) => retryPauseMs(failures, 500, 8000, () => 0));
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 8000]);
  expect(retryPauseMs(9, 500, 8000, () => 1)).toBe(6000);
  expect(new Set(Array.from({ length: 20 }, () => retryPauseMs(9, 500, 8000))).size).toBeGreaterThan(10);
});
