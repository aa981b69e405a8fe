/** Slot of the page: the timeline at once, the frame of the others when it has been loaded. */

import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { useApp } from "../components/app-context";
import { LoadFailed } from "../components/load-failed";
import { useLoaded } from "../components/use-loaded";
import { retries } from "../state/link";
import { page, WHOLE_RUN } from "../state/page";
import type { Trace } from "../state/trace";
import { makeContext } from "./context";
import type { FrameProps, Page } from "./contract";
import { onPageKey } from "./keys";
import type { Looked } from "./range";
import { currentPage } from "./registry";

/** A bare page has no range switch: it sees to its range by itself. */
const EVERYTHING: Looked = { isThere: true, question: {}, text: "the whole run" };

const loadFrame = async (): Promise<ComponentType<FrameProps>> => (await import("./frame/frame")).Frame;

export function PageSlot({ trace }: { trace: Trace }) {
  const app = useApp();
  const shown = currentPage.value;
  const isTimeline = page.value.tool === null;
  useEffect(() => {
    if (!isTimeline) {
      app.catalogue.want(trace);
    }
  }, [app, trace, isTimeline, retries.value]);
  return shown?.isBare ? <BarePage trace={trace} shown={shown} /> : <FramedPage trace={trace} shown={shown} />;
}

function BarePage({ trace, shown }: { trace: Trace; shown: Page }) {
  const app = useApp();
  const { texts } = page.value;
  const View = useLoaded(shown.id, shown.load);
  const context = makeContext(trace, WHOLE_RUN, EVERYTHING, app.pages);
  return View.kind === "ready" ? (
    <View.value context={context} texts={texts} setTexts={(next) => app.pages.setTexts(next)} onKey={onPageKey} />
  ) : null;
}

function FramedPage(props: FrameProps) {
  const Frame = useLoaded("frame", loadFrame);
  return Frame.kind === "ready" ? <Frame.value {...props} /> : Frame.kind === "failed" ? <LoadFailed /> : null;
}
