import { expect, test } from "vitest";
import { sharedTexts } from "./page";

test("what steps are called goes with the reader to other pages, and nothing else does", () => {
  expect(sharedTexts({ step_name: "jit_f", tracks: "1-3" })).toEqual({ step_name: "jit_f" });
  expect(sharedTexts({ tracks: "1-3" })).toEqual({});
});
