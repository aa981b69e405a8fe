/** Asks a tool when a page is shown, and again when the question, the range or the run has changed. */

import type { ToolAnswer, ToolQuestion } from "@tilescope/client";
import { questionKey } from "../../asking/question-key";
import { type Asked, useAsked } from "../../asking/use-asked";
import type { PageContext } from "../contract";

/** What a tool answers about the page's range; `question` null asks nothing yet. */
export function useAnswer(context: PageContext, tool: string, question: ToolQuestion): Asked<ToolAnswer> {
  const { manifest } = context.trace;
  const key = questionKey(
    [tool, manifest.run, manifest.build, manifest.state, manifest.revision, context.rangeText],
    question,
  );
  return useAsked(key, (signal) => context.ask(tool, question, signal));
}
