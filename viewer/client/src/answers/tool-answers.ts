/** Answers of tools that an archive gives: those that it keeps, about the whole run, and what is made of names and histograms. */

import { recordKey } from "../archive/keys";
import type { ToolAnswerJson } from "../base/schema";
import type { ToolField } from "../net/tool-fields";
import type { ArchivedRun } from "./archived-run";
import { hitBinsAnswer } from "./hit-bins";
import { searchAnswer } from "./search";
import { statsAnswer } from "./stats";

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
  if (tool === "stats") {
    return await statsAnswer(run, question);
  }
  if (tool === "search") {
    return await searchAnswer(run, question);
  }
  if (tool === "hit_bins") {
    return await hitBinsAnswer(run, question);
  }
  return null;
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
