import { ApiError, NetworkError } from "@tilescope/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Random } from "../../client/src/testing/random";
import { Asker, PROGRESS_MS, SKELETON_MS } from "./asking";

/** A question that is answered when the test says so. */
function question() {
  let resolve: (answer: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const signals: AbortSignal[] = [];
  const ask = (signal: AbortSignal) => {
    signals.push(signal);
    return new Promise<string>((onAnswer, onError) => {
      resolve = onAnswer;
      reject = onError;
    });
  };
  return {
    ...{ ask, resolve: (text: string) => resolve(text), reject: (error: Error) => reject(error) },
    ...{ times: () => signals.length, isAborted: () => signals.at(-1)?.aborted },
  };
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a question on its way", () => {
  it("shows nothing at first, then a skeleton, then progress", () => {
    const asker = new Asker<string>();
    expect(asker.state).toEqual({ kind: "none" });
    void asker.want("a", question().ask);
    expect(asker.state).toMatchObject({ kind: "waiting", key: "a", patience: "quiet", stale: null });
    vi.advanceTimersByTime(SKELETON_MS);
    expect(asker.state).toMatchObject({ patience: "skeleton" });
    vi.advanceTimersByTime(PROGRESS_MS - SKELETON_MS);
    expect(asker.state).toMatchObject({ patience: "progress" });
  });

  it("keeps the answer before as stale, also over two questions, and over one that failed", async () => {
    const asker = new Asker<string>();
    await asker.want("a", async () => "first");
    expect(asker.state).toEqual({ kind: "answered", key: "a", answer: "first" });
    void asker.want("b", question().ask);
    const stale = { key: "a", answer: "first" };
    await asker.want("c", () => Promise.reject(new NetworkError("busy")));
    expect(asker.state).toMatchObject({ kind: "failed", key: "c", failure: { message: "busy" }, stale });
    void asker.want("d", question().ask);
    expect(asker.state).toMatchObject({ kind: "waiting", key: "d", stale });
  });

  it("drops an answer that is no longer asked for", async () => {
    const asker = new Asker<string>();
    const late = question();
    void asker.want("a", late.ask);
    void asker.want("b", async () => "now");
    expect(late.isAborted()).toBe(true);
    late.resolve("late");
    await vi.advanceTimersByTimeAsync(PROGRESS_MS);
    expect(asker.state).toEqual({ kind: "answered", key: "b", answer: "now" });
  });

  it("is asked once, however often it is wanted, and again where it failed", async () => {
    const asker = new Asker<string>();
    const wanted = question();
    void asker.want("a", wanted.ask);
    void asker.want("a", wanted.ask);
    expect(wanted.times()).toBe(1);
    wanted.reject(new NetworkError("busy"));
    await vi.advanceTimersByTimeAsync(0);
    void asker.want("a", wanted.ask);
    expect(wanted.times()).toBe(2);
    wanted.resolve("A");
    await vi.advanceTimersByTimeAsync(0);
    void asker.want("a", wanted.ask);
    expect(wanted.times()).toBe(2);
    void asker.again();
    expect(wanted.times()).toBe(3);
  });

  it("is not asked again by itself where it was refused for good, only by a person or when it is another one", async () => {
    const asker = new Asker<string>();
    const refuse = vi.fn(() => Promise.reject(new ApiError(422, "bad_query", "no such field")));
    await asker.want("a", refuse);
    expect(asker.state).toMatchObject({ kind: "failed", failure: { isFinal: true } });
    await asker.want("a", refuse);
    await asker.want("a", refuse, 100);
    await asker.retry();
    expect(refuse).toHaveBeenCalledTimes(1);
    await asker.again();
    expect(refuse).toHaveBeenCalledTimes(2);
    const lose = vi.fn(() => Promise.reject(new NetworkError("lost")));
    await asker.want("b", lose);
    await asker.retry();
    expect(lose).toHaveBeenCalledTimes(2);
  });

  it("is cancelled for good", async () => {
    const asker = new Asker<string>();
    const pending = question();
    void asker.want("a", pending.ask);
    asker.cancel();
    expect(pending.isAborted()).toBe(true);
    pending.reject(new Error("aborted"));
    await vi.advanceTimersByTimeAsync(PROGRESS_MS);
    expect(asker.state).toEqual({ kind: "cancelled", key: "a" });
    asker.clear();
    expect(asker.state).toEqual({ kind: "none" });
  });

  it("goes out when it has stood still, and at once when it is not changed any more", async () => {
    const asker = new Asker<string>();
    const [passing, standing] = [question(), question()];
    void asker.want("a", passing.ask, 100);
    vi.advanceTimersByTime(99);
    void asker.want("b", standing.ask, 100);
    await vi.advanceTimersByTimeAsync(99);
    expect([passing.times(), standing.times()]).toEqual([0, 0]);
    void asker.want("b", standing.ask, 100);
    await vi.advanceTimersByTimeAsync(1);
    expect(standing.times()).toBe(1);
    void asker.want("b", standing.ask);
    expect(standing.times()).toBe(1);
    void asker.want("c", passing.ask, 100);
    void asker.want("c", passing.ask);
    expect(passing.times()).toBe(1);
  });
});

