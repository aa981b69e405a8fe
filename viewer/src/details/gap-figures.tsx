/** Idle times of the devices of a span, the event that ended each gap, and the work of the host meanwhile. */

import { useMemo } from "preact/hooks";
import type { Links } from "../answers/links";
import { useApp } from "../components/app-context";
import { drawnRange } from "../state/shifts";
import type { Trace } from "../state/trace";
import { FigureTables } from "./figure-tables";
import { isSliced } from "./question-tracks";
import { type ShownSpan, SpanAnswer } from "./span-answer";
import { useLinks } from "./use-links";

/** So many gaps are listed, the longest: the figures above are of all. */
const MOST_GAPS = 200;

const FACTS = ["idle", "idle_share", "count", "busy", "span", "lanes"];

export function GapFigures({ trace, span }: { trace: Trace; span: ShownSpan }) {
  const { pane } = useApp();
  const plainLinks = useLinks(trace);
  // A gap that is gone to has an outline: there is nothing else to see of it.
  const links = useMemo(
    (): Links => ({
      ...plainLinks,
      goTo: (gap, track) => {
        plainLinks.goTo(gap, track);
        if (gap !== null && track !== null) {
          const key = `row gap ${track} ${gap.startTicks}`;
          pane.highlight.value = { kind: "gap", key, track, range: drawnRange(pane, track, gap) };
        }
      },
    }),
    [plainLinks],
  );
  return (
    <SpanAnswer
      trace={trace}
      tool="gaps"
      span={span}
      isOf={isSliced}
      more={{ limit: MOST_GAPS }}
      nothing="There are no gaps here."
    >
      {(answer) => (
        <FigureTables
          answer={answer}
          links={links}
          tool="gaps"
          facts={FACTS}
          hidden={["gap", "track", "host_track", "launched_by", "before"]}
        />
      )}
    </SpanAnswer>
  );
}
