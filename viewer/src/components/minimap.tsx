/** The whole run in small, with a window that shows what the timeline shows: drag it or its edges, or press elsewhere. */

import { centreOn, type Ticks, tickAtX, ticks, type View, visibleRange } from "@tilescope/client";
import { useEffect, useRef } from "preact/hooks";
import type { Trace } from "../state/trace";
import { type BrushPart, brushPartAt, edgeDragged, minimapView, windowOf } from "../timeline/brush";
import { MinimapPainter } from "../timeline/minimap";
import type { Stage } from "../timeline/stage";
import { useApp } from "./app-context";

/** State of a drag. The minimap stays as it was when the drag began, so that it does not move under the hand. */
type Drag =
  | { readonly kind: "window"; readonly minimap: View; readonly grabPx: number }
  | { readonly kind: "edge"; readonly minimap: View; readonly fixedTicks: Ticks };

const CURSORS: Readonly<Record<BrushPart, string>> = {
  start: "ew-resize",
  end: "ew-resize",
  inside: "grab",
  outside: "pointer",
};

export function Minimap({ stage, trace }: { stage: Stage; trace: Trace }) {
  const { pane } = useApp();
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<Drag | null>(null);

  useEffect(() => {
    const image = document.createElement("canvas");
    stage.minimap = new MinimapPainter(pane, trace, canvas.current!, image, () => stage.minimapArrived());
    stage.invalidate();
    return () => {
      stage.minimap = null;
    };
  }, [stage, trace]);

  const minimap = drag.current?.minimap ?? minimapView(trace.manifest.range, pane.busyRange.value, pane.view.value);
  const window = windowOf(minimap, pane.view.value);
  const place = (event: PointerEvent) => event.clientX - canvas.current!.getBoundingClientRect().left;
  const take = (part: BrushPart, xPx: number): Drag => {
    const { startTicks, endTicks } = visibleRange(pane.view.peek());
    if (part === "start" || part === "end") {
      return { kind: "edge", minimap, fixedTicks: part === "start" ? endTicks : startTicks };
    }
    return { kind: "window", minimap, grabPx: part === "inside" ? xPx - (window.fromPx + window.toPx) / 2 : 0 };
  };
  const hold = (held: Drag | null) => {
    drag.current = held;
    if (stage.minimap !== null) {
      stage.minimap.held = held?.minimap ?? null;
    }
    stage.invalidate();
  };
  const move = (held: Drag, xPx: number) => {
    const next =
      held.kind === "edge"
        ? edgeDragged(held.minimap, held.fixedTicks, xPx, pane.bounds.peek())
        : centreOn(pane.view.peek(), ticks(tickAtX(held.minimap, xPx - held.grabPx)), pane.bounds.peek());
    stage.motion.jumpTo(next);
  };
  return (
    <div
      class="minimap"
      title="Visible range. Drag it or its edges, or click to go there."
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        const xPx = place(event);
        const part = brushPartAt(window, xPx);
        const held = take(part, xPx);
        hold(held);
        if (part === "outside") {
          move(held, xPx);
        }
      }}
      onPointerMove={(event) => {
        if (drag.current !== null) {
          move(drag.current, place(event));
          return;
        }
        event.currentTarget.style.cursor = CURSORS[brushPartAt(window, place(event))];
      }}
      onPointerUp={() => hold(null)}
      onPointerCancel={() => hold(null)}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <div class="minimap-window" style={{ left: `${window.fromPx}px`, width: `${window.toPx - window.fromPx}px` }}>
        <i class="minimap-edge is-start" />
        <i class="minimap-edge is-end" />
      </div>
    </div>
  );
}
