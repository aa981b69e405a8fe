/** The marks of the run on the screen, for those who list them. */

import { signal } from "@preact/signals";
import { centreOn, xOfTick } from "@tilescope/client";
import type { AppActions } from "../components/app-context";
import { isMarksOpen } from "../state/marks";
import type { Trace } from "../state/trace";
import { bounds, view } from "../state/view";
import type { MarkBook, ShownMark } from "./book";
import { rangeOf } from "./mark";

/** Null while no run is open. */
export const book = signal<MarkBook | null>(null);

/** Why a trace has no UTC. */
export const NO_CLOCK = "This trace has no wall clock: its times count from when a machine was started.";

/** A shorter span is no more than a line. */
const SEEN_PX = 4;

/** Makes a mark the current one, and brings it into view. */
export function point({ stage, guide }: AppActions, trace: Trace, mark: ShownMark): void {
  if (book.peek() === null) {
    return;
  }
  book.peek()!.current.value = mark.id;
  isMarksOpen.value = true;
  const shown = view.peek();
  const { startTicks, endTicks } = rangeOf(mark);
  const [fromPx, toPx] = [xOfTick(shown, startTicks), xOfTick(shown, endTicks)];
  const isMoment = endTicks === startTicks;
  if (!(fromPx >= 0 && toPx <= shown.widthPx && (isMoment || toPx - fromPx > SEEN_PX))) {
    if (isMoment) {
      guide.onJump();
      stage.motion.glideTo(centreOn(shown, startTicks, bounds.peek()));
    } else {
      guide.zoomTo({ startTicks, endTicks });
    }
  }
  const [track] = mark.tracks;
  if (track !== undefined) {
    guide.goToPlace(trace, null, track);
  }
}
