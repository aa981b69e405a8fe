/** Sums of counters in a span; a row has its counter stand out. */

import type { ToolTable } from "@tilescope/client";
import type { RowActions } from "../answers/links";
import { useApp } from "../components/app-context";
import type { Trace } from "../state/trace";
import { FigureTables } from "./figure-tables";
import { isCounter } from "./question-tracks";
import { type ShownSpan, SpanAnswer } from "./span-answer";
import { highlightTracks } from "./track-highlights";
import { useLinks } from "./use-links";

export function CounterFigures({ trace, span }: { trace: Trace; span: ShownSpan }) {
  const { pane } = useApp();
  const links = useLinks(trace);
  const rowActionsOf = (table: ToolTable): RowActions => highlightTracks(pane, trace, table, ["track"], []);
  return (
    <SpanAnswer trace={trace} tool="counters" span={span} isOf={isCounter} nothing="There are no counters here.">
      {(answer) => (
        <FigureTables
          answer={answer}
          links={links}
          tool="counters"
          facts={[]}
          hidden={["name"]}
          rowActionsOf={rowActionsOf}
        />
      )}
    </SpanAnswer>
  );
}