describe("answers that are kept", () => {
  it("are shown at once, and nobody is asked", async () => {
    const asker = new Asker<string>(2);
    await asker.want("a", async () => "A");
    await asker.want("b", async () => "B");
    const { ask, times } = question();
    void asker.want("a", ask);
    expect([asker.state, times()]).toEqual([{ kind: "answered", key: "a", answer: "A" }, 0]);
    await asker.want("c", async () => "C");
    void asker.want("b", ask);
    expect(times()).toBe(1);
  });

  it("are asked for again when they may not hold any more, and one on its way is not kept", async () => {
    const asker = new Asker<string>(2);
    const { ask, resolve } = question();
    void asker.want("a", ask);
    asker.forget();
    resolve("before");
    await vi.advanceTimersByTimeAsync(0);
    expect(asker.state).toMatchObject({ answer: "before" });
    await asker.want("b", async () => "B");
    await asker.want("a", async () => "after");
    expect(asker.state).toMatchObject({ answer: "after" });
  });
});

it("what is shown as an answer belongs to the question that is rendered, whatever comes late, out of order or not at all", async () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = new Random(seed);
    const asker = new Asker<string>(random.below(3));
    const onTheirWay: { readonly resolve: () => void; readonly reject: () => void }[] = [];
    const ask = (key: string) => () =>
      new Promise<string>((resolve, reject) => {
        onTheirWay.push({ resolve: () => resolve(`answer to ${key}`), reject: () => reject(new NetworkError("busy")) });
      });
    let key = "0";
    const look = () => {
      const state = asker.about(key);
      expect("key" in state && state.key).toBe(key);
      if (state.kind === "answered") {
        expect(state.answer).toBe(`answer to ${key}`);
      }
      if ((state.kind === "waiting" || state.kind === "failed") && state.stale !== null) {
        expect(state.stale.answer).toBe(`answer to ${state.stale.key}`);
      }
    };
    const settle = (isAnswer: boolean) => {
      const [request] = onTheirWay.splice(random.below(onTheirWay.length), 1);
      (isAnswer ? request?.resolve : request?.reject)?.();
    };
    const steps = [
      () => {
        // The address has changed: first it is rendered, and then asked.
        key = String(random.below(4));
        look();
        void asker.want(key, ask(key), random.pick([0, 100]));
      },
      () => settle(true),
      () => settle(random.next() < 0.5),
      () => vi.advanceTimersByTime(random.pick([1, 50, 200, 2000])),
      () => void asker.again(),
      () => asker.forget(),
      () => asker.cancel(),
    ];
    for (let step = 0; step < 60; step++) {
      random.pick(random.next() < 0.1 ? steps : steps.slice(0, 5))();
      look();
      await vi.advanceTimersByTimeAsync(0);
      look();
    }
    // At rest it is answered.
    void asker.want(key, ask(key));
    while (onTheirWay.length > 0) {
      settle(true);
    }
    await vi.advanceTimersByTimeAsync(PROGRESS_MS);
    while (onTheirWay.length > 0) {
      settle(true);
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(asker.about(key)).toMatchObject({ kind: "answered", answer: `answer to ${key}` });
  }
});
