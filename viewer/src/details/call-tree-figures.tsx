/** The call tree of a span as a picture: what its slices lie in, from the outermost to the innermost. */

import type { ToolTable } from "@tilescope/client";
import { TreePicture } from "../answers/tree-picture/tree-picture";
import { isTree } from "../answers/tree-rows";
import { useApp } from "../components/app-context";
import type { Trace } from "../state/trace";
import { isSliced } from "./question-tracks";
import { type ShownSpan, SpanAnswer } from "./span-answer";
import { spanTabs, treesQuestion } from "./span-tabs";
import { useLinks } from "./use-links";

/** So many nodes are drawn, those with the most time: more are narrower than a pixel. */
const MOST_NODES = 10_000;

export function CallTreeFigures({ trace, span }: { trace: Trace; span: ShownSpan }) {
  const { pane } = useApp();
  const links = useLinks(trace);
  return (
    <SpanAnswer
      trace={trace}
      tool="call_tree"
      span={span}
      isOf={isSliced}
      more={{ limit: MOST_NODES, ...treesQuestion(spanTabs(pane)) }}
      nothing="No slice starts here on a track with nested slices."
    >
      {({ tables }) =>
        tables
          .filter(isTree)
          .map((table: ToolTable) => (
            <TreePicture key={table.id} table={table} links={links} rangeText="the selection" onRow={() => {}} />
          ))
      }
    </SpanAnswer>
  );
}
