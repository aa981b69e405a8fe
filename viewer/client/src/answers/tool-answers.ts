/** Answers of tools that an archive gives: those that it keeps, about the whole run, and what is made of names and histograms. */

import { recordKey } from "../archive/keys";
import type { MissingHost, ToolAnswerJson } from "../base/schema";
import type { ToolField } from "../net/tool-fields";
import type { ArchivedRun } from "./archived-run";
import { hitBinsAnswer } from "./hit-bins";
import { searchAnswer } from "./search";
import { statsAnswer } from "./stats";

/** Tools whose answers are made of records. */
const MADE_HERE: ReadonlyMap<string, typeof statsAnswer> = new Map([
  ["stats", statsAnswer],
  ["search", searchAnswer],
  ["hit_bins", hitBinsAnswer],
]);

/** Hosts that a note names; it counts the others. */
const NAMED_HOSTS = 5;

/** The answer of a tool to a question; null where it takes a server. `fields`: those of the tool's questions, where they are known. */
export async function toolAnswer(
  run: ArchivedRun,
  tool: string,
  question: URLSearchParams,
  fields: (tool: string) => Promise<readonly ToolField[]>,
): Promise<ToolAnswerJson | null> {
  const kept = (await run.manifest()).answers ?? [];
  const ofTool = kept.filter((name) => toolOf(name) === tool);
  if (ofTool.length > 0) {
    const toolFields = [...question.keys()].length === 0 ? [] : await fields(tool);
    const wanted = comparable(question, toolFields);
    const name = ofTool.find(
      (other) => comparable(new URLSearchParams(other.slice(tool.length)), toolFields) === wanted,
    );
    if (name !== undefined) {
      return await run.json<ToolAnswerJson>(recordKey("z", [BigInt(kept.indexOf(name))])!);
    }
  }
  const answer = (await MADE_HERE.get(tool)?.(run, question)) ?? null;
  return answer === null ? null : withMissingHosts(answer, (await run.manifest()).public.missing ?? []);
}

/** An answer that says which hosts of a run of shards are not in it. */
function withMissingHosts(answer: ToolAnswerJson, hosts: readonly MissingHost[]): ToolAnswerJson {
  const missing = hosts.map(({ name }) => name);
  return { ...answer, complete: missing.length === 0, missing, notes: [...answer.notes, ...missingNotes(missing)] };
}

function missingNotes(hosts: readonly string[]): ToolAnswerJson["notes"] {
  if (hosts.length === 0) {
    return [];
  }
  const more = hosts.length > NAMED_HOSTS ? ` and ${(hosts.length - NAMED_HOSTS).toLocaleString("en")} more` : "";
  const count = `${hosts.length.toLocaleString("en")} ${hosts.length === 1 ? "host" : "hosts"}`;
  const text = `this is without ${hosts.slice(0, NAMED_HOSTS).join(", ")}${more}: the run lacks ${count}`;
  return [{ severity: "warning", text, start: null, end: null, track: null, event: null }];
}

/** The tool of a kept answer: `op_profile?by=category` → `op_profile`. */
export function toolOf(name: string): string {
  return name.split("?", 1)[0]!;
}

/** A question as a text that is the same for all that ask for the same: without fields that say what is so anyway. */
function comparable(question: URLSearchParams, fields: readonly ToolField[]): string {
  const usual = new Map(fields.map(({ name, schema }) => [name, String(schema.default ?? "")]));
  const others = [...question].filter(([name, value]) => usual.get(name) !== value);
  return others
    .map(([name, value]) => `${name}=${value}`)
    .sort()
    .join("&");
}
