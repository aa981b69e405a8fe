/** One derived lane: its bins of the view that is on the screen, with a pointer and keys that lead to what made it. */

import { minus, tickAtX, type View, visibleRange, xOfTick } from "@tilescope/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { figureText } from "../answers/figures";
import { useApp } from "../components/app-context";
import { formatPercent } from "../components/format";
import { useRequest } from "../requests/use-request";
import { valuesOf } from "../state/answer-values";
import { laneSearch, litNames } from "../state/lane-search";
import { type DerivedLane, laneHeightPx } from "../state/lanes";
import type { EventPlace } from "../state/location";
import { query } from "../state/query";
import { questionKey } from "../state/question-key";
import { lastOf } from "../state/request-state";
import { theme } from "../state/settings";
import { announcement } from "../state/shell";
import { drawnRange } from "../state/shifts";
import type { Trace } from "../state/trace";
import { LaneArrowLayer } from "./lane-arrow-layer";
import {
  askedRange,
  binAt,
  type CounterLane,
  greatestNear,
  type LaneBins,
  laneBins,
  rangeOf,
  type SliceLane,
  sharesAt,
} from "./lane-bins";
import { laneColor } from "./lane-colors";
import { BLANK, paintLane } from "./lane-painter";

/** A click means the greatest place so near to it, and selects what happens so near to that. */
const NEAR_PX = 6;
const AROUND_PX = 12;

