import { expect, test, vi } from "vitest";
import { ApiError, NetworkError } from "./error";
import { NameTable } from "./names";

test("a page of names is loaded once, when one of them is looked at", async () => {
  const load = vi.fn(async (page: number) => [0, 1, 2].map((k) => ({ name: `n${4 * page + k}`, category: "" })));
  const onLoad = vi.fn();
  const names = new NameTable(load, 4, onLoad);
  expect([names.get(5), names.get(6)]).toEqual([undefined, undefined]);
  await vi.waitFor(() => expect(onLoad).toHaveBeenCalledTimes(1));
  expect(onLoad.mock.calls[0]).toEqual([4, expect.arrayContaining([{ name: "n5", category: "" }])]);
  expect([names.get(5)?.name, names.get(7)]).toEqual(["n5", undefined]);
  expect(load.mock.calls).toEqual([[1]]);
});

test("after a failure the next look tries again", async () => {
  const load = vi
    .fn()
    .mockRejectedValueOnce(new NetworkError("offline"))
    .mockResolvedValue([{ name: "a", category: "" }]);
  const names = new NameTable(load, 4, () => undefined);
  names.get(0);
  await vi.waitFor(() => {
    expect(names.get(0)?.name).toBe("a");
  });
  expect(load).toHaveBeenCalledTimes(2);
});

test("a page that is refused for good is asked for once, and its names stay unknown", async () => {
  const load = vi.fn().mockRejectedValue(new ApiError(404, "not_found", "no such page"));
  const names = new NameTable(load, 4, () => undefined);
  for (let look = 0; look < 5; look++) {
    await names.want([0]);
    expect(names.get(0)).toBeUndefined();
  }
  expect(load).toHaveBeenCalledTimes(1);
});
