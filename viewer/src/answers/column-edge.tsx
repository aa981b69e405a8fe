/** The right edge of a column's head: dragged, it makes the column wider; a double click gives it its own width again. */

import { useRef } from "preact/hooks";

interface Props {
  /** Null: the width that its texts ask for. */
  readonly onWidth: (widthPx: number | null) => void;
}

export function ColumnEdge({ onWidth }: Props) {
  const drag = useRef<{ readonly fromPx: number; readonly widthPx: number } | null>(null);
  return (
    <span
      class="column-edge"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        drag.current = { fromPx: event.clientX, widthPx: event.currentTarget.parentElement?.offsetWidth ?? 0 };
      }}
      onPointerMove={({ clientX }) => {
        if (drag.current !== null) {
          onWidth(drag.current.widthPx + clientX - drag.current.fromPx);
        }
      }}
      onLostPointerCapture={() => {
        drag.current = null;
      }}
      onDblClick={() => onWidth(null)}
    />
  );
}
