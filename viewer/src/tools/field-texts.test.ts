import { expect, test } from "vitest";
import { formFields, formTexts } from "./catalogue/form-fields";
import { FIELDS as DASHBOARD } from "./dashboard/fields";
import { areSameTexts, changedTexts } from "./field-texts";
import { FIELDS as OP_PROFILE } from "./op-profile/fields";

const BEFORE = { step_name: "jit_f", tracks: "1-3" };

test("what steps are called stays in the address of a page that does not ask for it", () => {
  const next = { ...OP_PROFILE.parse(BEFORE), by: "program", tracks: "" } as const;
  expect(changedTexts(OP_PROFILE, BEFORE, next)).toEqual({ step_name: "jit_f", by: "program" });
});

test("a page that asks for it changes it, and takes it away", () => {
  const fields = DASHBOARD.parse(BEFORE);
  expect(changedTexts(DASHBOARD, BEFORE, { ...fields, stepName: "train" })).toEqual({ ...BEFORE, step_name: "train" });
  expect(changedTexts(DASHBOARD, BEFORE, { ...fields, stepName: "" })).toEqual({ tracks: "1-3" });
});

test("a form is such a page, with its field or without", () => {
  const text = (name: string) => ({ name, description: "", required: false, schema: { type: "string" } as const });
  const [without, withName] = [formFields([text("tracks")]), formFields([text("tracks"), text("step_name")])];
  expect(changedTexts(formTexts(without), BEFORE, { tracks: " 5 " })).toEqual({ step_name: "jit_f", tracks: "5" });
  expect(changedTexts(formTexts(withName), BEFORE, { tracks: "5", step_name: "" })).toEqual({ tracks: "5" });
});

test("texts are the same whatever object they are of", () => {
  expect(areSameTexts({ text: "aten::", limit: "7" }, { limit: "7", text: "aten::" })).toBe(true);
  expect(areSameTexts({}, {})).toBe(true);
  expect(areSameTexts({ text: "aten::" }, {})).toBe(false);
  expect(areSameTexts({}, { text: "" })).toBe(false);
});
