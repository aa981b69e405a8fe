/** The bin that is selected, and what is open beside the tracks, as parts of the address. Loaded late. */

import { type Signal, signal } from "@preact/signals";
import { tileOrigin } from "@tilescope/client";
import { isMarksOpen } from "../state/marks";
import { addUnread, bindPart, parts } from "../state/parts";
import { type BinFacts, selection } from "../state/selection";
import { session } from "../state/session";
import { isDrawerOpen, isTableOpen } from "../state/shell";
import { binOf } from "../timeline/pointing";
import type { ViewNavigator } from "../timeline/view-navigator";

/** The bin of the address, while it is being fetched. */
const comingBin = signal<string | null>(null);

const BIN = /^(\d{1,10})\.(\d{1,6})\.(\d{1,2})\.(\d{1,15})\.(\d{1,4})$/;

/** Track, row, level and index of the tile, and the bin's place in it. */
function binText({ track, row, level, index, startTicks, widthTicks }: BinFacts): string {
  return [track, row, level, index, (startTicks - tileOrigin(level, index)) / widthTicks].join(".");
}

async function fetchBin(text: string, signal: AbortSignal): Promise<BinFacts | null> {
  const [track, row, level, tileIndex, place] = BIN.exec(text)!.slice(1).map(Number);
  const tile = await session.peek()?.client.load({ track: track!, level: level!, index: tileIndex! }, signal);
  return tile == null ? null : binOf(tile, row!, place!);
}

async function selectBin(text: string, viewNavigator: ViewNavigator): Promise<void> {
  const { details, list } = parts.peek();
  const signal = viewNavigator.startAnew();
  comingBin.value = text;
  const bin = await fetchBin(text, signal).catch(() => null);
  if (comingBin.peek() !== text) {
    return;
  }
  if (bin === null) {
    addUnread(`bin=${text} (not in this run)`);
  } else if (!signal.aborted && selection.peek().kind === "none") {
    viewNavigator.selectInPlace({ kind: "bin", bin });
    isDrawerOpen.value = details !== "0";
    isMarksOpen.value = list === "marks";
  }
  comingBin.value = null;
}

/** Something that is open or not, as `name=word`. */
function bindOpen(name: string, word: string, isOpen: Signal<boolean>): void {
  bindPart(
    name,
    () => (isOpen.value ? word : null),
    (text) => {
      isOpen.value = text === word;
      return text === null || text === word;
    },
  );
}

export function bindParts(viewNavigator: ViewNavigator): void {
  bindPart(
    "bin",
    () => comingBin.value ?? (selection.value.kind === "bin" ? binText(selection.value.bin) : null),
    (text) => {
      comingBin.value = null;
      const isBin = text !== null && BIN.test(text);
      if (isBin) {
        void selectBin(text, viewNavigator);
      }
      return isBin || text === null;
    },
  );
  const isOpenAtFirst = () => selection.value.kind !== "none" || comingBin.value !== null;
  bindPart(
    "details",
    () => (isDrawerOpen.value === isOpenAtFirst() ? null : isDrawerOpen.value ? "1" : "0"),
    (text) => {
      isDrawerOpen.value = text === null ? isOpenAtFirst() : text === "1";
      return text === null || text === "1" || text === "0";
    },
  );
  bindOpen("list", "marks", isMarksOpen);
  bindOpen("rows", "1", isTableOpen);
}
