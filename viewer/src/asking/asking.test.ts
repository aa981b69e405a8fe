import { ApiError, NetworkError } from "@tilescope/client";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Asker, failureOf, PROGRESS_MS, SKELETON_MS } from "./asking";

/** A question that is answered when the test says so. */
function question() {
  let resolve: (answer: string) => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<string>((onAnswer, onError) => {
    resolve = onAnswer;
    reject = onError;
  });
  let asked: AbortSignal | null = null;
  const ask = (signal: AbortSignal) => {
    asked = signal;
    return promise;
  };
  return { ask, resolve, reject, isAborted: () => asked?.aborted };
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
    asker.ask(question().ask);
    expect(asker.state.value).toMatchObject({ kind: "waiting", patience: "quiet", stale: null });
    vi.advanceTimersByTime(SKELETON_MS);
    expect(asker.state.value).toMatchObject({ patience: "skeleton" });
    vi.advanceTimersByTime(PROGRESS_MS - SKELETON_MS);
    expect(asker.state.value).toMatchObject({ patience: "progress" });
  });

  it("keeps the answer before as stale, also over two questions", async () => {
    const asker = new Asker<string>();
    asker.ask(() => Promise.resolve("first"));
    await vi.advanceTimersByTimeAsync(0);
    expect(asker.state.value).toEqual({ kind: "answered", answer: "first" });
    asker.ask(question().ask);
    asker.ask(question().ask);
    expect(asker.state.value).toMatchObject({ kind: "waiting", stale: "first" });
  });

  it("drops an answer that is no longer asked for", async () => {
    const asker = new Asker<string>();
    const late = question();
    asker.ask(late.ask);
    asker.ask(() => Promise.resolve("now"));
    expect(late.isAborted()).toBe(true);
    late.resolve("late");
    await vi.advanceTimersByTimeAsync(PROGRESS_MS);
    expect(asker.state.value).toEqual({ kind: "answered", answer: "now" });
  });

  it("is cancelled for good", async () => {
    const asker = new Asker<string>();
    const asked = question();
    asker.ask(asked.ask);
    asker.cancel();
    expect(asked.isAborted()).toBe(true);
    asked.reject(new Error("aborted"));
    await vi.advanceTimersByTimeAsync(PROGRESS_MS);
    expect(asker.state.value).toEqual({ kind: "cancelled" });
  });
});

describe("what went wrong", () => {
  it("is no fault where the run has no answer", () => {
    expect(failureOf(new ApiError(422, "not_available", "no HLO"))).toMatchObject({
      isUnavailable: true,
      message: "no HLO",
    });
  });

  it("comes with what to do", () => {
    expect(failureOf(new NetworkError("the server does not answer")).advice).toContain("tilescope serve");
    expect(failureOf(new ApiError(404, "unknown_build", "gone")).advice).toContain("reload");
    expect(failureOf(new ApiError(503, "busy", "busy")).advice).toContain("busy");
    expect(failureOf(new ApiError(500, "tool_failed", "x")).advice).toContain("package");
  });
});
