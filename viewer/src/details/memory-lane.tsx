/**
 * Memory in use, below the tracks: what the memory profile says of the span that is on the screen, pixel by pixel.
 *
 * It is derived from allocations that the trace has, and no track of it: it is counted nowhere.
 */

import "./memory-lane.css";
import { tickAtX, type View, visibleRange, xOfTick } from "@tilescope/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { figureText } from "../answers/figures";
import { useApp } from "../components/app-context";
import { CloseIcon } from "../components/icons";
import { withKeys } from "../keys/table";
import { useRequest } from "../requests/use-request";
import { questionKey } from "../state/question-key";
import { lastOf } from "../state/request-state";
import { changeSettings, theme } from "../state/settings";
import { announcement, isDrawerOpen } from "../state/shell";
import type { Trace } from "../state/trace";
import { scroll, view } from "../state/view";
import { askedRange, binAt, columnsOf, fullestNear, type MemoryBins, memoryBins, rangeOf } from "./memory-bins";

const HEIGHT_PX = 56;
const HEADROOM_PX = 8;
/** A click means the fullest place so near to it, and selects what happens so near to that. */
const NEAR_PX = 6;
const AROUND_PX = 12;

export function MemoryLane({ trace }: { readonly trace: Trace }) {
  const { pages } = useApp();
  const [memory, setMemory] = useState("");
  const [pointedPx, setPointedPx] = useState<number | null>(null);
  const seen = view.value;
  const { bins, isStale, failure } = useBins(trace, memory, seen);
  const words = (bin: number) => (bins === null || bin < 0 ? "" : binText(trace, bins, bin));
  const bin = pointedPx === null || bins === null ? -1 : binAt(bins, tickAtX(seen, pointedPx));
  const choose = (xPx: number) => {
    const near = bins === null ? -1 : binAt(bins, tickAtX(seen, xPx));
    if (bins === null || near < 0) {
      return;
    }
    const { startTicks } = rangeOf(bins, fullestNear(bins, near, NEAR_PX));
    const middle = xOfTick(seen, startTicks);
    const around = askedRange(
      { startTicks: tickAtX(seen, middle - AROUND_PX), endTicks: tickAtX(seen, middle + AROUND_PX) },
      trace.manifest.range,
    );
    if (around !== null) {
      pages.select(around);
      isDrawerOpen.value = true;
      announcement.value = `Selected what happens around ${words(fullestNear(bins, near, NEAR_PX))}.`;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const from = pointedPx ?? seen.widthPx / 2;
    const stride = event.shiftKey ? 20 : 1;
    const to = { ArrowLeft: from - stride, ArrowRight: from + stride, Home: 0, End: seen.widthPx - 1 }[event.key];
    if (to !== undefined) {
      setPointedPx(Math.max(0, Math.min(seen.widthPx - 1, to)));
    } else if (event.key === "ArrowUp" && bins !== null) {
      const top = bins.greatest.indexOf(bins.top);
      setPointedPx(Math.max(0, Math.min(seen.widthPx - 1, xOfTick(seen, bins.starts[top] ?? seen.startTicks))));
    } else if (event.key === "Enter") {
      choose(from);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const text = words(bin);
  return (
    <section class="memory-lane" aria-label="Memory in use" aria-busy={isStale}>
      <div class="memory-name">
        <div class="memory-head">
          <select
            class="memory-choice"
            aria-label="Which memory is drawn"
            value={bins?.memory ?? ""}
            onChange={(event) => setMemory(event.currentTarget.value)}
          >
            {(bins?.names ?? []).map((name) => (
              <option key={name} value={name}>
                Memory {name}
              </option>
            ))}
          </select>
          <button
            type="button"
            class="button is-icon"
            aria-label="Hide memory in use"
            title={withKeys("Hide memory in use", "toggle-memory")}
            onClick={() => changeSettings({ memoryLane: false })}
          >
            <CloseIcon />
          </button>
        </div>
        <p title="Its events are counted where they are: this curve is no track of the trace">
          Derived from allocations
        </p>
      </div>
      <div
        class="memory-graph"
        role="slider"
        tabIndex={0}
        aria-label="Time of the memory in use; up: where it is fullest; Enter selects what happens around it"
        aria-valuemin={0}
        aria-valuemax={Math.round(seen.widthPx)}
        aria-valuenow={Math.round(pointedPx ?? seen.widthPx / 2)}
        aria-valuetext={text === "" ? (failure ?? "not known") : text}
        onKeyDown={onKeyDown}
        onPointerMove={(event) => setPointedPx(event.offsetX)}
        onPointerLeave={() => setPointedPx(null)}
        onFocus={() => setPointedPx((current) => current ?? seen.widthPx / 2)}
        onBlur={() => setPointedPx(null)}
        onClick={(event) => choose(event.offsetX)}
      >
        <div class={isStale ? "is-stale" : undefined}>
          <Curve bins={bins} seen={seen} />
          {bins !== null && bins.top > 0n && <span class="memory-top">{bytesText(trace, bins.top)}</span>}
        </div>
        {failure !== null && <span class="memory-none">{failure}</span>}
        {pointedPx !== null && text !== "" && (
          <>
            <span class="memory-cursor" style={{ left: `${pointedPx}px` }} />
            <span
              class="memory-tip"
              style={
                pointedPx > seen.widthPx / 2
                  ? { right: `${seen.widthPx - pointedPx + 8}px` }
                  : { left: `${pointedPx + 8}px` }
              }
            >
              {text}
            </span>
          </>
        )}
      </div>
    </section>
  );
}

interface Shown {
  readonly bins: MemoryBins | null;
  /** True while the figures are those of another view, or of another memory. */
  readonly isStale: boolean;
  /** Reason why there is nothing. */
  readonly failure: string | null;
}

/** The server's figures for the view, once that stands still; those of the view before until then. */
function useBins(trace: Trace, memory: string, seen: View): Shown {
  const range = askedRange(visibleRange(seen), trace.manifest.range);
  const count = Math.max(1, Math.min(8192, Math.round(seen.widthPx)));
  const question = {
    ...(memory === "" ? {} : { memory }),
    ...(range === null ? {} : { start: range.startTicks, end: range.endTicks }),
    bins: count,
  };
  // Where nothing of the run is on the screen there is nothing to ask.
  const ask = async (signal: AbortSignal) =>
    range === null ? null : memoryBins(await trace.api.ask("memory_profile", question, signal), range);
  const { state } = useRequest(
    questionKey(trace.manifest, range === null ? "" : "memory_profile", question),
    ask,
    true,
  );
  const bins = lastOf(state)?.answer ?? null;
  const isAnswered = state.kind === "answered";
  const failure = state.kind === "failed" ? state.failure.message : null;
  const none = isAnswered && range !== null && bins === null ? "The trace has no allocations." : null;
  return { bins, isStale: !isAnswered && bins !== null, failure: failure ?? none };
}

function Curve({ bins, seen }: { readonly bins: MemoryBins | null; readonly seen: View }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const shade = theme.value;
  // The tracks have a new width with the window.
  void scroll.value;
  useEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (canvas.current === null || context === null || context === undefined) {
      return;
    }
    const ratio = devicePixelRatio;
    canvas.current.width = Math.round(seen.widthPx * ratio);
    canvas.current.height = HEIGHT_PX * ratio;
    const style = getComputedStyle(canvas.current);
    const [line, area] = [style.getPropertyValue("--accent"), style.getPropertyValue("--accent-soft")];
    const [height, most] = [HEIGHT_PX * ratio, (HEIGHT_PX - HEADROOM_PX) * ratio];
    if (bins === null) {
      return;
    }
    const { least, greatest } = columnsOf(bins, seen, ratio);
    greatest.forEach((part, x) => {
      if (Number.isNaN(part)) {
        return;
      }
      const y = Math.round(height - ratio - part * most);
      const lowest = Math.round(height - ratio - least[x]! * most);
      context.fillStyle = area;
      context.fillRect(x, y, 1, height - y);
      context.fillStyle = line;
      context.fillRect(x, y, 1, lowest - y + ratio);
    });
  }, [bins, seen, shade]);
  return <canvas ref={canvas} style={{ width: `${seen.widthPx}px`, height: `${HEIGHT_PX}px` }} aria-hidden="true" />;
}

function bytesText(trace: Trace, bytes: bigint): string {
  const { digits, unit } = figureText({ kind: "bytes", unit: "" }, String(bytes), trace.manifest.time);
  return `${digits} ${unit}`.trim();
}

function binText(trace: Trace, bins: MemoryBins, bin: number): string {
  const [least, greatest] = [bins.least[bin] ?? null, bins.greatest[bin] ?? null];
  if (least === null || greatest === null) {
    return "not known yet";
  }
  const { digits, unit } = figureText(
    { kind: "time", unit: "" },
    String(rangeOf(bins, bin).startTicks),
    trace.manifest.time,
  );
  const fill =
    least === greatest ? bytesText(trace, least) : `${bytesText(trace, least)} to ${bytesText(trace, greatest)}`;
  return `${fill} at ${digits} ${unit}`.trim();
}
