/** Asks a tool when a page is shown, and again when the question, the range or the run has changed. */

import type { ToolAnswer, ToolQuestion } from "@tilescope/client";
import { type RequestHandle, useTool } from "../../requests/use-request";
import type { PageContext } from "../contract";

/** Answer of a tool about the page's range. */
export function useAnswer(context: PageContext, tool: string, question: ToolQuestion): RequestHandle<ToolAnswer> {
  return useTool(context.trace, tool, context.inRange(question));
}
