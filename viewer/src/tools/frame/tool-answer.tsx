/** The answer of a tool on a page of its own. */

import type { ToolAnswer, ToolEntry } from "@tilescope/client";
import { AnswerView } from "../../answers/answer-view";
import type { AnswerProps, RowOfTable } from "../../answers/links";
import { isGrowing } from "../../state/answer-values";
import type { PageContext } from "../contract";

interface Props {
  readonly tool: Pick<ToolEntry, "id" | "title" | "help">;
  readonly answer: ToolAnswer;
  readonly context: PageContext;
  /** A row that somebody asked for. */
  readonly wanted?: RowOfTable | null;
  readonly pictures?: AnswerProps["pictures"];
}

export function ToolAnswerView({ tool, answer, context, wanted = null, pictures }: Props) {
  return (
    <>
      {isGrowing(answer) && <Incomplete />}
      <AnswerView
        tool={tool}
        answer={answer}
        links={context}
        rangeText={context.rangeText}
        onMore={null}
        isOwn={true}
        {...(pictures === undefined ? {} : { pictures })}
        wanted={wanted}
      />
    </>
  );
}

/** Notice while not all tracks are done. */
export function Incomplete() {
  return (
    <p class="page-note" role="status">
      The run is still being indexed: these figures are of the tracks that are done.
    </p>
  );
}
