import { expect, test } from "vitest";
import { Turns } from "./turns";

test("work runs in order, and gives way after two milliseconds of it", async () => {
  let now = 0;
  const log: string[] = [];
  const turns = new Turns({
    now: () => now,
    pause: async () => {
      log.push("pause");
    },
  });
  const work = (name: string, ms: number) =>
    turns.run(() => {
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
  const turns = new Turns({
    now: () => now,
    pause: async () => {
      log.push("pause");
    },
  });
  const steps = turns.runSteps(function* () {
    for (const name of ["a", "b", "c"]) {
      now += 1.5;
      log.push(name);
      yield;
    }
    return "all";
  });
  const other = turns.run(() => log.push("other"));
  expect(await steps).toBe("all");
  await other;
  expect(log).toEqual(["a", "b", "pause", "c", "other"]);
  const bad = turns.runSteps(function* () {
    yield;
    throw new Error("bad column");
  });
  await expect(bad).rejects.toThrow("bad column");
});

test("the browser's pause ends by itself", async () => {
  const turns = new Turns();
  const busy = () => {
    for (const end = performance.now() + 2.5; performance.now() < end; ) {}
    return "done";
  };
  expect(await Promise.all([turns.run(busy), turns.run(busy)])).toEqual(["done", "done"]);
});

test("work that throws fails alone", async () => {
  const turns = new Turns();
  const bad = turns.run(() => {
    throw new Error("bad page");
  });
  await expect(bad).rejects.toThrow("bad page");
  expect(await turns.run(() => 1)).toBe(1);
});
