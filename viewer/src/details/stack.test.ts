import { expect, it } from "vitest";
import { framesOf, parseFrame, shortPlace } from "./stack";

it("reads frames as profilers write them", () => {
  expect(parseFrame("/torch/nn/functional.py(2263): batch_norm")).toEqual({
    code: "batch_norm",
    place: "/torch/nn/functional.py:2263",
  });
  expect(parseFrame("x.py(46): <module>")).toEqual({ code: "<module>", place: "x.py:46" });
  expect(parseFrame("<embedded module '_launcher'>:153:2")).toEqual({
    code: "",
    place: "<embedded module '_launcher'>:153:2",
  });
  expect(parseFrame("run (/lib/a.js:3:4)")).toEqual({ code: "run", place: "/lib/a.js:3:4" });
  expect(parseFrame("std::sort")).toEqual({ code: "std::sort", place: "" });
});

it("knows call stacks by their keys, whatever they are made of", () => {
  expect(framesOf("source_stack", "a.py:1:2\nb.py:3:4\n")?.map(({ place }) => place)).toEqual(["b.py:3:4", "a.py:1:2"]);
  expect(framesOf("stackTrace", [{ functionName: "f", url: "u.js", lineNumber: 7 }])).toEqual([
    { code: "f", place: "u.js:7" },
  ]);
  expect(framesOf("Call stack", "")).toBeNull();
  expect(framesOf("stack", 12)).toBeNull();
  expect(framesOf("stack", [12])).toBeNull();
  expect(framesOf("haystack", "a;b")).toBeNull();
});

it("shortens places, keeping what tells files apart", () => {
  expect(shortPlace("/home/x/site-packages/torch/nn/functional.py:2263")).toBe("torch/nn/functional.py:2263");
  expect(shortPlace("/a/b/c/d/e.py:1")).toBe("…/c/d/e.py:1");
  expect(shortPlace("e.py:1")).toBe("e.py:1");
});
