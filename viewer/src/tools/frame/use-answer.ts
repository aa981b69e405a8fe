/** Asks a tool when a page is shown, and again when the question, the range or the run has changed. */

import type { ToolAnswer, ToolQuestion } from "@tilescope/client";
import { type Asked, useTool } from "../../asking/use-asked";
import type { PageContext } from "../contract";

/** What a tool answers about the page's range. */
export function useAnswer(context: PageContext, tool: string, question: ToolQuestion): Asked<ToolAnswer> {
  return useTool(context.trace, tool, context.inRange(question));
}
