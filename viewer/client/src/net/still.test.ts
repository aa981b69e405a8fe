import { expect, test, vi } from "vitest";
import { ticks } from "../base/time";
import { type PageKey, pageName } from "../pages/key";
import { Pyramid, sliceTiles } from "../testing/pyramid";
import { ApiError, NetworkError } from "./error";
import { StillClient } from "./still";

const OPTIONS = { rootLevel: 5, leafEvents: 12, tilesPerPage: 4 };
const events = Array.from({ length: 400 }, (_, k) => ({ start: 600 * k, duration: 100, row: 0, name: 0 }));
const pyramid = new Pyramid(sliceTiles(0, events, OPTIONS), OPTIONS.tilesPerPage);
const view = { startTicks: ticks(0), startFraction: 0, ticksPerPx: 40, widthPx: 800 };
const requests = [{ track: 0, kind: "slice" as const }];

function setUp() {
  const shape = vi.fn(async () => pyramid.shape());
  const page = vi.fn(async (key: PageKey) => pyramid.pages.get(pageName(key))!.bytes);
  return { shape, page, client: new StillClient({ shape, page }, OPTIONS.rootLevel) };
}

test("everything that a view needs comes, each part once", async () => {
  const { client, shape, page } = setUp();
  await client.complete(requests, view);
  expect(client.coverage(requests[0]!, view).complete).toBe(true);
  const pages = page.mock.calls.length;
  await client.complete(requests, view);
  expect([shape.mock.calls.length, page.mock.calls.length]).toEqual([1, pages]);
});

test("what did not come in a way that may pass is asked for again, and what is refused for good is not", async () => {
  const { client, shape, page } = setUp();
  shape.mockRejectedValueOnce(new NetworkError("lost"));
  await expect(client.complete(requests, view)).rejects.toThrow("lost");
  page.mockRejectedValue(new ApiError(404, "not_found", "no such page"));
  await expect(client.complete(requests, view)).rejects.toThrow("no such page");
  expect(shape).toHaveBeenCalledTimes(2);
  const pages = page.mock.calls.length;
  for (let arrival = 0; arrival < 5; arrival++) {
    await expect(client.complete(requests, view)).rejects.toThrow("no such page");
  }
  expect([shape.mock.calls.length, page.mock.calls.length]).toEqual([2, pages]);
});
