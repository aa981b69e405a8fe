/** Rounded busy times as pages carry them, and the residuals that hold the rest: written from docs/page-format.md. */

import { binTicks } from "../pages/key";
import { encodeContainer } from "./encode";
import type { BinInput, TileInput } from "./tile-input";

/** Unit to which the busy times of a page are rounded: their greatest common divisor, or more where the difference is invisible. */
export function quantumOf(tiles: readonly TileInput[]): bigint {
  const busy = tiles.flatMap(({ bins }) => bins.map((bin) => bin.busy));
  const most = busy.reduce((max, value) => (value > max ? value : max), 0n);
  const width = BigInt(binTicks(tiles[0]!.level));
  let quantum = busy.reduce(gcd, 0n) || 1n;
  while (512n * quantum <= most && 512n * quantum <= width) {
    quantum *= 2n;
  }
  return quantum;
}

/** Rounded so that no sum from the first bin of a row on is off by more than half of the quantum. */
export function roundedBusy(tiles: readonly TileInput[], quantum: bigint): bigint[] {
  return tiles.flatMap(({ bins }) => {
    let [exact, rounded] = [0n, 0n];
    return bins.map((bin: BinInput, k) => {
      if (bin.row !== bins[k - 1]?.row) {
        [exact, rounded] = [0n, 0n];
      }
      exact += bin.busy;
      const before = rounded;
      rounded = ((exact + quantum / 2n) / quantum) * quantum;
      return rounded - before;
    });
  });
}

export function encodeResidual(
  block: number,
  tiles: readonly TileInput[],
  quantum = quantumOf(tiles),
): Uint8Array<ArrayBuffer> {
  const bins = tiles.flatMap((tile) => tile.bins);
  const rounded = roundedBusy(tiles, quantum);
  return encodeContainer({
    ...{ magic: "TSRD", level: tiles[0]!.level, block, tileCount: tiles.length },
    columns: [
      { id: 39, values: bins.map(({ busy }, k) => busy - rounded[k]!), zigzag: true },
      { id: 38, values: bins.map(({ busy, longest }) => longest - busy), zigzag: true },
    ],
  });
}

function gcd(a: bigint, b: bigint): bigint {
  return b === 0n ? a : gcd(b, a % b);
}
