/** Rounded-off parts of a page's bins, in a record of their own: they are invisible, so they are fetched only for exact figures. */

import { INTS } from "./columns";
import { Container } from "./container";
import { FormatError } from "./error";
import { pageName } from "./key";
import type { DecodedPage } from "./page";
import type { BinColumns, TileData } from "./tile";

/** The same page with exact bins, from its inflated residual. Throws FormatError when that is of another page. */
export function withResidual(page: DecodedPage, bytes: Uint8Array): DecodedPage {
  const container = new Container(bytes);
  const { kind, block, level, tileCount } = container;
  if (kind !== "residual" || block !== page.ownBlock || level !== page.key.level || tileCount !== page.tiles.length) {
    throw new FormatError(`not the residual of page ${pageName(page.key)}`);
  }
  const length = page.tiles.reduce((sum, { bins }) => sum + bins.length, 0);
  const busy = container.ints(INTS.busyResidual, length).values;
  const longest = container.ints(INTS.longestMinusBusy, length).values;
  let end = 0;
  const tiles = page.tiles.map((tile): TileData => {
    const [from, to] = [end, end + tile.bins.length];
    end = to;
    return { ...tile, bins: exactBins(tile.bins, busy.subarray(from, to), longest.subarray(from, to)) };
  });
  return { ...page, tiles, sizeBytes: page.sizeBytes + busy.byteLength + longest.byteLength };
}

/** Turns what was rounded off, and `longest` minus busy, into busy and longest, in place. */
function exactBins(bins: BinColumns, busy: BigInt64Array, longest: BigInt64Array): BinColumns {
  for (let k = 0; k < bins.length; k++) {
    // Rounded busy times have few digits: doubles hold them at any size.
    busy[k]! += BigInt(bins.busy[k]!);
    longest[k]! += busy[k]!;
    if (busy[k]! < 0n || longest[k]! < 0n) {
      throw new FormatError(`bin ${k} has busy ${busy[k]} and a longest slice of ${longest[k]}`);
    }
  }
  return { ...bins, exact: { busy, longest } };
}
