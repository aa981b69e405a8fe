/** Time that the devices of a span compute, communicate, copy and idle: one bar, and the figures. */

import type { ToolAnswer } from "@tilescope/client";
import type { Links } from "../answers/links";
import { formatPercent } from "../components/format";
import type { Meaning } from "../raster/meaning";
import { meaningColor } from "../raster/palette";
import { theme } from "../state/settings";
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
        {parts.map(({ id, kind, share }) => (
          <i key={id} class={`is-${id}`} style={{ ...partStyle(kind), width: `${100 * share}%` }} />
        ))}
      </div>
      <dl class="stacked-legend">
        {parts.map(({ id, label, kind, ticks, share }) => (
          <div key={id}>
            <dt>
              <i class={`is-${id}`} style={partStyle(kind)} aria-hidden="true" />
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

/** The colour that work of a kind has in the timeline, for the textures of the style sheet. */
function partStyle(kind: Meaning | null): Readonly<Record<string, string>> {
  return kind === null ? {} : { "--part": meaningColor(kind, theme.value) };
}
