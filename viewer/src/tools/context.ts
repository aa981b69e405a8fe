/** Context of a page: the run, its range, and the ways into the timeline. */

import type { PageActions } from "../components/app-context";
import type { PageRange } from "../state/page";
import { type Trace, trackPath } from "../state/trace";
import type { PageContext } from "./contract";
import type { Looked } from "./range";
import { pageAmong, pages } from "./registry";

export function makeContext(trace: Trace, range: PageRange, subject: Looked, actions: PageActions): PageContext {
  const looking = subject.isThere ? subject.question : {};
  return {
    trace,
    range,
    rangeText: subject.isThere ? subject.text : "",
    time: trace.manifest.time,
    trackPath: (track) => trackPath(trace, track),
    goTo: (span, track, query) => actions.goTo(span, track, query),
    goToEvent: (track, ordinal, span) => actions.goToEvent(track, ordinal, span),
    showSteps: (first, second) => actions.showSteps(first, second),
    steps: {
      chosen: range.kind === "steps" ? range : null,
      choose: ({ first, last }) => actions.setRange({ kind: "steps", first, last }),
      clear: () => actions.setRange({ kind: "run" }),
    },
    toolPage: (id, texts = {}) => {
      const named = pageAmong(pages.value, id);
      return named && { title: named.title, open: () => actions.open({ tool: id, range, texts }) };
    },
    select: (span) => actions.select(span),
    openPage: (tool, texts) => actions.open({ tool, range, texts }),
    setRange: (next) => actions.setRange(next),
    inRange: (question) => ({ ...looking, ...question }),
  };
}
