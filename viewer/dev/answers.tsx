/** Made-up answers in the generic page's parts, for browser tests and for those who work on them: `?answer=many`. */

import { render } from "preact";
import { AnswerView } from "../src/answers/answer-view";
import type { Links } from "../src/answers/links";
import { connectSettings } from "../src/state/settings";
import { ANSWERS } from "./made-up-answers";

connectSettings();

const name = new URLSearchParams(location.search).get("answer") ?? "steps";
const answer = ANSWERS[name]?.();

/** Places to which the answer led, for tests. */
const visits: string[] = [];
Object.assign(window, { visits });

const links: Links = {
  time: { tickPs: 1, originNs: 0n },
  trackPath: (track) => ["tpu-host-0", `TPU ${track >> 2}`, ["Steps", "XLA Modules", "XLA Ops", "Async"][track & 3]!],
  goTo: (span, track, query = "") =>
    visits.push(
      `${span === null ? "" : `${span.startTicks}-${span.endTicks}`} on ${track ?? "all"}${query === "" ? "" : ` ${query}`}`,
    ),
  goToEvent: (track, ordinal) => visits.push(`${track}.${ordinal}`),
  steps: {
    chosen: null,
    choose: ({ first, last }) => visits.push(`steps ${first}-${last}`),
    clear: () => visits.push("all steps"),
  },
};

render(
  answer === undefined ? (
    <p>There is no answer of that name.</p>
  ) : (
    <div class="host">
      <h1>Made-up answer “{name}”</h1>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be scrolled by keys */}
      <section tabIndex={0} aria-label="Answer">
        <AnswerView
          tool={{ id: name, title: "Made-up", help: "a made-up answer" }}
          answer={answer}
          links={links}
          rangeText="the whole run"
          onMore={(more) => visits.push(`more ${more}`)}
        />
      </section>
    </div>
  ),
  document.getElementById("app")!,
);
