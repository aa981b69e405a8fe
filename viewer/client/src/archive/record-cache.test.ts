import { expect, test } from "vitest";
import { RecordCache } from "./record-cache";

const bytes = (length: number) => new Uint8Array(length);

test("a record is read once for all who want it, and kept up to a number of bytes", async () => {
  const cache = new RecordCache<Uint8Array>(({ length }) => length, 100);
  let reads = 0;
  const get = (key: string, size: number) =>
    cache.get(key, async () => {
      reads += 1;
      return bytes(size);
    });
  await Promise.all([get("a", 40), get("a", 40), get("b", 40)]);
  expect(reads).toBe(2);
  await get("a", 40); // used last
  await get("c", 40);
  expect(cache.sizeBytes).toBe(80);
  await get("a", 40);
  expect(reads).toBe(3);
  await get("b", 40);
  expect(reads).toBe(4);
});

test("what could not be read is read again, and a record larger than all room is not kept", async () => {
  const cache = new RecordCache<Uint8Array>(({ length }) => length, 100);
  await expect(cache.get("a", () => Promise.reject(new Error("cut off")))).rejects.toThrow("cut off");
  expect((await cache.get("a", async () => bytes(5)))?.length).toBe(5);
  expect((await cache.get("b", async () => bytes(500)))?.length).toBe(500);
  expect(cache.sizeBytes).toBeLessThanOrEqual(100);
});
