/** The arrows at the place of a derived lane that the pointer or the keys rest on. */

import { tickAtX, type View, visibleRange } from "@tilescope/client";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { useRequest } from "../requests/use-request";
import type { DerivedLane } from "../state/lanes";
import { questionKey } from "../state/question-key";
import { lastOf } from "../state/request-state";
import type { Trace } from "../state/trace";
import { laneArrows, MOST_ARROWS, paintArrows } from "./lane-arrows";
import { askedRange } from "./lane-bins";

interface Props {
  readonly trace: Trace;
  readonly lane: DerivedLane;
  readonly seen: View;
  readonly heightPx: number;
  readonly xPx: number;
}

export function LaneArrowLayer({ trace, lane, seen, heightPx, xPx }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const tick = tickAtX(seen, xPx);
  const isInRun = askedRange(visibleRange(seen), trace.manifest.range) !== null && tick >= 0n;
  const question = { lane: lane.id, tick, limit: MOST_ARROWS };
  const key = questionKey(trace.manifest, isInRun ? "lane_events" : "", question);
  const ask = async (signal: AbortSignal) => (isInRun ? trace.api.ask("lane_events", question, signal) : null);
  const { state } = useRequest(key, ask, true);
  // Those of another place would be wrong here.
  const answer = state.kind === "answered" ? (lastOf(state)?.answer ?? null) : null;
  const arrows = useMemo(() => (answer === null ? [] : laneArrows(answer, seen, heightPx)), [answer, seen, heightPx]);
  useEffect(() => {
    if (canvas.current !== null) {
      paintArrows(canvas.current, arrows, seen.widthPx, heightPx);
    }
  }, [arrows, seen.widthPx, heightPx]);
  return <canvas ref={canvas} class="lane-arrows" aria-hidden="true" data-arrows={arrows.length} />;
}
