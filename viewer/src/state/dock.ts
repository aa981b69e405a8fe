/** Position and size of the details. Pure. */

export type DockSide = "bottom" | "right";

export interface Limits {
  readonly min: number;
  readonly max: number;
}

export interface Dock {
  readonly side: DockSide;
  /** True if there is room on the other side, too. */
  readonly canChange: boolean;
  readonly sizePx: number;
  readonly limits: Limits;
}

export interface Area {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** Narrower than this, two parts side by side are of no use. */
const NARROW_PX = 720;

/** Least size of the details, and the size that they leave to the timeline. */
const ROOM: Readonly<Record<DockSide, { readonly leastPx: number; readonly leftPx: number }>> = {
  bottom: { leastPx: 120, leftPx: 150 },
  right: { leastPx: 280, leftPx: 380 },
};

/** Part of the area's height that the details have unless a person has chosen: a table has eight rows in a window of 900 px. */
const HEIGHT_PART = 0.46;
/** The most of it: a taller window is there for the tracks. */
const MOST_HEIGHT_PX = 420;

/** In an area that is to be shared with the timeline, which is never covered. */
export function dockIn(area: Area, wanted: DockSide, sizes: Readonly<Record<DockSide, number | null>>): Dock {
  const canChange = area.widthPx >= NARROW_PX;
  const side = canChange ? wanted : "bottom";
  const { leastPx, leftPx } = ROOM[side];
  const wholePx = side === "bottom" ? area.heightPx : area.widthPx;
  const max = Math.max(leastPx, Math.floor(wholePx - leftPx));
  const sizePx = sizes[side] ?? Math.min(MOST_HEIGHT_PX, Math.round(HEIGHT_PART * wholePx));
  return { side, canChange, sizePx: Math.min(max, Math.max(leastPx, sizePx)), limits: { min: leastPx, max } };
}
