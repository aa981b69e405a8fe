import type { ToolAnswer } from "@tilescope/client";
import { expect, test } from "vitest";
import { formFields, inFormWords } from "../catalogue/form-fields";
import { answerInWords } from "./answer-words";
import { inPageWords } from "./page-words";

const SAY = "say with step_name that they are (docs/formats.md, Steps)";
const ANSWER = {
  headline: { severity: "info", text: SAY },
  facts: [{ id: "input", label: "", kind: "ticks", value: null, note: SAY }],
  notes: [{ severity: "info", text: "step_name would use them" }],
} as unknown as ToolAnswer;

test("notes of an answer and of its facts name the field of a dashboard", () => {
  const { facts, notes, headline } = answerInWords(ANSWER, inPageWords);
  expect(headline!.text).toBe("say in “Steps are called” that they are");
  expect(facts[0]!.note).toBe("say in “Steps are called” that they are");
  expect(notes[0]!.text).toBe("“Steps are called” would use them");
});

test("they name the field of a form", () => {
  const schema = { type: "string" } as const;
  const form = formFields([{ name: "step_name", description: "", required: false, schema }]);
  const { facts, notes } = answerInWords(ANSWER, (message) => inFormWords(form, message));
  expect(facts[0]!.note).toBe("say with “Step name” that they are");
  expect(notes[0]!.text).toBe("“Step name” would use them");
});
