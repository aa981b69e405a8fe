import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Fetched, Latest, SKELETON_MS } from "./latest";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function followed() {
  const shown: Fetched<string>[] = [];
  const latest = new Latest<string>((state) => shown.push(state));
  return { latest, shown };
}

const never = () => new Promise<string>(() => undefined);

it("dims what was there, then shows a skeleton, then the answer", async () => {
  const { latest, shown } = followed();
  await latest.ask("a", async () => "A");
  let answer: (value: string) => void = () => undefined;
  const done = latest.ask("b", () => new Promise((resolve) => (answer = resolve)));
  expect(shown.at(-1)).toMatchObject({ kind: "waiting", key: "b", stale: { key: "a", value: "A" }, isSlow: false });
  vi.advanceTimersByTime(SKELETON_MS);
  expect(shown.at(-1)).toMatchObject({ kind: "waiting", key: "b", stale: { key: "a", value: "A" }, isSlow: true });
  answer("B");
  await done;
  vi.advanceTimersByTime(SKELETON_MS);
  expect(shown.at(-1)).toEqual({ kind: "ready", key: "b", value: "B" });
});

it("shows at once what it knows, and asks nobody", async () => {
  const { latest, shown } = followed();
  await latest.ask("a", async () => "A");
  await latest.ask("b", async () => "B");
  const fetch = vi.fn(never);
  void latest.ask("a", fetch);
  expect(shown.at(-1)).toEqual({ kind: "ready", key: "a", value: "A" });
  expect(fetch).not.toHaveBeenCalled();
});

it("forgets what was asked for longest ago", async () => {
  const { latest } = followed();
  for (let k = 0; k <= 100; k++) {
    await latest.ask(`${k}`, async () => "x");
  }
  const fetch = vi.fn(async () => "again");
  await latest.ask("1", fetch);
  expect(fetch).not.toHaveBeenCalled();
  await latest.ask("0", fetch);
  expect(fetch).toHaveBeenCalledOnce();
});

it("fetches again what may not hold any more", async () => {
  const { latest, shown } = followed();
  await latest.ask("a", async () => "before");
  latest.forget();
  await latest.ask("a", async () => "after");
  expect(shown.at(-1)).toMatchObject({ kind: "ready", value: "after" });
});

it("tries again after a failure, and gives up what is not wanted any more", async () => {
  const { latest, shown } = followed();
  await latest.ask("a", () => Promise.reject(new Error("the server does not answer")));
  expect(shown.at(-1)).toEqual({ kind: "failed", key: "a", message: "the server does not answer" });
  await latest.ask("a", async () => "A");
  expect(shown.at(-1)).toMatchObject({ kind: "ready", value: "A" });
  const signals: AbortSignal[] = [];
  void latest.ask("b", (signal) => {
    signals.push(signal);
    return never();
  });
  latest.clear();
  vi.advanceTimersByTime(SKELETON_MS);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  expect(shown.at(-1)).toEqual({ kind: "none" });
});
