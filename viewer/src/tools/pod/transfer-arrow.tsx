/** An arrow over the map, from the core that sends to the core that receives. */

import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

/** Rows of the table of cores. */
export interface Transfer {
  readonly from: number;
  readonly to: number;
}

interface Props {
  /** The map: cells in it have the numbers of their rows. */
  readonly holder: RefObject<HTMLElement | null>;
  readonly transfer: Transfer;
}

interface Path {
  readonly text: string;
  readonly width: number;
  readonly height: number;
}

/** Bend of the arrow as a part of its length, so that one from cell to cell in a row can be seen between others. */
const BEND = 0.18;
const SHORTER_PX = 16;

export function TransferArrow({ holder, transfer: { from, to } }: Props) {
  const [path, setPath] = useState<Path | null>(null);
  useLayoutEffect(() => {
    const map = holder.current;
    if (map === null) {
      return;
    }
    const measure = () => setPath(pathBetween(map, from, to));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(map);
    return () => observer.disconnect();
  }, [holder, from, to]);
  if (path === null) {
    return null;
  }
  return (
    <svg class="pod-arrow" width={path.width} height={path.height} aria-hidden="true">
      <defs>
        <marker id="pod-arrow-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto">
          <path d="M0 0 8 4 0 8z" />
        </marker>
      </defs>
      <path class="pod-arrow-edge" d={path.text} />
      <path class="pod-arrow-line" d={path.text} marker-end="url(#pod-arrow-head)" />
    </svg>
  );
}

function pathBetween(map: HTMLElement, from: number, to: number): Path | null {
  const [source, target] = [centreOf(map, from), centreOf(map, to)];
  if (source === null || target === null) {
    return null;
  }
  const [dx, dy] = [target.x - source.x, target.y - source.y];
  // Ends beside the figures in the cells.
  const part = SHORTER_PX / Math.max(2 * SHORTER_PX, Math.hypot(dx, dy));
  const [start, end] = [
    { x: source.x + dx * part, y: source.y + dy * part },
    { x: target.x - dx * part, y: target.y - dy * part },
  ];
  const [x, y] = [(source.x + target.x) / 2 - dy * BEND, (source.y + target.y) / 2 + dx * BEND];
  return {
    text: `M${start.x} ${start.y} Q${x} ${y} ${end.x} ${end.y}`,
    width: map.scrollWidth,
    height: map.scrollHeight,
  };
}

/** Within what of the map can be scrolled. */
function centreOf(map: HTMLElement, row: number): { readonly x: number; readonly y: number } | null {
  const cell = map.querySelector(`[data-row="${row}"]`)?.getBoundingClientRect();
  if (cell === undefined) {
    return null;
  }
  const frame = map.getBoundingClientRect();
  return {
    x: cell.left + cell.width / 2 - frame.left - map.clientLeft + map.scrollLeft,
    y: cell.top + cell.height / 2 - frame.top - map.clientTop + map.scrollTop,
  };
}
