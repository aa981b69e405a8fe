/** The bin that is selected, and what is open beside the tracks, as parts of the address. Loaded late. */

import { type Signal, signal } from "@preact/signals";
import type { Parts } from "../state/location";
import { bindPart } from "../state/part-text";
import { addUnread } from "../state/parts";
import { perPane } from "../state/per-pane";
import { type BinFacts, NOTHING } from "../state/selection";
import { drawnTicks } from "../state/shifts";
import { binOf } from "../timeline/pointing";
import type { Stage } from "../timeline/stage";
import type { ViewNavigator } from "../timeline/view-navigator";

/** The bin of the address, while it is being fetched. */
const comingBin = perPane(() => signal<string | null>(null));

const BIN = /^(\d{1,10})\.(\d{1,6})\.(\d{1,2})\.(\d{1,15})\.(\d{1,4})$/;

/** Track, row, level and index of the tile, and the bin's place in it. */
function binText({ track, row, level, index, place }: BinFacts): string {
  return [track, row, level, index, place].join(".");
}

/** Looks so often whether what is drawn has come. */
const LOOK_MS = 100;
const MOST_LOOKS = 100;

/** A bin of a tile that the server has, or else of one that is made of others for the screen; null where there is none. */
async function fetchBin(text: string, stage: Stage, signal: AbortSignal): Promise<BinFacts | null> {
  const { pane } = stage;
  const [track, row, level, tileIndex, place] = BIN.exec(text)!.slice(1).map(Number) as [number, ...number[]];
  const tile = await pane.session.peek()?.client.load({ track, level: level!, index: tileIndex! }, signal);
  if (tile != null) {
    const bin = binOf(tile, row!, place!);
    return bin && { ...bin, startTicks: drawnTicks(pane, track, bin.startTicks) };
  }
  for (let look = 0; look < MOST_LOOKS && !signal.aborted; look++) {
    const coverage = stage.picture?.coverages.get(track);
    const drawn = coverage?.draws.find(({ tile: made }) => made.level === level && made.index === tileIndex);
    const isLast = coverage?.complete === true && pane.session.peek()?.client.isRefining === false;
    if (drawn !== undefined || isLast) {
      return drawn === undefined ? null : binOf(drawn.tile, row!, place!);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return null;
}

async function selectBin(text: string, stage: Stage, viewNavigator: ViewNavigator): Promise<void> {
  const { pane } = stage;
  const { details, list } = pane.parts.peek();
  const signal = viewNavigator.startAnew();
  comingBin(pane).value = text;
  const bin = await fetchBin(text, stage, signal).catch(() => null);
  if (comingBin(pane).peek() !== text) {
    return;
  }
  if (bin === null) {
    addUnread(`bin=${text} (not drawn here)`);
  } else if (!signal.aborted && pane.selection.peek().kind === "none") {
    viewNavigator.selectInPlace({ kind: "bin", bin });
    pane.isDrawerOpen.value = details !== "0";
    pane.isMarksOpen.value = list === "marks";
  }
  comingBin(pane).value = null;
}

/** Something that is open or not, as `name=word`. */
function bindOpen(parts: Signal<Parts>, name: string, word: string, isOpen: Signal<boolean>): void {
  bindPart(
    parts,
    name,
    () => (isOpen.value ? word : null),
    (text) => {
      isOpen.value = text === word;
      return text === null || text === word;
    },
  );
}

export function bindParts(stage: Stage, viewNavigator: ViewNavigator): void {
  const { pane } = stage;
  bindPart(
    pane.parts,
    "bin",
    () => comingBin(pane).value ?? (pane.selection.value.kind === "bin" ? binText(pane.selection.value.bin) : null),
    (text) => {
      const chosen = pane.selection.peek();
      if (chosen.kind === "bin" && binText(chosen.bin) !== text) {
        pane.selection.value = NOTHING;
      }
      comingBin(pane).value = null;
      const isBin = text !== null && BIN.test(text);
      if (isBin) {
        void selectBin(text, stage, viewNavigator);
      }
      return isBin || text === null;
    },
  );
  const isOpenAtFirst = () => pane.selection.value.kind !== "none" || comingBin(pane).value !== null;
  bindPart(
    pane.parts,
    "details",
    () => (pane.isDrawerOpen.value === isOpenAtFirst() ? null : pane.isDrawerOpen.value ? "1" : "0"),
    (text) => {
      pane.isDrawerOpen.value = text === null ? isOpenAtFirst() : text === "1";
      return text === null || text === "1" || text === "0";
    },
  );
  bindOpen(pane.parts, "list", "marks", pane.isMarksOpen);
  bindOpen(pane.parts, "rows", "1", pane.isTableOpen);
}
