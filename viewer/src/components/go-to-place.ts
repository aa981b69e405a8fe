/** Goes to a place that was typed. */

import { centreOn, minus, plus } from "@tilescope/client";
import type { Pane } from "../state/pane";
import { announcement, failure } from "../state/shell";
import { timeText } from "../state/time-format";
import type { Trace } from "../state/trace";
import type { TypedPlace } from "../state/typed-place";
import type { AppActions } from "./app-context";

/** Part of the run that is shown around a time, unless less is visible already. */
const PART_AROUND = 20n;

/** Words for what choosing a place does. */
export function placeLabel(pane: Pane, place: TypedPlace, trace: Trace): string {
  switch (place.kind) {
    case "time":
      return `Go to ${timeText(pane, place.atTicks, trace.manifest.time)}`;
    case "step":
      return `Go to step ${place.step}`;
    case "event":
      return `Go to event ${place.ordinal} of track ${place.track}`;
  }
}

/** Reason why the run has no such place; null: it may have it. */
export function reasonAgainstPlace(pane: Pane, place: TypedPlace, trace: Trace): string | null {
  const { startTicks, endTicks } = pane.bounds.peek();
  if (place.kind === "time" && (place.atTicks < startTicks || place.atTicks > endTicks)) {
    return "Outside of the run";
  }
  if (place.kind === "event") {
    const track = trace.tracks.get(place.track);
    return track === undefined || BigInt(track.events) <= BigInt(place.ordinal) ? "There is no such event" : null;
  }
  return null;
}

/** Goes there, in the timeline; what cannot be done is said. */
export async function goToTypedPlace(app: AppActions, trace: Trace, place: TypedPlace): Promise<void> {
  const reason = reasonAgainstPlace(app.pane, place, trace);
  if (reason !== null) {
    failure.value = reason;
    return;
  }
  switch (place.kind) {
    case "event":
      app.pages.goToEvent(place.track, place.ordinal);
      return;
    case "step":
      await goToStep(app, trace, place.step);
      return;
    case "time": {
      app.pages.show(null);
      const { startTicks, endTicks } = app.pane.bounds.peek();
      const most = minus(endTicks, startTicks) / PART_AROUND;
      const around = app.pane.view.peek();
      if (BigInt(Math.ceil(around.widthPx * around.ticksPerPx)) > most && most > 1n) {
        const half = most / 2n;
        app.viewNavigator.zoomTo({
          startTicks: minus(place.atTicks, half),
          endTicks: plus(place.atTicks, half),
        });
      } else {
        app.viewNavigator.onJump();
        app.stage.motion.glideTo(centreOn(around, place.atTicks, app.pane.bounds.peek()));
      }
      announcement.value = placeLabel(app.pane, place, trace).replace("Go to", "At");
    }
  }
}

async function goToStep(app: AppActions, trace: Trace, step: string): Promise<void> {
  const isStillShown = () => {
    const shown = app.pane.runView.peek();
    return shown.kind === "open" && shown.trace.manifest.run === trace.manifest.run;
  };
  try {
    const { stepSpan } = await import("../state/step-span");
    const span = await stepSpan(app.pane, trace, step);
    if (isStillShown()) {
      app.pages.goTo(span, null);
    }
  } catch (error) {
    if (isStillShown()) {
      failure.value = `Step ${step} cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}
