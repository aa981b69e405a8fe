import { ApiError, NetworkError } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { failureOf } from "./failure";

describe("what went wrong", () => {
  it("is no fault where the run has no answer", () => {
    expect(failureOf(new ApiError(422, "not_available", "no HLO"))).toMatchObject({
      isUnavailable: true,
      message: "no HLO",
    });
  });

  it("is final unless the server was busy or did not answer", () => {
    const passing = [new NetworkError("lost"), ...[429, 502, 503, 504].map((status) => new ApiError(status, "x", "x"))];
    expect(passing.map((error) => failureOf(error).isFinal)).toEqual(passing.map(() => false));
    const refusals = [
      new TypeError("no table"),
      ...[400, 404, 413, 422, 500].map((status) => new ApiError(status, "x", "x")),
    ];
    expect(refusals.map((error) => failureOf(error).isFinal)).toEqual(refusals.map(() => true));
  });

  it("comes with what to do", () => {
    expect(failureOf(new NetworkError("the server does not answer")).advice).toContain("tilescope serve");
    expect(failureOf(new ApiError(404, "unknown_build", "gone")).advice).toContain("reload");
    expect(failureOf(new ApiError(502, "busy", "busy")).advice).toContain("busy");
    expect(failureOf(new ApiError(200, "unreadable", "no JSON")).advice).toContain("proxy");
    expect(failureOf(new ApiError(500, "tool_failed", "x")).advice).toContain("package");
  });
});
