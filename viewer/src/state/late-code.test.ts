import { expect, test, vi } from "vitest";
import { LateCode } from "./late-code";

test("what is asked before the code is there is done when it comes, in order, and loads it once", async () => {
  let loads = 0;
  const done: string[] = [];
  const late = new LateCode(async () => {
    loads += 1;
    return (name: string) => done.push(name);
  });
  late.whenHere((tell) => tell("first"));
  expect([late.here, loads]).toEqual([null, 0]);
  late.ask((tell) => tell("second"));
  late.ask((tell) => tell("third"));
  expect(done).toEqual([]);
  await late.load();
  late.ask((tell) => tell("fourth"));
  expect(done).toEqual(["first", "second", "third", "fourth"]);
  expect(loads).toBe(1);
});

test("a failure is for him who asked; the next tries again, and nothing that was asked is lost", async () => {
  let loads = 0;
  const done: string[] = [];
  const late = new LateCode(async () => {
    loads += 1;
    if (loads < 3) {
      throw new Error("the server is away");
    }
    return "code";
  });
  late.ask((code) => done.push(`gesture with ${code}`));
  await expect(late.load()).rejects.toThrow("away");
  await expect(late.load()).rejects.toThrow("away");
  expect([late.here, done]).toEqual([null, []]);
  expect(await late.load()).toBe("code");
  expect(done).toEqual(["gesture with code"]);
});

test("code is waited for as long as one says, and not when it cannot be had", async () => {
  vi.useFakeTimers();
  try {
    const ends: string[] = [];
    const wait = (name: string, load: () => Promise<unknown>) =>
      new LateCode(load).soon(60).then(() => ends.push(name));
    void wait("here", async () => "code");
    void wait("failed", async () => Promise.reject(new Error("the server is away")));
    void wait("slow", () => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(59);
    expect(ends.toSorted()).toEqual(["failed", "here"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends.at(-1)).toBe("slow");
  } finally {
    vi.useRealTimers();
  }
});
