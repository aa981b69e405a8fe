import { expect, test } from "vitest";
import { WorkQueue } from "./work-queue";

test("work runs in order, and gives way after two milliseconds of it", async () => {
  let now = 0;
  const log: string[] = [];
  const workQueue = new WorkQueue({
    now: () => now,
    pause: async () => {
      log.push("pause");
    },
  });
  const work = (name: string, ms: number) =>
    workQueue.run(() => {
      now += ms;
      log.push(name);
      return name;
    });
  expect(await Promise.all([work("a", 3), work("b", 2), work("c", 1), work("d", 9), work("e", 1)])).toEqual([
    ..."abcde",
  ]);
  expect(log).toEqual(["a", "pause", "b", "pause", "c", "d", "pause", "e"]);
});

test("work of many steps gives way between them, and nothing comes in between", async () => {
  let now = 0;
  const log: string[] = [];
  const workQueue = new WorkQueue({
    now: () => now,
    pause: async () => {
      log.push("pause");
    },
  });
  const steps = workQueue.runSteps(function* () {
    for (const name of ["a", "b", "c"]) {
      now += 1.5;
      log.push(name);
      yield;
    }
    return "all";
  });
  const other = workQueue.run(() => log.push("other"));
  expect(await steps).toBe("all");
  await other;
  expect(log).toEqual(["a", "b", "pause", "c", "other"]);
  const bad = workQueue.runSteps(function* () {
    yield;
    throw new Error("bad column");
  });
  await expect(bad).rejects.toThrow("bad column");
});

test("the browser's pause ends by itself", async () => {
  const workQueue = new WorkQueue();
  const busy = () => {
    for (const end = performance.now() + 2.5; performance.now() < end; ) {}
    return "done";
  };
  expect(await Promise.all([workQueue.run(busy), workQueue.run(busy)])).toEqual(["done", "done"]);
});

test("work that throws fails alone", async () => {
  const workQueue = new WorkQueue();
  const bad = workQueue.run(() => {
    throw new Error("bad page");
  });
  await expect(bad).rejects.toThrow("bad page");
  expect(await workQueue.run(() => 1)).toBe(1);
});