export function LaneGraph({ trace, lane, topPx }: { trace: Trace; lane: DerivedLane; topPx: number }) {
  const app = useApp();
  const { pane } = app;
  const [pointedPx, setPointedPx] = useState<number | null>(null);
  const laterTicks = pane.shifts.value?.later(lane.track) ?? 0n;
  const seen = useRecordedView(pane.view.value, laterTicks);
  const { bins, isBusy, isStale, failure } = useBins(trace, lane, seen);
  useEffect(() => {
    if (isBusy) {
      pane.waitingLanes.value = new Set([...pane.waitingLanes.peek(), lane.id]);
      return () => {
        pane.waitingLanes.value = new Set([...pane.waitingLanes.peek()].filter((id) => id !== lane.id));
      };
    }
  }, [pane, isBusy, lane.id]);
  const words = (xPx: number) => (bins === null ? "" : textAt(trace, lane, bins, seen, xPx, laterTicks));
  const choose = (xPx: number) => {
    const middle = bins === null ? xPx : nearPx(bins, seen, xPx);
    const span = { startTicks: tickAtX(seen, middle - AROUND_PX), endTicks: tickAtX(seen, middle + AROUND_PX) };
    const recorded = askedRange(span, trace.manifest.range);
    if (recorded !== null) {
      const range = drawnRange(pane, lane.track, recorded);
      app.viewNavigator.select({ kind: "area", range, tracks: new Set(lane.makers) });
      announcement.value = `Selected the time around ${words(middle)}.`;
    }
  };
  /** Selects the first of the events behind what is shown: the timeline draws the arrow from what launched it. */
  const goToEvent = async (xPx: number) => {
    const tick = tickAtX(seen, bins === null ? xPx : nearPx(bins, seen, xPx));
    const event = await firstEvent(trace, lane, tick).catch(() => null);
    if (event === null) {
      announcement.value = "No event of the trace belongs to it.";
    } else {
      app.viewNavigator.goTo(event.track, event.ordinal);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const from = pointedPx ?? seen.widthPx / 2;
    const stride = event.shiftKey ? 20 : 1;
    const to = { ArrowLeft: from - stride, ArrowRight: from + stride, Home: 0, End: seen.widthPx - 1 }[event.key];
    if (to !== undefined) {
      setPointedPx(Math.max(0, Math.min(seen.widthPx - 1, to)));
    } else if (event.key === "ArrowUp" && bins?.kind === "counter") {
      const top = bins.greatest.indexOf(bins.top);
      setPointedPx(top < 0 ? from : Math.max(0, Math.min(seen.widthPx - 1, middlePx(bins, seen, top))));
    } else if (event.key === "Enter" && event.shiftKey) {
      void goToEvent(from);
    } else if (event.key === "Enter") {
      choose(from);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const text = words(pointedPx ?? seen.widthPx / 2);
  return (
    <div
      class="lane"
      role="slider"
      tabIndex={0}
      aria-label={`${lane.title}, derived; Enter selects what made it, Shift+Enter one event`}
      aria-busy={isBusy}
      aria-valuemin={0}
      aria-valuemax={Math.round(seen.widthPx)}
      aria-valuenow={Math.round(pointedPx ?? seen.widthPx / 2)}
      aria-valuetext={text || (failure ?? "not known")}
      style={{ top: `${topPx}px`, height: `${laneHeightPx(lane)}px` }}
      onKeyDown={onKeyDown}
      onPointerMove={(event) => setPointedPx(event.offsetX)}
      onPointerLeave={() => setPointedPx(null)}
      // The timeline below would take it for a click beside all slices.
      onPointerDown={(event) => event.stopPropagation()}
      onFocus={() => setPointedPx((current) => current ?? seen.widthPx / 2)}
      onBlur={() => setPointedPx(null)}
      onClick={(event) => (event.shiftKey ? void goToEvent(event.offsetX) : choose(event.offsetX))}
    >
      <div class={isStale ? "is-stale" : undefined}>
        <LaneCanvas lane={lane} bins={bins} seen={seen} />
        {bins?.kind === "counter" && bins.top > 0n && (
          <span class="lane-top">{valueText(trace, lane.figure, bins.top)}</span>
        )}
      </div>
      {failure !== null && <span class="lane-none">{failure}</span>}
      {pointedPx !== null && text !== "" && (
        <>
          <span class="lane-cursor" style={{ left: `${pointedPx}px` }} />
          <LaneArrowLayer trace={trace} lane={lane} seen={seen} heightPx={laneHeightPx(lane)} xPx={pointedPx} />
          <span class="lane-tip" style={tipPlace(pointedPx, seen)}>
            {bins?.kind === "slices" && <Swatches lane={lane} bins={bins} tick={tickAtX(seen, pointedPx)} />}
            {text}
          </span>
        </>
      )}
    </div>
  );
}

/** The view in the times that the clock of a lane's track had: the server has those of the lane. */
function useRecordedView(drawn: View, laterTicks: bigint): View {
  return useMemo(
    () => (laterTicks === 0n ? drawn : { ...drawn, startTicks: minus(drawn.startTicks, laterTicks) }),
    [drawn, laterTicks],
  );
}

function tipPlace(xPx: number, { widthPx }: View) {
  return xPx > widthPx / 2 ? { right: `${widthPx - xPx + 8}px` } : { left: `${xPx + 8}px` };
}

/** The colours of the names that the text beside them has, in its order. */
function Swatches({ lane, bins, tick }: { lane: DerivedLane; bins: SliceLane; tick: bigint }) {
  const drawn = sharesAt(bins, tick).filter(({ name }) => name !== BLANK);
  return (
    <>
      {drawn.map(({ name }) => (
        <i key={name} class="lane-swatch" style={{ background: laneColor(lane, name, theme.value, document.body) }} />
      ))}
    </>
  );
}

interface Shown {
  readonly bins: LaneBins | null;
  readonly isBusy: boolean;
  /** True while the figures are those of another view. */
  readonly isStale: boolean;
  readonly failure: string | null;
}

/** The server's figures for the view, once that stands still; those of the view before until then. */
function useBins(trace: Trace, lane: DerivedLane, seen: View): Shown {
  const range = askedRange(visibleRange(seen), trace.manifest.range);
  const question = {
    lane: lane.id,
    ...(range === null ? {} : { start: range.startTicks, end: range.endTicks }),
    bins: Math.max(1, Math.min(8192, Math.round(seen.widthPx))),
  };
  // Where nothing of the run is on the screen there is nothing to ask.
  const ask = async (signal: AbortSignal) =>
    range === null ? null : laneBins(await trace.api.ask("lane_bins", question, signal), range);
  const { state } = useRequest(questionKey(trace.manifest, range === null ? "" : "lane_bins", question), ask, true);
  const bins = lastOf(state)?.answer ?? null;
  return {
    bins,
    isBusy: range !== null && (state.kind === "waiting" || state.kind === "none"),
    isStale: state.kind !== "answered" && bins !== null,
    failure: state.kind === "failed" ? state.failure.message : null,
  };
}

function LaneCanvas({ lane, bins, seen }: { lane: DerivedLane; bins: LaneBins | null; seen: View }) {
  const { pane } = useApp();
  const canvas = useRef<HTMLCanvasElement>(null);
  const shade = theme.value;
  const text = query.value;
  const hits = laneSearch(pane).names.value;
  useEffect(() => {
    if (canvas.current !== null) {
      paintLane(canvas.current, bins, lane, seen, laneHeightPx(lane), shade, litNames(pane, lane, text));
    }
  }, [bins, lane, seen, shade, text, hits]);
  return <canvas ref={canvas} aria-hidden="true" />;
}

/** The first event behind what a lane shows at a tick; null: none. */
async function firstEvent(trace: Trace, lane: DerivedLane, tick: bigint): Promise<EventPlace | null> {
  const answer = await trace.api.ask("lane_events", { lane: lane.id, tick, limit: 1 });
  const [track, ordinal] = String(valuesOf(answer, "events", "event")[0] ?? "").split(".");
  return ordinal === undefined ? null : { track: Number(track), ordinal: Number(ordinal) };
}

/** The middle of a bin: its start, rounded to a pixel, may lie in the bin before. */
function middlePx(bins: CounterLane, seen: View, bin: number): number {
  const { startTicks, endTicks } = rangeOf(bins, bin);
  return (xOfTick(seen, startTicks) + xOfTick(seen, endTicks)) / 2;
}

function nearPx(bins: LaneBins, seen: View, xPx: number): number {
  const bin = bins.kind === "counter" ? binAt(bins, tickAtX(seen, xPx)) : -1;
  return bins.kind !== "counter" || bin < 0 ? xPx : middlePx(bins, seen, greatestNear(bins, bin, NEAR_PX));
}

/** Words for a place of a lane, with its time as it is drawn: `laterTicks` after that of its bins. */
function textAt(trace: Trace, lane: DerivedLane, bins: LaneBins, seen: View, xPx: number, laterTicks: bigint): string {
  const tick = tickAtX(seen, xPx);
  if (bins.kind === "slices") {
    const parts = sharesAt(bins, tick).map(({ name, share }) =>
      share === 1 ? name : `${name} ${formatPercent(share)}`,
    );
    return parts.length === 0 ? "" : `${parts.join(", ")} at ${valueText(trace, "time", tick + laterTicks)}`;
  }
  const bin = binAt(bins, tick);
  const [least, greatest] = [bins.least[bin] ?? null, bins.greatest[bin] ?? null];
  if (bin < 0) {
    return "";
  }
  if (least === null || greatest === null) {
    return "not known yet";
  }
  const low = least === greatest ? "" : `${valueText(trace, lane.figure, least)} to `;
  const start = valueText(trace, "time", rangeOf(bins, bin).startTicks + laterTicks);
  return `${low}${valueText(trace, lane.figure, greatest)} at ${start}`;
}

function valueText(trace: Trace, kind: string, value: bigint): string {
  const { digits, unit } = figureText(
    { kind, unit: "" } as Parameters<typeof figureText>[0],
    String(value),
    trace.manifest.time,
  );
  return `${digits} ${unit}`.trim();
}
