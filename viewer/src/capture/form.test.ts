import { describe, expect, it } from "vitest";
import { addressesOf, type CaptureForm, EMPTY_FORM, orderOf, parseForm } from "./form";

const FORM: CaptureForm = { ...EMPTY_FORM, addresses: "localhost:9012" };

function wrongField(change: Partial<CaptureForm>): string | null {
  const result = orderOf({ ...FORM, ...change });
  return result.kind === "wrong" ? result.field : null;
}

describe("the order of a form", () => {
  it("has what stands in the fields", () => {
    const form = { ...FORM, addresses: " a:1,[::1]:2  grpc://c.example:3/", targets: ["trainer"], runName: " x " };
    const result = orderOf({ ...form, durationMs: "2 500", delayMs: "10", attempts: "1", pythonTracerLevel: 1 });
    expect(result.kind === "order" && result.order).toEqual({
      hosts: ["trainer", "a:1", "[::1]:2", "grpc://c.example:3/"],
      durationMs: 2500,
      delayMs: 10,
      attempts: 1,
      runName: "x",
      hostTracerLevel: 2,
      deviceTracerLevel: 1,
      pythonTracerLevel: 1,
      includeDatasetOps: true,
    });
    expect(orderOf({ ...FORM, runName: " " })).toMatchObject({ order: { runName: null } });
  });

  it.each([
    ["addresses", { addresses: "" }],
    ["addresses", { addresses: "localhost" }],
    ["addresses", { addresses: "a:1 a b:2" }],
    ["addresses", { addresses: "::1:9012" }],
    ["addresses", { addresses: "a:1, a:1" }],
    ["durationMs", { durationMs: "0" }],
    ["durationMs", { durationMs: "600001" }],
    ["durationMs", { durationMs: "1.5" }],
    ["durationMs", { durationMs: "" }],
    ["delayMs", { delayMs: "-1" }],
    ["attempts", { attempts: "11" }],
    ["runName", { runName: "../x" }],
  ] as const)("says what is wrong with %s", (field, change) => {
    expect(wrongField(change)).toBe(field);
  });

  it("reads lists with commas and spaces", () => {
    expect(addressesOf(" a:1,b:2  ,c:3 ")).toEqual(["a:1", "b:2", "c:3"]);
    expect(addressesOf("")).toEqual([]);
  });
});

describe("what is kept in the browser", () => {
  it("comes again, but for the name of the run", () => {
    const form = { ...FORM, targets: ["a"], hostTracerLevel: 3, includeDatasetOps: false, runName: "x" };
    expect(parseForm(JSON.stringify(form))).toEqual({ ...form, runName: "" });
  });

  it.each([null, "", "nonsense", "5", "null", "[]", '{"addresses": 7, "targets": "x", "hostTracerLevel": "3"}'])(
    "is left where it is damaged: %s",
    (text) => {
      expect(parseForm(text)).toEqual(EMPTY_FORM);
    },
  );

  it("loses names that are none", () => {
    expect(parseForm('{"targets": ["a", 5]}').targets).toEqual(["a"]);
  });
});
