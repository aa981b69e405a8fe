/** Answers of tools that an archive gives: those that it keeps, about the whole run, and what is made of names and histograms. */

import { recordKey } from "../archive/keys";
import type { ToolAnswerJson } from "../base/schema";
import type { ArchivedRun } from "./archived-run";
import { hitBinsAnswer } from "./hit-bins";
import { searchAnswer } from "./search";
import { statsAnswer } from "./stats";

/** The answer of a tool to a question; null where it takes a server. */
export async function toolAnswer(
  run: ArchivedRun,
  tool: string,
  question: URLSearchParams,
): Promise<ToolAnswerJson | null> {
  const number = ((await run.manifest()).answers ?? []).indexOf(tool);
  const isOfWholeRun = [...question.keys()].length === 0;
  if (!(number >= 0 && isOfWholeRun) && tool === "stats") {
    return await statsAnswer(run, question);
  }
  if (tool === "search") {
    return await searchAnswer(run, question);
  }
  if (tool === "hit_bins") {
    return await hitBinsAnswer(run, question);
  }
  return number >= 0 && isOfWholeRun ? await run.json<ToolAnswerJson>(recordKey("z", [BigInt(number)])!) : null;
}
