/** From the fields of a tool's question to the inputs of a form, and back to a question. */

import type { ToolField, ToolQuestion } from "@tilescope/client";
import type { PageFields, PageTexts } from "../contract";

/** Parameters that the range switch and the table's own paging set: no inputs. */
const NOT_ASKED: ReadonlySet<string> = new Set(["start", "end", "steps", "after"]);

/** Most builds that one field names, as the server has it. */
const MAX_BUILDS = 32;

export type Input =
  | { readonly kind: "text"; readonly pattern: string | null; readonly maxLength: number }
  | { readonly kind: "integer"; readonly min: number | null; readonly max: number | null }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "flag" }
  /** One of the hosts of the run. */
  | { readonly kind: "host" }
  /** Builds of the server, so many at most. */
  | { readonly kind: "build"; readonly most: number };

export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly help: string;
  readonly isRequired: boolean;
  /** Value that holds where nothing is entered; empty where there is no default. */
  readonly default: string;
  readonly input: Input;
}

/** Fields of a question that a person is asked for, in the order of the question; required ones stand first. */
export function formFields(fields: readonly ToolField[]): readonly FormField[] {
  const shown = fields.filter(({ name }) => !NOT_ASKED.has(name)).map(formField);
  return [...shown.filter(({ isRequired }) => isRequired), ...shown.filter(({ isRequired }) => !isRequired)];
}

function formField({ name, description, required, schema }: ToolField): FormField {
  const words = name.replaceAll("_", " ");
  return {
    name,
    label: words.charAt(0).toUpperCase() + words.slice(1),
    help: description,
    isRequired: required,
    default: schema.default === undefined ? "" : String(schema.default),
    input: inputOf(schema),
  };
}

function inputOf(schema: ToolField["schema"]): Input {
  if (schema.enum !== undefined) {
    return { kind: "choice", choices: schema.enum };
  }
  switch (schema.type) {
    case "boolean":
      return { kind: "flag" };
    case "integer":
      return { kind: "integer", min: schema.minimum ?? null, max: schema.maximum ?? null };
    case "string":
      if (schema["x-names"] === "host") {
        return { kind: "host" };
      }
      if (schema["x-names"] === "build" || schema["x-names"] === "builds") {
        return { kind: "build", most: schema["x-names"] === "build" ? 1 : MAX_BUILDS };
      }
      return { kind: "text", pattern: schema.pattern ?? null, maxLength: schema.maxLength ?? 2000 };
  }
}

/** Faults of the texts of a form, by field; none if it can be asked. */
export function faults(fields: readonly FormField[], texts: PageTexts): Readonly<Record<string, string>> {
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const fault = faultOf(field, (texts[field.name] ?? "").trim());
    if (fault !== null) {
      problems[field.name] = fault;
    }
  }
  return problems;
}

function faultOf({ label, isRequired, input }: FormField, text: string): string | null {
  if (text === "") {
    return isRequired ? `${label} is missing.` : null;
  }
  switch (input.kind) {
    case "text":
      return input.pattern === null || new RegExp(input.pattern, "u").test(text)
        ? null
        : `${label} is not of its form.`;
    case "integer":
      return integerFault(label, input, text);
    case "choice":
      return input.choices.includes(text) ? null : `${label} is one of ${input.choices.join(", ")}.`;
    case "host": // of the run that is looked at: the server knows them
    case "build": // of the runs that it has
      return null;
    case "flag":
      return text === "true" || text === "false" ? null : `${label} is true or false.`;
  }
}

function integerFault(label: string, { min, max }: Extract<Input, { kind: "integer" }>, text: string): string | null {
  if (!/^-?\d{1,18}$/.test(text)) {
    return `${label} is a whole number.`;
  }
  const value = Number(text);
  if ((min !== null && value < min) || (max !== null && value > max)) {
    return `${label} is ${min === null ? "" : `at least ${min}`}${min !== null && max !== null ? " and " : ""}${max === null ? "" : `at most ${max}`}.`;
  }
  return null;
}

/** The texts of a form without what says nothing: no empty ones, no defaults, no fields that the tool does not have. */
export function spare(fields: readonly FormField[], texts: PageTexts): PageTexts {
  const entries = fields.flatMap(({ name, default: otherwise }) => {
    const text = (texts[name] ?? "").trim();
    return text === "" || text === otherwise ? [] : [[name, text] as const];
  });
  return Object.fromEntries(entries);
}

/** Fields of a form and what each is, as they are asked: "Order: longest". Those that leave everything in are not named. */
export function inForce(fields: readonly FormField[], texts: PageTexts): readonly string[] {
  return fields.flatMap(({ name, label, input, default: otherwise }) => {
    const entered = (texts[name] ?? "").trim();
    const text = entered === "" ? otherwise : entered;
    if (text === "" || (text === otherwise && input.kind === "flag")) {
      return [];
    }
    const words = input.kind === "flag" ? (text === "true" ? "yes" : "no") : text;
    return [`${label}: ${words}`];
  });
}

/** The fields of a page that are those of a form. */
export function formTexts(fields: readonly FormField[]): PageFields<PageTexts> {
  return { parse: (texts) => texts, format: (texts) => spare(fields, texts) };
}

/** The texts of the fields that a row of an answer may set: what it is about, not how much of it is shown. */
export function narrowingTexts(fields: readonly FormField[], texts: PageTexts): ReadonlyMap<string, string> {
  const narrowing = fields.filter(({ input, default: otherwise }) => input.kind !== "flag" && otherwise === "");
  return new Map(narrowing.map(({ name }) => [name, (texts[name] ?? "").trim()]));
}

/** The question of a form: `fields` are those of the tool, also the ones that no form asks for. */
export function questionOf(fields: readonly ToolField[], texts: PageTexts): ToolQuestion {
  const names = new Set(fields.map(({ name }) => name));
  const question: Record<string, string | undefined> = {};
  for (const [name, text] of Object.entries(texts)) {
    if (names.has(name) && text !== "") {
      question[name] = text;
    }
  }
  // A tool that knows no range is asked without one.
  for (const name of ["start", "end", "steps"]) {
    if (!names.has(name)) {
      question[name] = undefined;
    }
  }
  return question;
}

/**
 * A message of the server in the words of the form: `step_name` → `“Step name”`. Files of the documentation are left out: they
 * are at hand where commands are typed, and not here.
 */
export function inFormWords(fields: readonly FormField[], message: string): string {
  const named = fields.filter(({ name }) => name.includes("_")); // others may be plain words of the message
  const words = named.reduce(
    (text, { name, label }) => text.replaceAll(new RegExp(`\\b${name}\\b`, "g"), `“${label}”`),
    message,
  );
  return words.replaceAll(/ \(docs\/[^()]*\)/g, "");
}
