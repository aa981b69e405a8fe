/** Two parts that share an area: the timeline, and the details below or beside it. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { type Area, type DockSide, dockIn } from "../state/dock";
import { changeSettings, DEFAULTS, settings } from "../state/settings";
import { DockProvider } from "./dock-context";
import { Splitter } from "./splitter";

interface Props {
  readonly children: ComponentChildren;
  /** Null while they are closed. */
  readonly details: ComponentChildren;
}

/** A size of one side, as it is kept. */
function sizeOf(side: DockSide, sizePx: number) {
  return side === "bottom" ? { drawerHeightPx: sizePx } : { drawerWidthPx: sizePx };
}

export function Docked({ children, details }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [area, setArea] = useState<Area>({ widthPx: 1600, heightPx: 800 });
  useLayoutEffect(() => {
    const measure = () => setArea({ widthPx: box.current!.clientWidth, heightPx: box.current!.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    measure();
    return () => observer.disconnect();
  }, []);
  const { drawerSide, drawerHeightPx, drawerWidthPx } = settings.value;
  const dock = dockIn(area, drawerSide, { bottom: drawerHeightPx, right: drawerWidthPx });
  const { side, sizePx, limits } = dock;
  const isBelow = side === "bottom";
  return (
    <div class={`dock is-${side}`} ref={box}>
      {children}
      {details !== null && (
        <div class="dock-part" style={isBelow ? { height: `${sizePx}px` } : { width: `${sizePx}px` }}>
          <Splitter
            axis={isBelow ? "y" : "x"}
            label={isBelow ? "Height of the details" : "Width of the details"}
            valuePx={sizePx}
            limits={limits}
            sign={-1}
            onChange={(valuePx) => changeSettings(sizeOf(side, valuePx))}
            onReset={() => changeSettings(isBelow ? { drawerHeightPx: null } : sizeOf("right", DEFAULTS.drawerWidthPx))}
          />
          <DockProvider value={dock}>{details}</DockProvider>
        </div>
      )}
    </div>
  );
}
