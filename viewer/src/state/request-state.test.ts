import { ApiError, NetworkError } from "@tilescope/client";
import { Random } from "@tilescope/client/testing/random";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PROGRESS_MS, Requester, SKELETON_MS } from "./request-state";

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
    const requester = new Requester<string>();
    expect(requester.state).toEqual({ kind: "none" });
    void requester.want("a", question().ask);
    expect(requester.state).toMatchObject({ kind: "waiting", key: "a", patience: "quiet", stale: null });
    vi.advanceTimersByTime(SKELETON_MS);
    expect(requester.state).toMatchObject({ patience: "skeleton" });
    vi.advanceTimersByTime(PROGRESS_MS - SKELETON_MS);
    expect(requester.state).toMatchObject({ patience: "progress" });
  });

  it("keeps the answer before as stale, also over two questions, and over one that failed", async () => {
    const requester = new Requester<string>();
    await requester.want("a", async () => "first");
    expect(requester.state).toEqual({ kind: "answered", key: "a", answer: "first" });
    void requester.want("b", question().ask);
    const stale = { key: "a", answer: "first" };
    await requester.want("c", () => Promise.reject(new NetworkError("busy")));
    expect(requester.state).toMatchObject({ kind: "failed", key: "c", failure: { message: "busy" }, stale });
    void requester.want("d", question().ask);
    expect(requester.state).toMatchObject({ kind: "waiting", key: "d", stale });
  });

  it("drops an answer that is no longer asked for", async () => {
    const requester = new Requester<string>();
    const late = question();
    void requester.want("a", late.ask);
    void requester.want("b", async () => "now");
    expect(late.isAborted()).toBe(true);
    late.resolve("late");
    await vi.advanceTimersByTimeAsync(PROGRESS_MS);
    expect(requester.state).toEqual({ kind: "answered", key: "b", answer: "now" });
  });

  it("is asked once, however often it is wanted, and again where it failed", async () => {
    const requester = new Requester<string>();
    const wanted = question();
    void requester.want("a", wanted.ask);
    void requester.want("a", wanted.ask);
    expect(wanted.times()).toBe(1);
    wanted.reject(new NetworkError("busy"));
    await vi.advanceTimersByTimeAsync(0);
    void requester.want("a", wanted.ask);
    expect(wanted.times()).toBe(2);
    wanted.resolve("A");
    await vi.advanceTimersByTimeAsync(0);
    void requester.want("a", wanted.ask);
    expect(wanted.times()).toBe(2);
    void requester.again();
    expect(wanted.times()).toBe(3);
  });

  it("is not asked again by itself where it was refused for good, only by a person or when it is another one", async () => {
    const requester = new Requester<string>();
    const refuse = vi.fn(() => Promise.reject(new ApiError(422, "bad_query", "no such field")));
    await requester.want("a", refuse);
    expect(requester.state).toMatchObject({ kind: "failed", failure: { isFinal: true } });
    await requester.want("a", refuse);
    await requester.want("a", refuse, 100);
    await requester.retry();
    expect(refuse).toHaveBeenCalledTimes(1);
    await requester.again();
    expect(refuse).toHaveBeenCalledTimes(2);
    const lose = vi.fn(() => Promise.reject(new NetworkError("lost")));
    await requester.want("b", lose);
    await requester.retry();
    expect(lose).toHaveBeenCalledTimes(2);
  });

  it("is cancelled for good", async () => {
    const requester = new Requester<string>();
    const pending = question();
    void requester.want("a", pending.ask);
    requester.cancel();
    expect(pending.isAborted()).toBe(true);
    pending.reject(new Error("aborted"));
    await vi.advanceTimersByTimeAsync(PROGRESS_MS);
    expect(requester.state).toEqual({ kind: "cancelled", key: "a" });
    requester.clear();
    expect(requester.state).toEqual({ kind: "none" });
  });

  it("goes out when it has stood still, and at once when it is not changed any more", async () => {
    const requester = new Requester<string>();
    const [passing, standing] = [question(), question()];
    void requester.want("a", passing.ask, 100);
    vi.advanceTimersByTime(99);
    void requester.want("b", standing.ask, 100);
    await vi.advanceTimersByTimeAsync(99);
    expect([passing.times(), standing.times()]).toEqual([0, 0]);
    void requester.want("b", standing.ask, 100);
    await vi.advanceTimersByTimeAsync(1);
    expect(standing.times()).toBe(1);
    void requester.want("b", standing.ask);
    expect(standing.times()).toBe(1);
    void requester.want("c", passing.ask, 100);
    void requester.want("c", passing.ask);
    expect(passing.times()).toBe(1);
  });
});

describe("answers that are kept", () => {
  it("are shown at once, and nobody is asked", async () => {
    const requester = new Requester<string>(2);
    await requester.want("a", async () => "A");
    await requester.want("b", async () => "B");
    const { ask, times } = question();
    void requester.want("a", ask);
    expect([requester.state, times()]).toEqual([{ kind: "answered", key: "a", answer: "A" }, 0]);
    await requester.want("c", async () => "C");
    void requester.want("b", ask);
    expect(times()).toBe(1);
  });

  it("are asked for again when they may not hold any more, and one on its way is not kept", async () => {
    const requester = new Requester<string>(2);
    const { ask, resolve } = question();
    void requester.want("a", ask);
    requester.forget();
    resolve("before");
    await vi.advanceTimersByTimeAsync(0);
    expect(requester.state).toMatchObject({ answer: "before" });
    await requester.want("b", async () => "B");
    await requester.want("a", async () => "after");
    expect(requester.state).toMatchObject({ answer: "after" });
  });
});

it("what is shown as an answer belongs to the question that is rendered, whatever comes late, out of order or not at all", async () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = new Random(seed);
    const requester = new Requester<string>(random.below(3));
    const onTheirWay: { readonly resolve: () => void; readonly reject: () => void }[] = [];
    const ask = (key: string) => () =>
      new Promise<string>((resolve, reject) => {
        onTheirWay.push({ resolve: () => resolve(`answer to ${key}`), reject: () => reject(new NetworkError("busy")) });
      });
    let key = "0";
    const look = () => {
      const state = requester.about(key);
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
        void requester.want(key, ask(key), random.pick([0, 100]));
      },
      () => settle(true),
      () => settle(random.next() < 0.5),
      () => vi.advanceTimersByTime(random.pick([1, 50, 200, 2000])),
      () => void requester.again(),
      () => requester.forget(),
      () => requester.cancel(),
    ];
    for (let step = 0; step < 60; step++) {
      random.pick(random.next() < 0.1 ? steps : steps.slice(0, 5))();
      look();
      await vi.advanceTimersByTimeAsync(0);
      look();
    }
    // At rest it is answered.
    void requester.want(key, ask(key));
    while (onTheirWay.length > 0) {
      settle(true);
    }
    await vi.advanceTimersByTimeAsync(PROGRESS_MS);
    while (onTheirWay.length > 0) {
      settle(true);
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(requester.about(key)).toMatchObject({ kind: "answered", answer: `answer to ${key}` });
  }
});
