/** Frame of all pages but the timeline: range switch, title, and the states without an answer. */

import type { TickRange } from "@tilescope/client";
import { useMemo } from "preact/hooks";
import { useApp } from "../../components/app-context";
import { LoadFailed } from "../../components/load-failed";
import { useLoaded } from "../../components/use-loaded";
import { Skeleton, StateCard, Unavailable } from "../../requests/states";
import { catalogue } from "../../state/catalogue";
import { page } from "../../state/page";
import type { Pane } from "../../state/pane";
import { tracksOf } from "../../state/selection";
import { recordedRange } from "../../state/shifts";
import type { Trace } from "../../state/trace";
import { makeContext } from "../context";
import type { FrameProps, Page } from "../contract";
import { onPageKey } from "../keys";
import { lookedAt, rangeOn } from "../range";
import { PaneChoice } from "./pane-choice";
import { RangeSwitch } from "./range-switch";
import "./frame.css";

export function Frame({ trace, shown }: FrameProps) {
  return (
    <div class="page" data-page={shown?.id ?? ""}>
      <header class="page-head">
        <PaneChoice />
        <RangeSwitch trace={trace} shown={shown} />
        <div class="page-title">
          <h2>{shown?.title ?? page.value.tool}</h2>
          {shown !== null && <p>{shown.help}</p>}
        </div>
      </header>
      <Body trace={trace} shown={shown} />
    </div>
  );
}

function Body({ trace, shown }: FrameProps) {
  const app = useApp();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be scrolled by keys
    <section class="page-body" tabIndex={0} aria-label="Answer">
      {shown === null ? <Unknown retry={() => app.catalogue.look(trace)} /> : <Content trace={trace} shown={shown} />}
    </section>
  );
}

function Content({ trace, shown }: { trace: Trace; shown: Page }) {
  const app = useApp();
  const { pane } = app;
  const { range, texts } = page.value;
  const own = rangeOn(shown, range);
  const selected = useSelectedRange(pane, own.kind === "selection");
  const { manifest } = trace;
  const subject = useMemo(() => lookedAt(own, manifest, selected, texts), [own, manifest, selected, texts]);
  const context = useMemo(() => makeContext(trace, range, subject, app.pages), [trace, range, subject, app]);
  const View = useLoaded(shown.id, shown.load);
  const availability = shown.availability(manifest);
  if (!availability.isAvailable) {
    return <Unavailable reason={availability.reason} />;
  }
  if (!subject.isThere) {
    return (
      <StateCard title={subject.title} state="empty">
        <p>{subject.reason}</p>
        <button type="button" class="button is-primary" onClick={() => app.pages.setRange({ kind: "run" })}>
          Look at the whole run
        </button>{" "}
        <button type="button" class="button is-outlined" onClick={() => app.pages.show(null)}>
          Go to the timeline
        </button>
      </StateCard>
    );
  }
  switch (View.kind) {
    case "loading":
      return null;
    case "failed":
      return <LoadFailed />;
    case "ready":
      return (
        <View.value
          key={`${shown.id} ${manifest.run}`}
          context={context}
          texts={texts}
          setTexts={(next) => app.pages.setTexts(next)}
          onKey={onPageKey}
        />
      );
  }
}

/** The selected range as the clock of its tracks had it, which tools are asked about; null: it is not wanted, or nothing is selected. */
function useSelectedRange({ selectedRange, selection, shifts }: Pane, isWanted: boolean): TickRange | null {
  const [range, chosen, shown] = [selectedRange.value, selection.value, shifts.value];
  return useMemo(
    () => (range === null || !isWanted ? null : recordedRange(shown, range, tracksOf(chosen)).range),
    [range, chosen, shown, isWanted],
  );
}

/** It is not known yet which tools there are; or none of them has the name that the address says. */
function Unknown({ retry }: { retry: () => void }) {
  const app = useApp();
  const tools = catalogue.value;
  const { tool } = page.value;
  switch (tools.kind) {
    case "none":
    case "loading":
      return <Skeleton />;
    case "failed":
      return (
        <StateCard title="The list of tools could not be loaded" state="failed">
          <p class="error-line" role="alert">
            {tools.failure.message}
          </p>
          <p>{tools.failure.advice}</p>
          <button type="button" class="button is-primary" onClick={retry}>
            Try again
          </button>
        </StateCard>
      );
    case "ready":
      return (
        <StateCard title={`There is no page “${tool}”`} state="unknown">
          <p>The server has no tool of this name. The Tools menu lists those that it has.</p>
          <button type="button" class="button is-primary" onClick={() => app.pages.show(null)}>
            Go to the timeline
          </button>
        </StateCard>
      );
  }
}
