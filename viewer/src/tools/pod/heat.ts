/** Position of each core in the map's range, and the ink that can be read on its colour. Pure. */

import type { FigureKind, ToolTable } from "@tilescope/client";
import type { Figure } from "../../answers/figures";
import { contrast, type Rgb } from "../../raster/color";
import { DURATION, RECORDED_DURATION } from "./parts";

/** Figures that colour the map. `parts`: 0 to 1, of the range; NaN where it was not recorded. */
export interface Heat {
  readonly kind: FigureKind;
  readonly values: readonly Figure[];
  readonly parts: readonly number[];
  readonly least: Figure;
  readonly most: Figure;
}

/** Part of the greatest value below which differences look alike. */
const ALIKE = 0.01;

export function heatOf(cores: ToolTable, colour: string): Heat {
  const column = (id: string) => cores.columns.find((candidate) => candidate.id === id)?.values ?? [];
  const durations = column(RECORDED_DURATION);
  const kind = colour === DURATION ? "ticks" : "fraction";
  const values: readonly Figure[] =
    colour === DURATION ? column(DURATION) : column(colour).map((value, k) => shareOf(value, durations[k] ?? null));
  const numbers = values.map((value) => (value === null ? Number.NaN : Number(value)));
  const measured = numbers.filter((value) => !Number.isNaN(value));
  const [from, to] = [Math.min(...measured), Math.max(...measured)];
  const span = Math.max(to - from, ALIKE * (kind === "fraction" ? 1 : Math.abs(to)));
  const valueAt = (number: number) => values[numbers.indexOf(number)] ?? null;
  return {
    kind,
    values,
    parts: numbers.map((value) => (span > 0 ? (value - from) / span : value - from)),
    least: valueAt(from),
    most: valueAt(to),
  };
}

/** A part of a duration; null where one of them was not recorded, or there is nothing to be a part of. */
export function shareOf(value: Figure, duration: Figure): number | null {
  return value === null || duration === null || Number(duration) === 0 ? null : Number(value) / Number(duration);
}

const BLACK: Rgb = { r: 0, g: 0, b: 0 };
const WHITE: Rgb = { r: 255, g: 255, b: 255 };

/** Ink that is easier to read on a colour: one of the two always has a contrast of 4.5. */
export function inkOn(color: string): "#000000" | "#ffffff" {
  const value = Number.parseInt(color.slice(1), 16);
  const ground = { r: value >> 16, g: (value >> 8) & 255, b: value & 255 };
  return contrast(ground, BLACK) >= contrast(ground, WHITE) ? "#000000" : "#ffffff";
}
