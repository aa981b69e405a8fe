/**
 * The promise of conservation below a rollup's own tiles: what is composed from its children adds up to the terminal
 * tile, bin by bin, in count, busy time, dominant name and longest event.
 */

import { Composer, type TerminalTile } from "../pages/parts";
import type { ShapeIndex } from "../pages/shape";
import type { TileData } from "../pages/tile";

export interface RollupInput {
  readonly shapes: ReadonlyMap<number, ShapeIndex>;
  /** Tiles with exact bins. */
  readonly lookup: (track: number, level: number, index: number) => TileData | undefined;
  readonly rootLevel: number;
}

/** Faults of the tiles `steps` levels below a terminal tile; empty when they keep the promise. */
export function checkComposed(
  input: RollupInput,
  terminal: TerminalTile,
  children: readonly number[],
  steps: number,
): string[] {
  const composer = new Composer(input.shapes, input.lookup, input.rootLevel);
  const whole = input.lookup(terminal.track, terminal.level, terminal.index);
  const name = `track ${terminal.track}, level ${terminal.level}, tile ${terminal.index}, ${steps} below`;
  if (whole === undefined) {
    return [`${name}: no such tile`];
  }
  const factor = 4 ** steps;
  const count = new Float64Array(256);
  const busy = new BigInt64Array(256);
  const longest = new BigInt64Array(256);
  for (let k = 0; k < factor; k++) {
    const part = composer.compose(terminal, children, terminal.level - steps, terminal.index * factor + k);
    if (part === "waiting" || part === "whole") {
      return [`${name}: ${part}`];
    }
    for (let b = 0; part !== null && b < part.bins.length; b++) {
      const bin = Math.floor((256 * k + part.bins.bin[b]!) / factor);
      count[bin]! += part.bins.count[b]!;
      busy[bin]! += part.bins.exact!.busy[b]!;
      longest[bin] = max(longest[bin]!, part.bins.exact!.longest[b]!);
    }
  }
  const { bins } = whole;
  const errors: string[] = [];
  for (let b = 0; b < bins.length; b++) {
    const bin = bins.bin[b]!;
    const own = `${bins.count[b]} events, ${bins.exact!.busy[b]} ticks, longest ${bins.exact!.longest[b]}`;
    const below = `${count[bin]} events, ${busy[bin]} ticks, longest ${longest[bin]}`;
    if (own !== below) {
      errors.push(`${name}, bin ${bin}: ${own}; composed ${below}`);
    }
    count[bin] = 0;
    busy[bin] = 0n;
  }
  if (count.some((n) => n > 0) || busy.some((ticks) => ticks > 0n)) {
    errors.push(`${name}: composed bins where the tile has none`);
  }
  return errors;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Bins of a tile as plain rows, for comparison. */
export function binRows({ bins }: TileData): (number | bigint)[][] {
  return Array.from({ length: bins.length }, (_, k) => [
    ...[bins.bin[k]!, bins.count[k]!, bins.exact!.busy[k]!, bins.name[k]!, bins.share[k]!, bins.exact!.longest[k]!],
  ]);
}
