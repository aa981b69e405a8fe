/** The bin that is selected, and what is open beside the tracks, as parts of the address. Loaded late. */

import { type Signal, signal } from "@preact/signals";
import { tileOrigin } from "@tilescope/client";
import { isMarksOpen } from "../state/marks";
import { bindPart } from "../state/part-text";
import { addUnread, parts } from "../state/parts";
import { type BinFacts, NOTHING, selection } from "../state/selection";
import { session } from "../state/session";
import { isDrawerOpen, isTableOpen } from "../state/shell";
import { binOf } from "../timeline/pointing";
import type { Stage } from "../timeline/stage";
import type { ViewNavigator } from "../timeline/view-navigator";

/** The bin of the address, while it is being fetched. */
const comingBin = signal<string | null>(null);

const BIN = /^(\d{1,10})\.(\d{1,6})\.(\d{1,2})\.(\d{1,15})\.(\d{1,4})$/;

/** Track, row, level and index of the tile, and the bin's place in it. */
function binText({ track, row, level, index, startTicks, widthTicks }: BinFacts): string {
  return [track, row, level, index, (startTicks - tileOrigin(level, index)) / widthTicks].join(".");
}

/** Looks so often whether what is drawn has come. */
const LOOK_MS = 100;
const MOST_LOOKS = 100;

/** A bin of a tile that the server has, or else of one that is made of others for the screen; null where there is none. */
async function fetchBin(text: string, stage: Stage, signal: AbortSignal): Promise<BinFacts | null> {
  const [track, row, level, tileIndex, place] = BIN.exec(text)!.slice(1).map(Number) as [number, ...number[]];
  const tile = await session.peek()?.client.load({ track, level: level!, index: tileIndex! }, signal);
  if (tile != null) {
    return binOf(tile, row!, place!);
  }
  for (let look = 0; look < MOST_LOOKS && !signal.aborted; look++) {
    const coverage = stage.picture?.coverages.get(track);
    const drawn = coverage?.draws.find(({ tile: made }) => made.level === level && made.index === tileIndex);
    if (drawn !== undefined || coverage?.complete === true) {
      return drawn === undefined ? null : binOf(drawn.tile, row!, place!);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return null;
}

async function selectBin(text: string, stage: Stage, viewNavigator: ViewNavigator): Promise<void> {
  const { details, list } = parts.peek();
  const signal = viewNavigator.startAnew();
  comingBin.value = text;
  const bin = await fetchBin(text, stage, signal).catch(() => null);
  if (comingBin.peek() !== text) {
    return;
  }
  if (bin === null) {
    addUnread(`bin=${text} (not drawn here)`);
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

export function bindParts(stage: Stage, viewNavigator: ViewNavigator): void {
  bindPart(
    "bin",
    () => comingBin.value ?? (selection.value.kind === "bin" ? binText(selection.value.bin) : null),
    (text) => {
      const chosen = selection.peek();
      if (chosen.kind === "bin" && binText(chosen.bin) !== text) {
        selection.value = NOTHING;
      }
      comingBin.value = null;
      const isBin = text !== null && BIN.test(text);
      if (isBin) {
        void selectBin(text, stage, viewNavigator);
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
