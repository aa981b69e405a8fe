/** A draggable edge between two parts of the page; arrow keys move it as well. */

import { useRef } from "preact/hooks";

export interface SplitterProps {
  readonly axis: "x" | "y";
  readonly label: string;
  readonly valuePx: number;
  readonly limits: { readonly min: number; readonly max: number };
  /** 1 when moving right or down makes the part larger, -1 when smaller. */
  readonly sign: 1 | -1;
  readonly onChange: (valuePx: number) => void;
  /** Handler of a double click. */
  readonly onReset?: () => void;
}

const KEY_STEP_PX = 16;

export function Splitter({ axis, label, valuePx, limits, sign, onChange, onReset }: SplitterProps) {
  const start = useRef<{ readonly clientPx: number; readonly valuePx: number } | null>(null);
  const place = (event: PointerEvent) => (axis === "x" ? event.clientX : event.clientY);
  const change = (value: number) => onChange(Math.round(Math.min(limits.max, Math.max(limits.min, value))));
  const steps: Record<string, number> = axis === "x" ? { ArrowLeft: -1, ArrowRight: 1 } : { ArrowUp: -1, ArrowDown: 1 };
  const keyed = (key: string): number | null => {
    const step = steps[key];
    if (step !== undefined) {
      return valuePx + sign * step * KEY_STEP_PX;
    }
    return key === "Home" ? limits.min : key === "End" ? limits.max : null;
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a separator with a value is a control; <hr> is not
    <div
      class={`splitter-${axis}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={axis === "x" ? "vertical" : "horizontal"}
      aria-valuenow={valuePx}
      aria-valuemin={limits.min}
      aria-valuemax={limits.max}
      onPointerDown={(event) => {
        event.preventDefault();
        event.currentTarget.setPointerCapture(event.pointerId);
        start.current = { clientPx: place(event), valuePx };
      }}
      onPointerMove={(event) => {
        if (start.current !== null) {
          change(start.current.valuePx + sign * (place(event) - start.current.clientPx));
        }
      }}
      onPointerUp={() => {
        start.current = null;
      }}
      onPointerCancel={() => {
        start.current = null;
      }}
      onKeyDown={(event) => {
        const next = keyed(event.key);
        if (next === null) {
          return;
        }
        event.preventDefault();
        event.stopPropagation();
        change(next);
      }}
      onDblClick={onReset}
    />
  );
}
