import { expect, test } from "vitest";
import { pageName } from "../pages/key";
import { PageFetcher } from "./fetcher";

const key = (index: number) => ({ block: 0, level: 1, index, slot: 0 });

/** Requests that are answered by hand. */
function setUp() {
  const open = new Map<string, { resolve: (bytes: Uint8Array) => void; reject: (error: Error) => void }>();
  const log: string[] = [];
  const fetcher = new PageFetcher(
    (page, signal) =>
      new Promise((resolve, reject) => {
        const name = pageName(page);
        open.set(name, { resolve, reject });
        signal.addEventListener("abort", () => {
          log.push(`abort ${page.index}`);
          reject(new Error("aborted"));
        });
      }),
    {
      onBytes: (page, bytes) => log.push(`bytes ${page.index} ${bytes[0]}`),
      onError: (page, error) => log.push(`error ${page.index} ${error.message}`),
    },
  );
  const answer = async (index: number, outcome: number | Error): Promise<void> => {
    const request = open.get(pageName(key(index)))!;
    if (outcome instanceof Error) {
      request.reject(outcome);
    } else {
      request.resolve(new Uint8Array([outcome]));
    }
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { fetcher, open, log, answer };
}

test("five at a time, in order, and each page once", async () => {
  const { fetcher, open, log, answer } = setUp();
  fetcher.want([0, 1, 2, 3, 4, 5, 6].map(key));
  expect(open.size).toBe(5);
  await answer(2, 42);
  expect(log).toEqual(["bytes 2 42"]);
  expect(open.has(pageName(key(5)))).toBe(true);
  await answer(0, new Error("gone"));
  expect(log[1]).toBe("error 0 gone");
  expect(open.size).toBe(7);
});

test("a new list aborts what is not in it", async () => {
  const { fetcher, log, answer } = setUp();
  fetcher.want([0, 1].map(key));
  fetcher.want([1, 2].map(key));
  await answer(1, 1);
  await answer(2, 2);
  expect(log).toEqual(["abort 0", "bytes 1 1", "bytes 2 2"]);
  fetcher.want([3].map(key));
  fetcher.stop();
  expect(log[3]).toBe("abort 3");
});
