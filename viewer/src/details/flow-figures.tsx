/** Flows between the tracks of a span, summed up; a row has both tracks stand out. */

import type { ToolTable } from "@tilescope/client";
import type { RowActions } from "../answers/links";
import { useApp } from "../components/app-context";
import { GoIcon } from "../components/icons";
import type { Trace } from "../state/trace";
import { FigureTables } from "./figure-tables";
import { TargetIcon } from "./panel-icons";
import { isSliced } from "./question-tracks";
import { type ShownSpan, SpanAnswer } from "./span-answer";
import { highlightTracks } from "./track-highlights";
import { useLinks } from "./use-links";

const FACTS = ["leaving", "arriving", "pairs"];

export function FlowFigures({ trace, span }: { trace: Trace; span: ShownSpan }) {
  const { pane } = useApp();
  const links = useLinks(trace);
  const rowActionsOf = (table: ToolTable): RowActions => {
    const show = (column: string) => (row: number) => {
      const track = table.columns.find(({ id }) => id === column)?.values[row];
      links.goTo(null, typeof track === "number" ? track : null);
    };
    return highlightTracks(
      pane,
      trace,
      table,
      ["source", "target"],
      [
        { label: "Show the track where they start", icon: GoIcon, go: show("source") },
        { label: "Show the track where they end", icon: TargetIcon, go: show("target") },
      ],
    );
  };
  return (
    <SpanAnswer trace={trace} tool="flows" span={span} isOf={isSliced} nothing="No flow starts or ends here.">
      {(answer) => (
        <FigureTables answer={answer} links={links} tool="flows" facts={FACTS} rowActionsOf={rowActionsOf} />
      )}
    </SpanAnswer>
  );
}
