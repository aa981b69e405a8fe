/** The answer of a tool on a page of its own: what it says first stands above all else. */

import type { ToolAnswer, ToolEntry } from "@tilescope/client";
import { AnswerView } from "../../answers/answer-view";
import type { PageContext } from "../contract";

interface Props {
  readonly tool: Pick<ToolEntry, "id" | "title" | "help">;
  readonly answer: ToolAnswer;
  readonly context: PageContext;
}

export function ToolAnswerView({ tool, answer, context }: Props) {
  return (
    <>
      {!answer.complete && <Incomplete />}
      <AnswerView
        tool={tool}
        answer={answer}
        links={context}
        rangeText={context.rangeText}
        onMore={null}
        isOwn={true}
      />
    </>
  );
}

/** What is said while not all tracks are done. */
export function Incomplete() {
  return (
    <p class="page-note" role="status">
      The run is still being indexed: these figures are of the tracks that are done.
    </p>
  );
}
