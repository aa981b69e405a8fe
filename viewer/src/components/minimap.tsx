/** The whole run in small, with a window that shows what the timeline shows. Drag it, or press elsewhere to go there. */

import { centreOn, fit, tickAtX, ticks, visibleRange, xOfTick } from "@tilescope/client";
import { useEffect, useRef } from "preact/hooks";
import type { App } from "../app";
import type { Trace } from "../state/trace";
import { bounds, view } from "../state/view";
import { MinimapPainter } from "../timeline/minimap";

/** The window is never thinner than a finger can see. */
const MIN_WINDOW_PX = 6;

/** Space beside the run at "whole trace" is not in the minimap. */
function windowOf(trace: Trace): { readonly leftPx: number; readonly widthPx: number } {
  const shown = view.value;
  const whole = fit(trace.manifest.range, shown.widthPx);
  const range = visibleRange(shown);
  const fromPx = Math.max(0, xOfTick(whole, range.startTicks));
  const toPx = Math.min(shown.widthPx, xOfTick(whole, range.endTicks));
  const widthPx = Math.max(MIN_WINDOW_PX, toPx - fromPx);
  return { leftPx: Math.min(shown.widthPx - widthPx, fromPx), widthPx };
}

export function Minimap({ app, trace }: { app: App; trace: Trace }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const drag = useRef<number | null>(null);

  useEffect(() => {
    const image = document.createElement("canvas");
    app.stage.minimap = new MinimapPainter(trace, canvas.current!, image, () => app.stage.invalidate());
    app.stage.invalidate();
    return () => {
      app.stage.minimap = null;
    };
  }, [app, trace]);

  const centreAt = (xPx: number) => {
    const whole = fit(trace.manifest.range, view.peek().widthPx);
    app.stage.motion.jumpTo(centreOn(view.peek(), ticks(tickAtX(whole, xPx)), bounds.peek()));
  };
  const place = (event: PointerEvent) => event.clientX - canvas.current!.getBoundingClientRect().left;
  const { leftPx, widthPx } = windowOf(trace);
  return (
    <div
      class="minimap"
      title="The whole run. Drag the window, or press where to go."
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        const xPx = place(event);
        const isInside = xPx >= leftPx && xPx <= leftPx + widthPx;
        drag.current = isInside ? xPx - (leftPx + widthPx / 2) : 0;
        if (!isInside) {
          centreAt(xPx);
        }
      }}
      onPointerMove={(event) => {
        if (drag.current !== null) {
          centreAt(place(event) - drag.current);
        }
      }}
      onPointerUp={() => {
        drag.current = null;
      }}
      onPointerCancel={() => {
        drag.current = null;
      }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      <div class="minimap-window" style={{ left: `${leftPx}px`, width: `${widthPx}px` }} />
    </div>
  );
}
