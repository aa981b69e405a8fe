import type { ToolField } from "@tilescope/client";
import { describe, expect, it } from "vitest";
import { faults, formFields, inForce, inFormWords, questionOf, spare } from "./form-fields";

function field(name: string, schema: ToolField["schema"], required = false): ToolField {
  return { name, description: `About ${name}.`, required, schema };
}

const FIELDS: readonly ToolField[] = [
  field("start", { type: "integer" }),
  field("end", { type: "integer" }),
  field("steps", { type: "string" }),
  field("step_name", { type: "string", maxLength: 256 }),
  field("match", { type: "string", enum: ["contains", "exact"], default: "contains" }),
  field("limit", { type: "integer", minimum: 0, maximum: 10, default: 5 }),
  field("per_track", { type: "boolean", default: false }),
  field("text", { type: "string" }, true),
  field("tracks", { type: "string", pattern: "^[0-9,-]*$" }),
  field("host", { type: "string", "x-names": "host" }),
  field("against", { type: "string", "x-names": "builds" }),
  field("after", { type: "string" }),
];
const FORM = formFields(FIELDS);

describe("the form of a tool", () => {
  it("asks for what the range switch does not say, what is required first", () => {
    expect(FORM.map(({ name }) => name)).toEqual([
      "text",
      "step_name",
      "match",
      "limit",
      "per_track",
      "tracks",
      "host",
      "against",
    ]);
    expect(FORM.map(({ input }) => input.kind)).toEqual([
      "text",
      "text",
      "choice",
      "integer",
      "flag",
      "text",
      "host",
      "build",
    ]);
    expect(FORM[1]!.label).toBe("Step name");
  });

  it("says what is wrong", () => {
    expect(faults(FORM, {})).toEqual({ text: "Text is missing." });
    const wrong = { text: "a", limit: "11", tracks: "one", match: "some", per_track: "maybe" };
    expect(faults(FORM, wrong)).toEqual({
      limit: "Limit is at least 0 and at most 10.",
      tracks: "Tracks is not of its form.",
      match: "Match is one of contains, exact.",
      per_track: "Per track is true or false.",
    });
    expect(faults(FORM, { text: "a", limit: "1.5" })).toEqual({ limit: "Limit is a whole number." });
    expect(faults(FORM, { text: "a", limit: "10", tracks: "1,5-8" })).toEqual({});
  });

  it("keeps the address free of what says nothing", () => {
    expect(spare(FORM, { text: " a ", limit: "5", step_name: "", other: "x" })).toEqual({ text: "a" });
  });

  it("says what is asked, defaults as well, but nothing of what leaves all in", () => {
    expect(inForce(FORM, {})).toEqual(["Match: contains", "Limit: 5"]);
    const texts = { text: " a ", match: "exact", per_track: "true", limit: "" };
    expect(inForce(FORM, texts)).toEqual(["Text: a", "Match: exact", "Limit: 5", "Per track: yes"]);
  });

  it("asks with what the tool knows, paging included, and with no range where it knows none", () => {
    expect(questionOf(FIELDS, { text: "a", after: "1,2,3", other: "x" })).toEqual({ text: "a", after: "1,2,3" });
    expect(questionOf([], { text: "a" })).toEqual({ start: undefined, end: undefined, steps: undefined });
  });
});

it("says what the server says in the words of the form", () => {
  const message = "the trace marks no steps: say with step_name which text they have (docs/formats.md, Steps)";
  const shown = "the trace marks no steps: say with “Step name” which text they have";
  expect(inFormWords(formFields(FIELDS), message)).toBe(shown);
});
