/** Time that the devices of a span compute, communicate, copy and idle: one bar, and the figures. */

import type { ToolAnswer } from "@tilescope/client";
import type { Links } from "../answers/links";
import { formatPercent } from "../components/format";
import type { Trace } from "../state/trace";
import { FigureTables } from "./figure-tables";
import { partsOfTime } from "./parts-of-time";
import { isSliced } from "./question-tracks";
import { type ShownSpan, SpanAnswer } from "./span-answer";
import { Duration } from "./time-figures";
import { useLinks } from "./use-links";

const FACTS = ["overlap", "busy", "span", "devices"];

export function OverlapFigures({ trace, span }: { trace: Trace; span: ShownSpan }) {
  const links = useLinks(trace);
  return (
    <SpanAnswer trace={trace} tool="overlap" span={span} isOf={isSliced} nothing="No device has a track here.">
      {(answer) => (
        <>
          <StackedBar answer={answer} links={links} />
          <FigureTables answer={answer} links={links} tool="overlap" facts={FACTS} hidden={["track", "start", "end"]} />
        </>
      )}
    </SpanAnswer>
  );
}

function StackedBar({ answer, links }: { answer: ToolAnswer; links: Links }) {
  const parts = partsOfTime(answer.facts);
  if (parts.length === 0) {
    return null;
  }
  return (
    <div class="stacked">
      <div class="stacked-bar" aria-hidden="true">
        {parts.map(({ id, share }) => (
          <i key={id} class={`is-${id}`} style={{ width: `${100 * share}%` }} />
        ))}
      </div>
      <dl class="stacked-legend">
        {parts.map(({ id, label, ticks, share }) => (
          <div key={id}>
            <dt>
              <i class={`is-${id}`} aria-hidden="true" />
              {label}
            </dt>
            <dd>
              {formatPercent(share)}{" "}
              <span class="dim">
                <Duration ticks={ticks} time={links.time} />
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
