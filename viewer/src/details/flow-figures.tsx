/** Flows between the tracks of a span, summed up; a row has both tracks stand out. */

import type { ToolTable } from "@tilescope/client";
import type { RowDeeds } from "../answers/links";
import { GoIcon } from "../components/icons";
import type { Trace } from "../state/trace";
import { isSliced } from "./asked-tracks";
import { FigureTables } from "./figure-tables";
import { lightTracks } from "./lit-tracks";
import { TargetIcon } from "./panel-icons";
import { type ShownSpan, SpanAnswer } from "./span-answer";
import { useLinks } from "./use-links";

const FACTS = ["leaving", "arriving", "pairs"];

export function FlowFigures({ trace, span }: { trace: Trace; span: ShownSpan }) {
  const links = useLinks(trace);
  const deedsOf = (table: ToolTable): RowDeeds => {
    const show = (column: string) => (row: number) => {
      const track = table.columns.find(({ id }) => id === column)?.values[row];
      links.goTo(null, typeof track === "number" ? track : null);
    };
    return lightTracks(
      trace,
      table,
      ["source", "target"],
      [
        { label: "Show the track that they leave", icon: GoIcon, go: show("source") },
        { label: "Show the track that they reach", icon: TargetIcon, go: show("target") },
      ],
    );
  };
  return (
    <SpanAnswer trace={trace} tool="flows" span={span} isOf={isSliced} nothing="No flow begins or ends in this.">
      {(answer) => <FigureTables answer={answer} links={links} tool="flows" facts={FACTS} deedsOf={deedsOf} />}
    </SpanAnswer>
  );
}
