import { expect, test } from "vitest";
import { Api } from "./api";
import { ApiError, AwayError, NetworkError } from "./error";
import { pauseFor, retryPauseMs, waitBeforeMs } from "./retry";

const busy = (): Response =>
  new Response(JSON.stringify({ error: { code: "too_many", message: "wait" } }), {
    status: 429,
    headers: { "Retry-After": "2" },
  });

const refused = (status: number) => () => new Response("{}", { status });
const runs = () => new Response(JSON.stringify({ runs: [] }));
const cut = (): Response => {
  throw new TypeError("connection reset");
};
const brokenOff = () =>
  new Response(
    new ReadableStream({
      start: (stream) => {
        stream.enqueue(new TextEncoder().encode('{"runs": ['));
        stream.error(new TypeError("connection reset"));
      },
    }),
  );

function api(answers: (() => Response)[], waits: number[], held: number[] = []): Api {
  return new Api(
    "",
    async () => answers.shift()!(),
    async (ms) => {
      waits.push(ms);
    },
    (questions) => held.push(questions),
  );
}

test("a client waits as long as it was told, and asks again", async () => {
  const waits: number[] = [];
  expect(await api([busy, busy, runs], waits).runs()).toEqual([]);
  expect(waits).toEqual([2000, 2000]);
});

test.each([
  ["a server that is busy", refused(503)],
  ["a proxy that does not reach it", refused(502)],
  ["a connection that is cut", cut],
  ["an answer that breaks off", brokenOff],
])("%s is asked again, longer each time, and it is said while it lasts", async (_, failing) => {
  const [waits, held] = [[], []] as [number[], number[]];
  expect(await api([failing, failing, failing, runs], waits, held).runs()).toEqual([]);
  expect(waits.map((ms) => Math.ceil(ms / 500))).toEqual([1, 2, 4]);
  expect(held).toEqual([1, 0]);
});

test("a refusal that stays is told, as is one that cannot pass", async () => {
  const [waits, held] = [[], []] as [number[], number[]];
  await expect(api(Array(6).fill(busy), waits, held).runs()).rejects.toThrow(ApiError);
  expect(waits).toHaveLength(5);
  expect(held).toEqual([1, 0]);
  await expect(api([refused(500)], waits).runs()).rejects.toThrow(ApiError);
  const away = () => {
    throw new AwayError("the server is away");
  };
  await expect(api([away], waits).runs()).rejects.toThrow(AwayError);
  expect(waits).toHaveLength(5);
});

test("what changes something is asked again only where the server says that it did nothing", async () => {
  const waits: number[] = [];
  await expect(api([cut], waits).index("r")).rejects.toThrow(NetworkError);
  await expect(api([refused(503)], waits).index("r")).rejects.toThrow(ApiError);
  expect(waits).toEqual([]);
  await api([busy, runs], waits).index("r");
  expect(waits).toEqual([2000]);
});

test.each([
  [1, null, 500],
  [3, null, 2000],
  [1, "0", 0],
  [5, "3", 3000],
  [1, "600", 10_000],
  [1, "3600", null],
  [1, "Wed, 21 Oct 2026 07:28:00 GMT", 500],
  [6, "1", null],
])("after %i tries and Retry-After %s", (tries, retryAfter, expected) => {
  expect(waitBeforeMs(tries, new ApiError(429, "too_many", "wait", retryAfter), true, () => 0)).toBe(expected);
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
