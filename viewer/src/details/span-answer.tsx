/** Answer of a tool about a span of time on some tracks, or the state of the question. */

import type { TickRange, ToolAnswer, ToolNote, ToolQuestion, Track } from "@tilescope/client";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { useApp } from "../components/app-context";
import { Answered, StateCard, sentence } from "../requests/states";
import { useTool } from "../requests/use-request";
import { isGrowing } from "../state/answer-values";
import { recordedRange } from "../state/shifts";
import type { Trace } from "../state/trace";
import { MixedClocks } from "./mixed-clocks";
import { questionTracks, spanQuestion } from "./question-tracks";

/** Span and tracks of the panel. */
export interface ShownSpan {
  readonly range: TickRange;
  readonly tracks: ReadonlySet<number>;
  /** An edge of it is being dragged: it is asked about when it has stood still for a moment. */
  readonly isMoving: boolean;
}

interface Props {
  readonly trace: Trace;
  readonly tool: string;
  readonly span: ShownSpan;
  /** Filter for the tracks of the question. */
  readonly isOf: (track: Track) => boolean;
  readonly more?: ToolQuestion;
  /** Said where nothing is found. */
  readonly nothing: string;
  readonly children: (answer: ToolAnswer) => ComponentChildren;
}

export function SpanAnswer(props: Props) {
  const { trace, span, isOf, nothing } = props;
  const named = useMemo(() => questionTracks(trace.tracks, span.tracks, isOf), [trace.tracks, span.tracks, isOf]);
  switch (named.kind) {
    case "none":
      return <Nothing text={nothing} />;
    case "tooMany":
      return (
        <StateCard title="Too many separate tracks" state="empty">
          <p>Too many separate tracks are selected for one request. Select whole groups, or fewer tracks.</p>
        </StateCard>
      );
    case "all":
      return <AskedAnswer {...props} tracks={undefined} />;
    case "some":
      return <AskedAnswer {...props} tracks={named.text} />;
  }
}

function AskedAnswer({ trace, tool, span, more, nothing, children, tracks }: Props & { tracks: string | undefined }) {
  const { pane } = useApp();
  const { range, isMixed } = recordedRange(pane.shifts.value, span.range, span.tracks);
  const question: ToolQuestion = { ...spanQuestion(range), tracks, ...more };
  const request = useTool(trace, tool, question, span.isMoving);
  return (
    <div class="span-answer" aria-busy={request.state.kind === "waiting"} data-tool={tool}>
      <Answered request={request}>
        {(answer) => (
          <>
            {isMixed && <MixedClocks />}
            {isGrowing(answer) && (
              <p class="page-note" role="status">
                The run is still being indexed: these figures are of the tracks that are done.
              </p>
            )}
            {isEmptyAnswer(answer) ? (
              <Nothing text={[nothing, ...answer.notes.map(reasonOf)].join(" ")} />
            ) : (
              children(answer)
            )}
          </>
        )}
      </Answered>
    </div>
  );
}

/** Reason for an empty answer, as the tool says it. */
function reasonOf({ text }: ToolNote): string {
  return sentence(text);
}

function Nothing({ text }: { text: string }) {
  return (
    <p class="drawer-empty" data-state="empty">
      {text}
    </p>
  );
}

function isEmptyAnswer({ tables }: ToolAnswer): boolean {
  return tables.every(({ columns }) => (columns[0]?.values.length ?? 0) === 0);
}
